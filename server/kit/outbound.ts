import { Resolver, promises as system } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import ipaddr from 'ipaddr.js'
import { Agent, buildConnector, type Dispatcher } from 'undici'

/** The only way out to addresses that clients have named: never into the network that we stand in. */
export interface Outbound {
  /**
   * Why nothing may be sent there, as the end of a sentence; undefined when it may. A name that can't be found right now
   * is let through: it is looked at again at each connection.
   */
  refusal: (url: string) => Promise<string | undefined>
  /** Fails with an OutboundError. `is_own`: to this very server, which no client can name. */
  post: (url: string, message: Message, is_own?: boolean) => Promise<Reply>
  close: () => Promise<void>
}

export interface Message {
  headers: Record<string, string>
  body: string
  /** For all of it, from finding the name to the last byte that is read. */
  timeout_ms: number
  /** As many of the answer as are read, just as they came: nothing is unpacked. */
  bytes_max: number
}

export interface Reply {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

/** It was not sent, or not answered; the message is for the client. */
export class OutboundError extends Error {}

export interface OutboundOptions {
  /** Names, addresses and networks that are open although they are not public. */
  allowed: string[]
  /** All addresses of a name. */
  find?: (name: string) => Promise<string[]>
}

const connect_timeout_ms = 10_000
const look_ahead_ms = 1_000
const resolver_options = { timeout: 2_000, tries: 2 }
const answer_header_bytes_max = 16 * 1024
/** Ordinary by their looks, but they give secrets to who asks from inside of a cloud. */
const metadata_addresses = ['168.63.129.16']
/** Whatever a resolver says of it. */
const own_name = /(^|\.)localhost\.?$/i

export function openOutbound({ allowed, find = findAll }: OutboundOptions): Outbound {
  const names = new Set(allowed.filter((one) => !isNetwork(one)).map((name) => name.toLowerCase()))
  const networks = allowed.filter(isNetwork).map(networkOf)
  const isOpen = (address: string) => isPublic(address) || networks.some((network) => isWithin(address, network))

  /** Those of an allowed name may be anywhere; of any other each must be public, for nobody knows which one is taken. */
  async function addressesOf(name: string): Promise<string[]> {
    const is_allowed = names.has(name.toLowerCase())
    if (!is_allowed && own_name.test(name)) throw new Inside()
    const found = await find(name).catch((error: unknown) => {
      if (is_allowed) return findHere(name)
      throw error
    })
    if (!is_allowed && !found.every(isOpen)) throw new Inside()
    // Such as of an alias for nothing: Node would end the process over an empty list.
    if (found.length === 0) throw new OutboundError(not_found)
    return found
  }

  const lookup: LookupFunction = (name, { all }, callback) => {
    const answered = addressesOf(name).then(
      (found) => {
        const [first = ''] = found
        if (all)
          callback(
            null,
            found.map((address) => ({ address, family: isIP(address) })),
          )
        else callback(null, first, isIP(first))
      },
      (error: Error) => callback(error, []),
    )
    // What the socket throws in its callback shows as a connection that is not there in time.
    answered.catch(() => {})
  }

  const options = { allowH2: false, timeout: connect_timeout_ms }
  const connect = buildConnector({ ...options, lookup })
  // What is an address already is never looked up.
  const guarded: buildConnector.connector = (to, callback) => {
    const address = to.hostname.replace(/^\[|\]$/g, '')
    if (isIP(address) && !isOpen(address)) return callback(new Inside(), null)
    connect(to, callback)
  }
  const limits = { allowH2: false, maxHeaderSize: answer_header_bytes_max, headersTimeout: 0, bodyTimeout: 0 }
  const outside = new Agent({ ...limits, connect: guarded })
  const inside = new Agent({ ...limits, connect: options })

  return {
    async refusal(text) {
      const url = URL.parse(text)
      if (!url || !/^https?:$/.test(url.protocol)) return 'must be an address that begins with https:// or http://.'
      if (url.username || url.password) return 'may not hold a name or a password.'
      if (url.hash) return 'may not have a part after #.'
      const host = url.hostname.replace(/^\[|\]$/g, '')
      if (isIP(host)) return isOpen(host) ? undefined : not_public
      const late = sleep(look_ahead_ms, undefined, { ref: false })
      return Promise.race([addressesOf(host).then(() => undefined, refusalOf), late])
    },
    post: (url, message, is_own = false) => post(is_own ? inside : outside, url, message),
    async close() {
      await Promise.all([outside.destroy(), inside.destroy()])
    },
  }
}

const not_found = 'The name of the host was not found.'
const not_public = 'must lead to a public address, and this one does not.'

class Inside extends OutboundError {
  constructor() {
    super(`The address ${not_public}`)
  }
}

const refusalOf = (error: unknown) => (error instanceof Inside ? not_public : undefined)

/** Below undici's own `request`, whose streams cost as much as the rest; one object, for there may be very many at once. */
class Post implements Dispatcher.DispatchHandler {
  readonly #message: Message
  readonly #timer: NodeJS.Timeout
  readonly #resolve: (reply: Reply) => void
  readonly #reject: (error: OutboundError) => void
  readonly #chunks: Buffer[] = []
  #length = 0
  #head: Pick<Reply, 'status' | 'headers'> | undefined
  #controller: Dispatcher.DispatchController | undefined
  #is_over = false

