import { IncomingMessage } from 'node:http'
import { GrowingBuffer } from '../../outbound/growing-buffer.ts'

/** Chunks of a request with fewer bytes than this are joined: each would cost as much as a large one. */
const small_bytes = 64

/**
 * After a piece of more chunks than this, other work runs for `rest_ms`: each chunk has taken a microsecond of the
 * parser's time.
 */
const chunks_in_row_max = 500
const rest_ms = 10

/**
 * Requests whose small chunks wait to be passed on. These are module variables, because a process has one event loop.
 */
const waiting = new Set<JoiningRequest>()
let is_scheduled = false
let had_long_row = false

function schedule(): void {
  if (is_scheduled || waiting.size === 0) return
  is_scheduled = true
  if (had_long_row) setTimeout(passOnNext, rest_ms)
  else setImmediate(passOnNext)
}

/**
 * Passes on the chunks of one request in each turn of the event loop: its connection is then read again, and 64 kB may
 * be 10,000 chunks.
 */
function passOnNext(): void {
  is_scheduled = false
  const [first] = waiting
  had_long_row = (first?.passOn() ?? 0) > chunks_in_row_max
  schedule()
}

/** A request whose body costs about the same in small chunks as in large ones. */
export class JoiningRequest extends IncomingMessage {
  readonly #joined = new GrowingBuffer()
  #chunks = 0

  /** Node's parser calls this for each chunk, and reads no more from the connection after it returns false. */
  override push(chunk: Uint8Array | null): boolean {
    if (chunk === null) {
      this.passOn()
      return super.push(null)
    }
    const is_first = this.#joined.length === 0
    if (is_first && chunk.length >= small_bytes) return super.push(chunk)
    this.#joined.add(chunk)
    this.#chunks += 1
    if (is_first) {
      waiting.add(this)
      schedule()
    }
    // A reader of the body makes the connection read on, also before these bytes are passed on.
    return false
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    waiting.delete(this)
    super._destroy(error, callback)
  }

  /** Node calls this for a body that nobody has read, and would no longer call `push` for it. */
  _dump(): void {
    this.resume()
  }

  /** Returns how many chunks it passed on. */
  passOn(): number {
    waiting.delete(this)
    const chunks = this.#chunks
    this.#chunks = 0
    if (this.#joined.length > 0 && !this.destroyed) super.push(this.#joined.take())
    return chunks
  }
}
