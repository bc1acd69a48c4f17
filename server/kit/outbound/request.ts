import type { Agent, Dispatcher } from 'undici'
import { letOthersRun } from '../let-others-run.ts'
import { BodyChunks, too_many_chunks } from './body-chunks.ts'

type OutboundMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface OutboundRequest {
  /** POST by default. */
  method?: OutboundMethod
  headers: Record<string, string>
  body?: string | Uint8Array
  signal?: AbortSignal | undefined
  /** Limits the whole request, from the DNS lookup to the last byte read. */
  timeout_ms: number
  /** Reads at most this much of the response body. It is not decompressed. */
  bytes_max: number
}

export interface OutboundResponse {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

/** The request was not sent, or got no valid response. The message is shown to the client. */
export class OutboundError extends Error {
  /** The connection failed, so the request had no effect. */
  is_unsent = false
  /** The response had this status when it failed while its body was read. */
  status: number | null = null
}
export class OutboundTimeout extends OutboundError {}
/** The response exceeds a limit. A repeat would fail too, because the server would send as much. */
export class ResponseTooLong extends OutboundError {}
export class TooManyChunks extends ResponseTooLong {
  constructor() {
    super(too_many_chunks)
  }
}

export const host_not_found = 'The host name was not found.'

const closed_early = 'The connection was closed before the whole response arrived.'
const timed_out = 'The connection timed out.'
const unreachable = "The server can't be reached."
const not_looked_up = 'The host name could not be looked up.'
const not_http = 'The response was not HTTP.'

const messages: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: closed_early,
  EPIPE: closed_early,
  UND_ERR_SOCKET: closed_early,
  ETIMEDOUT: timed_out,
  UND_ERR_CONNECT_TIMEOUT: timed_out,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  UND_ERR_HEADERS_OVERFLOW: "The response's headers are too long.",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'The response has another length than its header says.',
  ENOTFOUND: host_not_found,
  ENODATA: host_not_found,
  EAI_AGAIN: not_looked_up,
  ESERVFAIL: not_looked_up,
  ETIMEOUT: not_looked_up,
  HTTPParserError: not_http,
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: 'A message is too long.',
}

/** Messages for families of codes. The code itself says what is wrong with a certificate. */
const families: [pattern: RegExp, message: (code: string) => string][] = [
  [/^HPE_/, () => not_http],
  [/CERT|^UNABLE_TO_/, (code) => `The server's certificate is not accepted: ${code}.`],
  [/^ERR_(SSL|TLS)_|^EPROTO$/, () => 'The server does not speak TLS as expected.'],
]

function messageFor(code: string): string {
  const [, family] = families.find(([pattern]) => pattern.test(code)) ?? []
  return messages[code] ?? family?.(code) ?? `The request could not be sent: ${code}.`
}

/** Formats a time limit for people. The rest of a limit may have many decimals. */
export const inSeconds = (ms: number): string => `${Number((ms / 1000).toFixed(ms < 1_000 ? 3 : 1))} seconds`

export const send = (agent: Agent, url: string, request: OutboundRequest): Promise<OutboundResponse> =>
  new Promise((resolve, reject) => {
    agent.dispatch(dispatchOptions(url, request), new ResponseHandler(request, resolve, reject))
  })

export function dispatchOptions(
  url: string,
  { method = 'POST', headers, body }: Pick<OutboundRequest, 'method' | 'headers' | 'body'>,
): Dispatcher.DispatchOptions {
  const { origin, pathname, search } = new URL(url)
  return { origin, path: pathname + search, method, headers, ...(body !== undefined && { body }) }
}

/** Used instead of undici's `request`, whose streams cost as much as all the rest. There may be very many at once. */
class ResponseHandler implements Dispatcher.DispatchHandler {
  readonly #request: OutboundRequest
  readonly #timer: NodeJS.Timeout
  readonly #resolve: (response: OutboundResponse) => void
  readonly #reject: (error: OutboundError) => void
  readonly #chunks = new BodyChunks()
  #head: Pick<OutboundResponse, 'status' | 'headers'> | undefined
  #controller: Dispatcher.DispatchController | undefined
  #is_finished = false

  constructor(
    request: OutboundRequest,
    resolve: (response: OutboundResponse) => void,
    reject: (error: OutboundError) => void,
  ) {
    this.#request = request
    this.#resolve = resolve
    this.#reject = reject
    const timedOut = () => new OutboundTimeout(`There was no response within ${inSeconds(request.timeout_ms)}.`)
    this.#timer = setTimeout(() => this.#abort(timedOut()), request.timeout_ms)
    request.signal?.addEventListener('abort', this.#cancel)
    if (request.signal?.aborted) this.#cancel()
  }

  readonly #cancel = (): void => this.#abort(new OutboundError(canceled))

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#is_finished) controller.abort(finished)
  }

  onResponseStart(_controller: unknown, status: number, headers: OutboundResponse['headers']): void {
    if (status >= 200) this.#head = { status, headers }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#is_finished || chunk.length === 0) return
    this.#chunks.add(chunk)
    if (this.#chunks.joined.length >= this.#request.bytes_max) this.#abort()
    else if (this.#chunks.isTooMany) this.#abort(new TooManyChunks())
    else if (this.#chunks.isLongRow()) {
      controller.pause()
      void letOthersRun({ is_urgent: true }).then(() => this.#is_finished || controller.resume())
    }
  }

  onResponseEnd(): void {
    this.#finish()
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#finish(error)
  }

  #finish(error?: Error): void {
    if (this.#is_finished) return
    this.#is_finished = true
    clearTimeout(this.#timer)
    this.#request.signal?.removeEventListener('abort', this.#cancel)
    if (error) this.#reject(Object.assign(toOutboundError(error), { is_unsent: !this.#controller }))
    else if (this.#head) {
      const body = this.#chunks.joined.take().subarray(0, this.#request.bytes_max)
      this.#resolve({ ...this.#head, body })
    }
  }

  #abort(error?: OutboundError): void {
    this.#finish(error)
    this.#controller?.abort(finished)
  }
}

export const finished = new Error('the request is finished')
export const canceled = 'The request was canceled.'

export function toOutboundError(error: Error): OutboundError {
  if (error instanceof OutboundError) return error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  return new OutboundError(messageFor(code), { cause: error })
}
