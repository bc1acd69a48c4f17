/** Sound of 16 bits a sample and one channel. */
export interface Pcm {
  sample_rate: number
  /** Little-endian. */
  bytes: Uint8Array
}

const header_bytes = 44
const bytes_per_sample = 2
const formats = { pcm: 1, extensible: 0xfffe }
const sample_rates = { min: 8_000, max: 48_000 }

export const millisecondsOf = ({ bytes, sample_rate }: Pcm): number =>
  (bytes.length / bytes_per_sample / sample_rate) * 1_000

export function toWav({ sample_rate, bytes }: Pcm): Uint8Array {
  const wav = Buffer.alloc(header_bytes + bytes.length)
  wav.write('RIFF', 0, 'latin1')
  wav.writeUInt32LE(wav.length - 8, 4)
  wav.write('WAVEfmt ', 8, 'latin1')
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(formats.pcm, 20)
  wav.writeUInt16LE(1, 22)
  wav.writeUInt32LE(sample_rate, 24)
  wav.writeUInt32LE(sample_rate * bytes_per_sample, 28)
  wav.writeUInt16LE(bytes_per_sample, 32)
  wav.writeUInt16LE(8 * bytes_per_sample, 34)
  wav.write('data', 36, 'latin1')
  wav.writeUInt32LE(bytes.length, 40)
  wav.set(bytes, header_bytes)
  return wav
}

/** Fails unless it is a WAV file with PCM16 mono. A service that streams doesn't know the length: then the samples end with the file. */
export function readWav(file: Uint8Array): Pcm {
  const wav = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  const nameAt = (start: number) => wav.toString('latin1', start, start + 4)
  if (nameAt(0) !== 'RIFF' || nameAt(8) !== 'WAVE') throw new Error('the sound is no WAV file')
  let sample_rate: number | undefined
  for (let start = 12; start + 8 <= wav.length; ) {
    const [name, length, body] = [nameAt(start), wav.readUInt32LE(start + 4), start + 8]
    if (name === 'fmt ' && body + 16 <= wav.length) sample_rate = readRate(wav, body)
    if (name === 'data') {
      if (sample_rate === undefined) break
      const bytes = wav.subarray(body, Math.min(body + length, wav.length))
      return { sample_rate, bytes: bytes.subarray(0, bytes.length - (bytes.length % bytes_per_sample)) }
    }
    // Chunks begin at even places.
    start = body + length + (length % 2)
  }
  throw new Error('the WAV file has no samples')
}

function readRate(wav: Buffer, start: number): number {
  const format = wav.readUInt16LE(start)
  const channels = wav.readUInt16LE(start + 2)
  const sample_rate = wav.readUInt32LE(start + 4)
  const bits = wav.readUInt16LE(start + 14)
  const is_pcm = format === formats.pcm || format === formats.extensible
  if (!is_pcm || channels !== 1 || bits !== 8 * bytes_per_sample) throw new Error('the WAV file is not PCM16 mono')
  if (sample_rate < sample_rates.min || sample_rate > sample_rates.max)
    throw new Error(`the WAV file has ${sample_rate} samples a second`)
  return sample_rate
}
