import { GrowingBuffer } from './growing-buffer.ts'

/**
 * Chunks with fewer bytes than this are small. Each costs as much as a large one, so a response may have only so many
 * of them.
 */
const small_bytes = 64
const small_chunks_max = 100_000
/** Other work runs after this many chunks of any size. */
const chunks_in_row_max = 500

export const too_many_chunks = `The response has more than ${small_chunks_max} chunks of less than ${small_bytes} bytes.`

/** Joins the chunks of a response's body, and counts them. */
export class BodyChunks {
  readonly joined = new GrowingBuffer()
  #small = 0
  #in_row = 0

  add(chunk: Uint8Array): void {
    this.joined.add(chunk)
    this.#in_row += 1
    if (chunk.length < small_bytes) this.#small += 1
  }

  get isTooMany(): boolean {
    return this.#small > small_chunks_max
  }

  /** Whether other work must run now. If so, the count begins again. */
  isLongRow(): boolean {
    if (this.#in_row < chunks_in_row_max) return false
    this.#in_row = 0
    return true
  }
}
