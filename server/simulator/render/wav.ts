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

/** Writes a WAV file with two channels of mu-law at 8 kHz, second by second. */
export async function writeWav(
  file: string,
  { duration_ms, left, right }: { duration_ms: number; left: Reader; right: Reader },
): Promise<void> {
  const output = await fs.open(file, 'w', 0o600)
  try {
    const samples = duration_ms * samples_per_ms
    await output.write(header(samples))
    for (let position = 0; position < samples; position += block_samples) {
      const block = new Uint8Array(channels * Math.min(block_samples, samples - position))
      await left.read(block, 0)
      await right.read(block, 1)
      await output.write(block)
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
