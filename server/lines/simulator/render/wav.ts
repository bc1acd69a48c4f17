import fs from 'node:fs/promises'
import { recording_format } from '../../../audio/recorder.ts'
import { headerBytes, headerFor } from '../../../kit/sound/wav.ts'
import { sample_rate, samples_per_ms } from './samples.ts'

const { channels } = recording_format
const header_bytes = headerBytes(recording_format)
/** A block is one second. */
const block_samples = sample_rate

interface Reader {
  read: (bytes: Uint8Array, offset: number) => Promise<void>
}

/** Returns how large the file of a recording is, in bytes. */
export const wavSize = (duration_ms: number): number => header_bytes + channels * duration_ms * samples_per_ms

interface Content {
  duration_ms: number
  /** Opens the tracks, left and right, from a position in samples on. */
  openTracks: (position: number) => [left: Reader, right: Reader]
  /** Whether to stop. Called after each second. */
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
    if (size === 0) await output.appendFile(headerFor({ bytes: channels * samples, format: recording_format }))
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
