import type { LookupFunction } from 'node:net'
import { type ClientOptions, type RawData, WebSocket } from 'ws'
import { boundReading, message_frames_max } from '../limits/bounded-reading.ts'
import { inSeconds, OutboundError, OutboundTimeout, ResponseTooLong, toOutboundError } from './request.ts'

export interface SocketOptions {
  /** Sockets to other origins are refused. It begins with http or https, as the URL that the client has supplied. */
  origin: string
  is_trusted: boolean
  /** Counts from the DNS lookup to the end of the handshake. */
  open_timeout_ms: number
  /** Counts from the DNS lookup to the end. */
  timeout_ms: number
  /** A longer message closes the socket. */
  message_bytes_max: number
  /** More bytes than this over all messages close the socket. */
  bytes_max: number
  /** More unsent bytes than this close the socket. */
  unsent_bytes_max: number
  /**
   * Called with the reason when a failure is about to close the socket. Only the first reason counts. The error of a
   * refused handshake has its status.
   */
  onFailure?: ((error: OutboundError) => void) | undefined
}

/** The WebSocket class that libraries expect. This one can also send headers. */
export type SocketClass = new (
  url: string | URL,
  protocols?: string | string[],
  options?: { headers?: Record<string, string | undefined> },
) => WebSocket

/** Decides which addresses may be reached. */
export interface SocketGuard {
  /** Fails with an OutboundError if the host is an address that may not be reached. Names are checked by `lookup`. */
  assertAllowedAddress: (host: string) => void
  /** Undefined: the system's lookup is used. */
  lookup: LookupFunction | undefined
  /** The sockets that are open. */
  opened: Set<WebSocket>
}

/** Sockets follow no redirects and compress nothing. Their errors are events, which need no listener. */
export function newSocketClass(guard: SocketGuard, options: SocketOptions): SocketClass {
  const { origin, open_timeout_ms, timeout_ms, message_bytes_max, bytes_max, unsent_bytes_max } = options
  const { onFailure = () => {} } = options
  return class extends WebSocket {
    constructor(...[address, protocols, { headers = {} } = {}]: ConstructorParameters<SocketClass>) {
      const url = new URL(address)
      if (url.origin !== origin.replace(/^http/, 'ws')) throw new OutboundError('The URL belongs to another server.')
      guard.assertAllowedAddress(url.hostname)
      // The types don't know `maxFragments` yet.
      const settings: ClientOptions & { lookup?: LookupFunction; maxFragments: number } = {
        headers: Object.fromEntries(
          Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
        ),
        handshakeTimeout: open_timeout_ms,
        maxPayload: message_bytes_max,
        maxFragments: message_frames_max,
        followRedirects: false,
        perMessageDeflate: false,
        ...(guard.lookup && { lookup: guard.lookup }),
      }
      super(url, protocols, settings)
      const fail = (error: OutboundError) => {
        onFailure(error)
        this.terminate()
      }
      // An error that nobody listens to would end the process.
      this.on('error', (error) => onFailure(toFailure(error)))
      this.on('unexpected-response', (_request, { statusCode: status = 0 }) =>
        fail(Object.assign(new OutboundError(`The server answered with the status ${status}.`), { status })),
      )
      this.on('upgrade', ({ socket }) =>
        boundReading(this, socket, { onExcess: () => onFailure(new TooManyMessages()) }),
      )
      let bytes = 0
      this.on('message', (data) => {
        bytes += lengthOf(data)
        if (bytes > bytes_max) fail(new ResponseTooLong(`The server has sent more than ${bytes_max} bytes.`))
      })
      const late = `The connection was open for ${inSeconds(timeout_ms)}.`
      const timer = setTimeout(() => fail(new OutboundTimeout(late)), timeout_ms)
      guard.opened.add(this)
      this.on('close', () => {
        clearTimeout(timer)
        guard.opened.delete(this)
      })
    }

    override send(...parameters: unknown[]): void {
      // The parameters are passed on as they are, in all forms that `send` has.
      super.send(...(parameters as Parameters<WebSocket['send']>))
      if (this.bufferedAmount > unsent_bytes_max) this.terminate()
    }
  }
}

class TooManyMessages extends ResponseTooLong {
  constructor() {
    super('The server has sent too many messages in a second.')
  }
}

const toFailure = (error: Error): OutboundError =>
  /timed out/.test(error.message) ? new OutboundTimeout('The connection timed out.') : toOutboundError(error)

const lengthOf = (data: RawData): number =>
  Array.isArray(data) ? data.reduce((sum, { length }) => sum + length, 0) : data.byteLength
