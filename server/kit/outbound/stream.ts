import type { Agent, Dispatcher } from 'undici'
import { letOthersRun } from '../let-others-run.ts'
import { BodyChunks } from './body-chunks.ts'
import {
  canceled,
  dispatchOptions,
  finished,
  inSeconds,
  OutboundError,
  type OutboundRequest,
  type OutboundResponse,
  ResponseTooLong,
  TooManyChunks,
  toOutboundError,
} from './request.ts'

export interface StreamRequest extends Omit<OutboundRequest, 'timeout_ms'> {
  /** Counts from the DNS lookup to the head of the response. */
  head_timeout_ms: number
  /** Counts from the DNS lookup to the end of the body. */
  timeout_ms: number
}

export interface StreamResponse extends Pick<OutboundResponse, 'status' | 'headers'> {
  /** The body is not decompressed. Canceling it, like the request's signal, closes the connection at once. */
  body: ReadableStream<Uint8Array>
}

export const stream = (agent: Agent, url: string, request: StreamRequest): Promise<StreamResponse> =>
  new Promise((resolve, reject) => {
    agent.dispatch(dispatchOptions(url, request), new StreamHandler(request, resolve, reject))
  })

/** Smaller chunks are joined with those that arrive in the same turn of the event loop. */
const piece_bytes = 16 * 1024

/** Stops reading from the connection while nobody reads the body. */
class StreamHandler implements Dispatcher.DispatchHandler {
  readonly #request: StreamRequest
  readonly #resolve: (response: StreamResponse) => void
  readonly #reject: (error: OutboundError) => void
  readonly #head_timer: NodeJS.Timeout
  readonly #timer: NodeJS.Timeout
  #controller: Dispatcher.DispatchController | undefined
  #body: ReadableStreamDefaultController<Uint8Array> | undefined
  readonly #chunks = new BodyChunks()
  #length = 0
  #is_scheduled = false
  #is_finished = false

  constructor(
    request: StreamRequest,
    resolve: (response: StreamResponse) => void,
    reject: (error: OutboundError) => void,
  ) {
    this.#request = request
    this.#resolve = resolve
    this.#reject = reject
    const failAfter = (timeout_ms: number) =>
      setTimeout(() => {
        this.#finish(new OutboundError(`There was no complete response within ${inSeconds(timeout_ms)}.`))
      }, timeout_ms)
    this.#head_timer = failAfter(request.head_timeout_ms)
    this.#timer = failAfter(request.timeout_ms)
    request.signal?.addEventListener('abort', this.#cancel)
    if (request.signal?.aborted) this.#cancel()
  }

  readonly #cancel = (): void => this.#finish(new OutboundError(canceled))

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#is_finished) controller.abort(finished)
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: StreamResponse['headers']): void {
    if (status < 200 || this.#is_finished) return
    clearTimeout(this.#head_timer)
    const body = new ReadableStream<Uint8Array>({
      start: (opened) => {
        this.#body = opened
      },
      pull: async () => {
        await letOthersRun({ is_urgent: true })
        if (!this.#is_finished) controller.resume()
      },
      cancel: this.#cancel,
    })
    this.#resolve({ status, headers, body })
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // Each resume brings an empty chunk. To pause again because of it would never end.
    if (this.#is_finished || !this.#body || chunk.length === 0) return
    const { bytes_max } = this.#request
    this.#length += chunk.length
    if (this.#length > bytes_max) {
      this.#finish(new ResponseTooLong(`The response has more than ${bytes_max} bytes.`))
      return
    }
    this.#chunks.add(chunk)
    if (this.#chunks.isTooMany) this.#finish(new TooManyChunks())
    else if (this.#chunks.joined.length >= piece_bytes || this.#chunks.isLongRow()) {
      // The reader asks for more at once, and gets it when others have run.
      controller.pause()
      this.#passOn()
    } else this.#passOnSoon()
  }

  #passOnSoon(): void {
    if (this.#is_scheduled) return
    this.#is_scheduled = true
    setImmediate(() => {
      this.#is_scheduled = false
      if (this.#is_finished) return
      this.#passOn()
      if ((this.#body?.desiredSize ?? 0) <= 0) this.#controller?.pause()
    })
  }

  #passOn(): void {
    if (this.#chunks.joined.length > 0) this.#body?.enqueue(this.#chunks.joined.take())
  }

  onResponseEnd(): void {
    this.#finish()
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#finish(toOutboundError(error))
  }

  #finish(error?: OutboundError): void {
    if (this.#is_finished) return
    this.#is_finished = true
    clearTimeout(this.#head_timer)
    clearTimeout(this.#timer)
    this.#request.signal?.removeEventListener('abort', this.#cancel)
    if (!error) {
      this.#passOn()
      this.#body?.close()
      return
    }
    this.#controller?.abort(finished)
    if (this.#body) this.#body.error(error)
    else this.#reject(error)
  }
}
