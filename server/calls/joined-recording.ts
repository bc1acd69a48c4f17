import { Readable } from 'node:stream'
import type { AtOutside } from '../kit/at.ts'
import type { Blob } from '../kit/blobs/blobs.ts'
import { headerBytes, headerFor, type WavFormat } from '../kit/sound/wav.ts'

/** μ-law at 8 kHz, the contact left and the agent right. */
const channels = 2
const samples_per_ms = 8
const bytes_per_ms = channels * samples_per_ms
const format: WavFormat = { encoding: 'mulaw', sample_rate: samples_per_ms * 1_000, channels }
const silence = 0xff
/** What is missing is written in pieces of this size. */
const silence_bytes = 64 * 1024

export interface StoredPart {
  start_ms: number
  size: number
  blob_key: string
}

/** One WAV file as long as the call: its parts in order, and silence where nothing was recorded. */
export function joinParts({ tools }: AtOutside, parts: StoredPart[], duration_ms: number): Blob {
  const size = duration_ms * bytes_per_ms
  async function* write(): AsyncGenerator<Buffer> {
    yield headerFor({ bytes: size, format })
    let position = 0
    for (const { start_ms, blob_key } of parts) {
      const start = Math.min(size, start_ms * bytes_per_ms)
      yield* silenceOf(start - position)
      position = Math.max(position, start)
      const found = await tools.blobs.open(blob_key)
      // Its process was killed before it was stored.
      if (!found) continue
      const bytes = Buffer.concat(await found.stream.toArray())
      // Of two processes that had the call for a moment, the first has recorded it.
      const rest = bytes.subarray(position - start, size - start)
      yield rest
      position += rest.length
    }
    yield* silenceOf(size - position)
  }
  return { size: headerBytes(format) + size, stream: Readable.from(write(), { objectMode: false }) }
}

function* silenceOf(bytes: number): Generator<Buffer> {
  for (let rest = bytes; rest > 0; rest -= silence_bytes) yield Buffer.alloc(Math.min(rest, silence_bytes), silence)
}