  constructor(message: Message, resolve: (reply: Reply) => void, reject: (error: OutboundError) => void) {
    this.#message = message
    this.#resolve = resolve
    this.#reject = reject
    const late = () => new OutboundError(`There was no answer within ${message.timeout_ms / 1000} seconds.`)
    this.#timer = setTimeout(() => this.#breakOff(late()), message.timeout_ms)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#is_over) controller.abort(ended)
  }

  onResponseStart(_controller: unknown, status: number, headers: Reply['headers']): void {
    if (status >= 200) this.#head = { status, headers }
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    if (this.#length >= this.#message.bytes_max) this.#breakOff()
  }

  onResponseEnd(): void {
    this.#end()
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#end(error)
  }

  #end(error?: Error): void {
    if (this.#is_over) return
    this.#is_over = true
    clearTimeout(this.#timer)
    if (error) this.#reject(error instanceof OutboundError ? error : new OutboundError(wordsFor(error)))
    else if (this.#head) {
      const body = Buffer.concat(this.#chunks).subarray(0, this.#message.bytes_max)
      this.#resolve({ ...this.#head, body })
    }
  }

  #breakOff(error?: OutboundError): void {
    this.#end(error)
    this.#controller?.abort(ended)
  }
}

const post = (agent: Agent, address: string, message: Message): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const { origin, pathname, search } = new URL(address)
    const { headers, body } = message
    const options = { origin, path: pathname + search, method: 'POST', headers, body } as const
    agent.dispatch(options, new Post(message, resolve, reject))
  })

const ended = new Error('it is over')

const words: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before there was an answer.',
  UND_ERR_SOCKET: 'The connection was closed before there was an answer.',
  UND_ERR_CONNECT_TIMEOUT: 'There was no connection in time.',
  UND_ERR_HEADERS_OVERFLOW: "The answer's headers are too long.",
  ENOTFOUND: not_found,
  ENODATA: not_found,
  HTTPParserError: 'The answer was not HTTP.',
}

function wordsFor(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  return words[code] ?? `It could not be sent: ${code}.`
}

function isPublic(text: string): boolean {
  const address = ipaddr.process(text)
  if (metadata_addresses.includes(address.toString()) || address.range() !== 'unicast') return false
  // Of IPv6 only this part was ever given out: what lies elsewhere leads to older forms and to translators.
  return !(address instanceof ipaddr.IPv6) || ((address.parts[0] ?? 0) & 0xe000) === 0x2000
}

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number]

const isNetwork = (text: string): boolean => isIP(text.split('/')[0] ?? '') !== 0

function networkOf(text: string): Network {
  const [address = '', bits] = text.split('/')
  const first = ipaddr.process(address)
  return [first, bits === undefined ? first.toByteArray().length * 8 : Number(bits)]
}

function isWithin(text: string, [first, bits]: Network): boolean {
  const address = ipaddr.process(text)
  return address.kind() === first.kind() && address.match(first, bits)
}

/** Not by the system's own call, of which four that wait for an answer would hold up all others. */
async function findAll(name: string): Promise<string[]> {
  const resolver = new Resolver(resolver_options)
  const four: Promise<string[]> = promisify(resolver.resolve4.bind(resolver))(name)
  const six: Promise<string[]> = promisify(resolver.resolve6.bind(resolver))(name)
  const results = await Promise.allSettled([four, six])
  const found = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
  const [failed] = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  if (found.length === 0 && failed) throw failed
  return found
}

/** Names that only this machine knows. */
const findHere = async (name: string): Promise<string[]> =>
  (await system.lookup(name, { all: true })).map(({ address }) => address)
