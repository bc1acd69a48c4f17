import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

export type Address = ipaddr.IPv4 | ipaddr.IPv6

export interface Network {
  base: Address
  prefix_bits: number
}

/**
 * Parses an IP address. An IPv4-mapped IPv6 address becomes an IPv4 address, and a zone is dropped. Stricter than
 * ipaddr.js: rejects octal, hexadecimal and short IPv4 forms such as 010.0.0.1 and 127.1.
 */
export const parseAddress = (text: string): Address | undefined =>
  isIP(text) === 0 ? undefined : ipaddr.process(text.replace(/%.*/, ''))

/** Parses a network such as 10.0.0.0/8, or a single address. */
export function parseNetwork(text: string): Network | undefined {
  const [address = '', bits, ...rest] = text.split('/')
  const base = parseAddress(address)
  if (!base || rest.length > 0) return undefined
  const base_bits = base.toByteArray().length * 8
  if (bits === undefined) return { base, prefix_bits: base_bits }
  const bits_max = isIP(address) === 4 ? 32 : 128
  if (!/^\d+$/.test(bits) || Number(bits) > bits_max) return undefined
  return { base, prefix_bits: Math.min(Number(bits), base_bits) }
}

export const isInNetwork = (address: Address, { base, prefix_bits }: Network): boolean =>
  address.kind() === base.kind() && address.match(base, prefix_bits)

/**
 * The address of a client that is connected through proxies. They append the address that they see to X-Forwarded-For, and only
 * trusted ones are believed. The requests of operations get theirs from Fastify, by the same rule.
 */
export function clientAddress(connected: string, forwarded_for: string, proxies: Network[]): string {
  const named = forwarded_for.split(',').map((text) => text.trim())
  const nearest_first = [connected, ...named.filter((text) => text !== '').reverse()]
  const isProxy = (text: string) => {
    const address = parseAddress(text)
    return address !== undefined && proxies.some((proxy) => isInNetwork(address, proxy))
  }
  return nearest_first.find((text) => !isProxy(text)) ?? nearest_first.at(-1) ?? connected
}

/**
 * The network that identifies a client: the /64 of an IPv6 address, because a client has all addresses in it, or the IPv4
 * address itself. Other text is returned unchanged.
 */
export function clientNetwork(ip: string): string {
  const address = parseAddress(ip)
  if (!address) return ip
  if (!(address instanceof ipaddr.IPv6)) return address.toString()
  const prefix = address.parts.slice(0, 4).map((part) => part.toString(16))
  return `${prefix.join(':')}::/64`
}
