import fs from 'node:fs/promises'
import { sample_rate, samples_per_ms } from './samples.ts'

const mulaw_format = 7
const channels = 2
const header_bytes = 58
/** A second. */
const block_samples = sample_rate

interface Reader {
  read: (bytes: Uint8Array, offset: number) => Promise<void>
}

/** How large the file of a recording is. */
export const wavSize = (duration_ms: number): number => header_bytes + channels * duration_ms * samples_per_ms

interface Content {
  duration_ms: number
  /** Left and right, from a position in samples on. */
  openTracks: (position: number) => [left: Reader, right: Reader]
  /** Asked after each second. */
  mustStop: () => boolean
}

/**
 * Writes a WAV file with two channels of mu-law at 8 kHz, second by second, from where the file ends until its content ends
 * or must stop. The bytes don't depend on where it stopped before.
 */
export async function continueWav(file: string, { duration_ms, openTracks, mustStop }: Content): Promise<void> {
  const output = await fs.open(file, 'a', 0o600)
  try {
    const samples = duration_ms * samples_per_ms
    const { size } = await output.stat()
    if (size === 0) await output.appendFile(header(samples))
    const start = Math.max(0, size - header_bytes) / channels
    const [left, right] = openTracks(start)
    for (let position = start; position < samples; position += block_samples) {
      const block = new Uint8Array(channels * Math.min(block_samples, samples - position))
      await left.read(block, 0)
      await right.read(block, 1)
      await output.appendFile(block)
      if (mustStop()) return
    }
  } finally {
    await output.close()
  }
}

/** Formats other than PCM need a `fact` chunk with the number of samples. */
function header(samples: number): Buffer {
  const bytes = Buffer.alloc(header_bytes)
  const data_bytes = channels * samples
  bytes.write('RIFF', 0)
  bytes.writeUInt32LE(header_bytes - 8 + data_bytes, 4)
  bytes.write('WAVEfmt ', 8)
  bytes.writeUInt32LE(18, 16)
  bytes.writeUInt16LE(mulaw_format, 20)
  bytes.writeUInt16LE(channels, 22)
  bytes.writeUInt32LE(sample_rate, 24)
  bytes.writeUInt32LE(channels * sample_rate, 28)
  bytes.writeUInt16LE(channels, 32)
  bytes.writeUInt16LE(8, 34)
  bytes.write('fact', 38)
  bytes.writeUInt32LE(4, 42)
  bytes.writeUInt32LE(samples, 46)
  bytes.write('data', 50)
  bytes.writeUInt32LE(data_bytes, 54)
  return bytes
}
