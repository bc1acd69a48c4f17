import { Resolver, promises as system } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Agent, buildConnector } from 'undici'
import type { WebSocket } from 'ws'
import { type Address, isInNetwork, type Network, parseAddress, parseNetwork } from '../network.ts'
import { host_not_found, OutboundError, type OutboundRequest, type OutboundResponse, send } from './request.ts'
import { newSocketClass, type SocketClass, type SocketGuard, type SocketOptions } from './socket.ts'
import { type StreamRequest, type StreamResponse, stream } from './stream.ts'

/** Sends HTTP requests to client-supplied URLs and opens WebSockets; refuses private addresses. */
export interface Outbound {
  /**
   * Why a URL is refused, as the end of a sentence; undefined when it is accepted. A host name that can't be resolved now
   * is accepted, because it is checked again at each connection.
   */
  refusal: (url: string) => Promise<string | undefined>
  /** Sends a request, and returns its whole response. Fails with an OutboundError. */
  send: (url: string, request: OutboundRequest, trust?: Trust) => Promise<OutboundResponse>
  /**
   * Sends a request, and returns when the response begins. Its body fails with an OutboundError when a limit is
   * exceeded.
   */
  stream: (url: string, request: StreamRequest, trust?: Trust) => Promise<StreamResponse>
  /** A WebSocket for libraries that take one. */
  socketClass: (options: SocketOptions) => SocketClass
  close: () => Promise<void>
}

interface Trust {
  /** Skips the checks, for URLs that no client supplied. */
  is_trusted?: boolean
}

export interface OutboundOptions {
  /** Host names, addresses and networks that are allowed although they are not public. */
  allowed: string[]
  /** Returns all addresses of a host name. */
  resolve?: (name: string) => Promise<string[]>
}

const connect_timeout_ms = 10_000
const refusal_lookup_ms = 1_000
const resolver_options = { timeout: 2_000, tries: 2 }
const response_header_bytes_max = 16 * 1024
/** Cloud metadata services that give secrets to callers inside the cloud, at addresses that look public. */
const metadata_addresses = ['168.63.129.16']
/** These names are refused, whatever the resolver answers. */
const localhost = /(^|\.)localhost\.?$/i

