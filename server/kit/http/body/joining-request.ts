import { IncomingMessage } from 'node:http'
import { GrowingBuffer } from '../../outbound/growing-buffer.ts'

/** Chunks of a request that are smaller are joined: each would cost as much as a large one. */
const small_bytes = 64

/** Those whose small chunks wait to be passed on. In a module variable, because a process has one event loop. */
const waiting: (() => void)[] = []
let is_scheduled = false

/** One of them in a turn of the event loop: who is passed on is read from again, and 64 kB may be 10,000 chunks. */
function passOnNext(): void {
  waiting.shift()?.()
  is_scheduled = waiting.length > 0
  if (is_scheduled) setImmediate(passOnNext)
}

/** A request whose body costs about the same in small chunks as in large ones. */
export class JoiningRequest extends IncomingMessage {
  readonly #joined = new GrowingBuffer()

  /** Node's parser calls this for each chunk, and reads no more from the connection after it returns false. */
  override push(chunk: Uint8Array | null): boolean {
    if (chunk === null) {
      this.#passOn()
      return super.push(null)
    }
    const is_first = this.#joined.length === 0
    if (is_first && chunk.length >= small_bytes) return super.push(chunk)
    this.#joined.add(chunk)
    if (!is_first) return true
    waiting.push(() => this.#passOn())
    if (!is_scheduled) setImmediate(passOnNext)
    is_scheduled = true
    return false
  }

  #passOn(): void {
    if (this.#joined.length > 0 && !this.destroyed) super.push(this.#joined.take())
  }
}
