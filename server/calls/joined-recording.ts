import { Readable } from 'node:stream'
import type { AtOutside } from '../kit/at.ts'
import type { Blob } from '../kit/blobs/blobs.ts'

/** μ-law at 8 kHz, the contact left and the agent right. */
const channels = 2
const samples_per_ms = 8
const bytes_per_ms = channels * samples_per_ms
const header_bytes = 58
const mulaw = 7
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
    yield header(size)
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
  return { size: header_bytes + size, stream: Readable.from(write(), { objectMode: false }) }
}

function* silenceOf(bytes: number): Generator<Buffer> {
  for (let rest = bytes; rest > 0; rest -= silence_bytes) yield Buffer.alloc(Math.min(rest, silence_bytes), silence)
}

function header(data_bytes: number): Buffer {
  const bytes = Buffer.alloc(header_bytes)
  bytes.write('RIFF', 0)
  bytes.writeUInt32LE(header_bytes - 8 + data_bytes, 4)
  bytes.write('WAVEfmt ', 8)
  bytes.writeUInt32LE(18, 16)
  bytes.writeUInt16LE(mulaw, 20)
  bytes.writeUInt16LE(channels, 22)
  bytes.writeUInt32LE(samples_per_ms * 1_000, 24)
  bytes.writeUInt32LE(bytes_per_ms * 1_000, 28)
  bytes.writeUInt16LE(channels, 32)
  bytes.writeUInt16LE(8, 34)
  bytes.writeUInt16LE(0, 36)
  bytes.write('fact', 38)
  bytes.writeUInt32LE(4, 42)
  bytes.writeUInt32LE(data_bytes / channels, 46)
  bytes.write('data', 50)
  bytes.writeUInt32LE(data_bytes, 54)
  return bytes
}