export function openOutbound({ allowed, resolve = resolveAll }: OutboundOptions): Outbound {
  const networks = allowed.map(parseNetwork).filter((network): network is Network => network !== undefined)
  const names = new Set(allowed.filter((host) => !parseNetwork(host)).map((name) => name.toLowerCase()))

  function isAllowed(text: string): boolean {
    const address = parseAddress(text)
    if (!address) return false
    return isPublic(address) || networks.some((network) => isInNetwork(address, network))
  }

  /** An allowed name may have any address. Every address of another name must be allowed: any of them may be used. */
  async function resolveAllowed(name: string): Promise<string[]> {
    const is_allowed = names.has(name.toLowerCase())
    if (!is_allowed && localhost.test(name)) throw new NotPublicError()
    const addresses = await resolve(name).catch((error: unknown) => {
      if (is_allowed) return resolveLocally(name)
      throw error
    })
    if (!is_allowed && !addresses.every(isAllowed)) throw new NotPublicError()
    // An alias of nothing has no addresses. An empty list would end the process in Node's own code.
    if (addresses.length === 0) throw new OutboundError(host_not_found)
    return addresses
  }

  const lookup: LookupFunction = (name, { all }, callback) => {
    const answered = resolveAllowed(name).then(
      (addresses) => {
        const [first = ''] = addresses
        if (all)
          callback(
            null,
            addresses.map((address) => ({ address, family: isIP(address) })),
          )
        else callback(null, first, isIP(first))
      },
      (error: Error) => callback(error, []),
    )
    // An error that the socket throws in its callback shows up as a connection timeout.
    answered.catch(() => {})
  }

  const connect_options = { allowH2: false, timeout: connect_timeout_ms }
  const connect = buildConnector({ ...connect_options, lookup })
  // `lookup` is not called for a host that is an address.
  const connectAllowed: buildConnector.connector = (to, callback) => {
    const host = withoutBrackets(to.hostname)
    if (isIP(host) && !isAllowed(host)) return callback(new NotPublicError(), null)
    connect(to, callback)
  }
  const opened = new Set<WebSocket>()
  const trusting_guard: SocketGuard = { assertAllowedAddress: () => {}, lookup: undefined, opened }
  const checked_guard: SocketGuard = {
    assertAllowedAddress(hostname) {
      const host = withoutBrackets(hostname)
      if (isIP(host) && !isAllowed(host)) throw new NotPublicError()
    },
    lookup,
    opened,
  }
  const limits = { allowH2: false, maxHeaderSize: response_header_bytes_max, headersTimeout: 0, bodyTimeout: 0 }
  const checked_agent = new Agent({ ...limits, connect: connectAllowed })
  const trusting_agent = new Agent({ ...limits, connect: connect_options })
  const agentFor = ({ is_trusted = false }: Trust) => (is_trusted ? trusting_agent : checked_agent)

  return {
    async refusal(text) {
      const url = URL.parse(text)
      if (!url || !/^https?:$/.test(url.protocol)) return 'must be a URL that begins with https:// or http://.'
      if (url.username || url.password) return 'must not contain a user name or password.'
      if (url.hash) return 'must not have a fragment (#).'
      const host = withoutBrackets(url.hostname)
      if (isIP(host)) return isAllowed(host) ? undefined : not_public
      const timeout = sleep(refusal_lookup_ms, undefined, { ref: false })
      return Promise.race([resolveAllowed(host).then(() => undefined, refusalFor), timeout])
    },
    send: (url, request, trust = {}) => send(agentFor(trust), url, request),
    stream: (url, request, trust = {}) => stream(agentFor(trust), url, request),
    socketClass: (options) => newSocketClass(options.is_trusted ? trusting_guard : checked_guard, options),
    async close() {
      for (const socket of opened) socket.terminate()
      await Promise.all([checked_agent.destroy(), trusting_agent.destroy()])
    },
  }
}

/** This message names no address: clients must not learn what a name stands for inside the operator's network. */
const not_public = 'must lead to a public address. The operator can allow private ones with OUTBOUND_ALLOW_HOSTS.'

class NotPublicError extends OutboundError {
  constructor() {
    super(`The URL ${not_public}`)
  }
}

const refusalFor = (error: unknown) => (error instanceof NotPublicError ? not_public : undefined)

const withoutBrackets = (host: string): string => host.replace(/^\[|\]$/g, '')

/** Names that mean something only inside a network. */
const local_name = /^[^.]+\.?$|\.(localhost|local|internal|intranet|lan|home|corp|private|home\.arpa)\.?$/i

/** Whether others can reach a host through the internet, as far as its name says: it is not resolved. */
export function isPublicHost(hostname: string): boolean {
  const address = parseAddress(withoutBrackets(hostname))
  return address ? isPublic(address) : !local_name.test(hostname)
}

function isPublic(address: Address): boolean {
  if (metadata_addresses.includes(address.toString()) || address.range() !== 'unicast') return false
  // Only 2000::/3 is assigned for public use. Other IPv6 ranges include old forms and translated addresses.
  return !('parts' in address) || ((address.parts[0] ?? 0) & 0xe000) === 0x2000
}

/** Doesn't use the system's lookup: that runs on four threads, so that four slow lookups would block all others. */
async function resolveAll(name: string): Promise<string[]> {
  const resolver = new Resolver(resolver_options)
  const v4: Promise<string[]> = promisify(resolver.resolve4.bind(resolver))(name)
  const v6: Promise<string[]> = promisify(resolver.resolve6.bind(resolver))(name)
  const results = await Promise.allSettled([v4, v6])
  const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
  const [failure] = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  if (addresses.length === 0 && failure) throw failure
  return addresses
}

/** Finds names that only this machine knows, such as those in its hosts file. */
const resolveLocally = async (name: string): Promise<string[]> =>
  (await system.lookup(name, { all: true })).map(({ address }) => address)
