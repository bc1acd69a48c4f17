import { fromMulaw } from './mulaw.ts'

export interface WavFormat {
  encoding: 'pcm16' | 'mulaw'
  sample_rate: number
  channels: number
}

const codes = { pcm16: 1, mulaw: 7 } as const
const bytes_per_sample = { pcm16: 2, mulaw: 1 } as const
/** A file with this format code has its real format in the extension of its `fmt` chunk. */
const extensible = 0xfffe

/** The beginning of a file with this many bytes of samples. Formats other than PCM need a `fact` chunk with the number of samples. */
export function headerFor({ bytes, format }: { bytes: number; format: WavFormat }): Buffer {
  const { encoding, sample_rate, channels } = format
  const frame_bytes = channels * bytes_per_sample[encoding]
  const is_pcm = encoding === 'pcm16'
  const header = Buffer.alloc(headerBytes(format))
  header.write('RIFF', 0)
  header.writeUInt32LE(header.length - 8 + bytes, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(is_pcm ? 16 : 18, 16)
  header.writeUInt16LE(codes[encoding], 20)
  header.writeUInt16LE(channels, 22)
  header.writeUInt32LE(sample_rate, 24)
  header.writeUInt32LE(frame_bytes * sample_rate, 28)
  header.writeUInt16LE(frame_bytes, 32)
  header.writeUInt16LE(8 * bytes_per_sample[encoding], 34)
  if (!is_pcm) {
    header.write('fact', 38)
    header.writeUInt32LE(4, 42)
    header.writeUInt32LE(bytes / frame_bytes, 46)
  }
  header.write('data', header.length - 8)
  header.writeUInt32LE(bytes, header.length - 4)
  return header
}

export const headerBytes = ({ encoding }: WavFormat): number => (encoding === 'pcm16' ? 44 : 58)

/** A whole file of PCM16 with one channel. */
export function writeWav(samples: Int16Array, sample_rate: number): Uint8Array {
  const bytes = 2 * samples.length
  const header = headerFor({ bytes, format: { encoding: 'pcm16', sample_rate, channels: 1 } })
  const file = Buffer.alloc(header.length + bytes)
  header.copy(file)
  for (let index = 0; index < samples.length; index += 1)
    file.writeInt16LE(samples[index] ?? 0, header.length + 2 * index)
  return file
}

export interface Sound {
  samples: Int16Array
  sample_rate: number
}

/** Copies little-endian samples, which may begin at an odd place in memory. */
export function readSamples(bytes: Uint8Array): Int16Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Int16Array.from({ length: bytes.length >> 1 }, (_, index) => view.getInt16(2 * index, true))
}

/**
 * Reads a file of PCM16 or μ-law at any rate. Of several channels it reads the first. A size that the file can't have,
 * as in one that was streamed, means the end of the file. The header may lie about the rate, so a known rate wins.
 * Throws if the file is of another kind.
 */
export function readWav(file: Uint8Array, known_rate?: number): Sound {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  const data = findData(bytes, known_rate)
  if (!data) throw new Error('the WAV file has no samples')
  const { format, start, size } = data
  return { samples: firstChannel(bytes.subarray(start, start + size), format), sample_rate: format.sample_rate }
}

export interface WavReader {
  /** Returns the samples that are complete now. Throws if the file is no WAV file of PCM16 or μ-law. */
  push: (bytes: Uint8Array) => Int16Array
  /** The rate is known before the first sample, and 0 until then. */
  readonly sample_rate: number
}

/** The usual rates of speech, the most usual first. They decide when a header names two different rates. */
const usual_rates = [24_000, 22_050, 16_000, 44_100, 48_000, 8_000, 32_000]
/** The head of a file, before its samples, is shorter than this. */
const head_bytes_max = 64 * 1024

/** Reads a file that comes in pieces, as `readWav` reads a whole one. A size of 0 means that it was not known. */
export function openWavReader(known_rate?: number): WavReader {
  let waiting = Buffer.alloc(0)
  let format: Format | undefined
  let left = Number.POSITIVE_INFINITY
  return {
    get sample_rate() {
      return format?.sample_rate ?? 0
    },
    push(bytes) {
      waiting = Buffer.concat([waiting, bytes])
      if (!format) {
        const data = findData(waiting, known_rate)
        if (!data && waiting.length > head_bytes_max) throw new Error('the WAV file has no samples')
        if (!data) return new Int16Array()
        format = data.format
        if (data.size > 0) left = data.size
        waiting = waiting.subarray(data.start)
      }
      const whole = Math.min(left, waiting.length - (waiting.length % format.frame_bytes))
      const samples = firstChannel(waiting.subarray(0, whole), format)
      left -= whole
      // Bytes after the samples are not sound, and are dropped.
      waiting = left > 0 ? waiting.subarray(whole) : Buffer.alloc(0)
      return samples
    },
  }
}

type Format = WavFormat & { frame_bytes: number }

/** Where the samples are. Undefined if they have not come yet. */
function findData(
  bytes: Buffer,
  known_rate: number | undefined,
): { format: Format; start: number; size: number } | undefined {
  const begins = (text: string, at: number) => text.startsWith(bytes.toString('latin1', at, at + 4))
  if (!begins('RIFF', 0) || !begins('WAVE', 8)) throw new Error('the sound is no WAV file')
  let format: Format | undefined
  for (let offset = 12; offset + 8 <= bytes.length; ) {
    const name = bytes.toString('latin1', offset, offset + 4)
    const size = bytes.readUInt32LE(offset + 4)
    const start = offset + 8
    if (name === 'data' && format) return { format, start, size }
    if (name === 'fmt ' && start + size <= bytes.length)
      format = readFormat(bytes.subarray(start, start + size), known_rate)
    offset = start + size + (size % 2)
  }
  return undefined
}

function readFormat(chunk: Buffer, known_rate: number | undefined): Format {
  if (chunk.length < 16) throw new Error('the WAV file has no format')
  const code = chunk.readUInt16LE(0)
  const real_code = code === extensible && chunk.length >= 26 ? chunk.readUInt16LE(24) : code
  const bits = chunk.readUInt16LE(14)
  const encoding = real_code === codes.mulaw ? 'mulaw' : 'pcm16'
  if (real_code !== codes[encoding] || bits !== 8 * bytes_per_sample[encoding])
    throw new Error(`the WAV file has format ${real_code} with ${bits} bits, and only PCM16 and μ-law can be read`)
  const said_channels = chunk.readUInt16LE(2)
  // A file whose frames have one sample has one channel, whatever its header says.
  const channels = chunk.readUInt16LE(12) === bytes_per_sample[encoding] ? 1 : said_channels
  const frame_bytes = channels * bytes_per_sample[encoding]
  const said_rate = chunk.readUInt32LE(4)
  const sample_rate = known_rate ?? likelyRate(said_rate, chunk.readUInt32LE(8) / frame_bytes)
  if (said_channels < 1 || !isUsable(known_rate ?? said_rate))
    throw new Error(`the WAV file has ${said_channels} channels and ${said_rate} samples a second`)
  return { encoding, sample_rate, channels, frame_bytes }
}

/** Whether a rate is in use. All such rates are multiples of 25, and converting another one to them would take long. */
export const isUsable = (rate: number): boolean => rate % 25 === 0 && rate >= 4_000 && rate <= 192_000

/**
 * A header states its rate twice: in samples and in bytes a second. Many writers get the second wrong, and a wrong rate
 * is rarely stated twice.
 */
function likelyRate(said: number, by_bytes: number): number {
  return usual_rates.find((rate) => rate === said || rate === by_bytes) ?? said
}

function firstChannel(data: Buffer, { encoding, frame_bytes }: Format): Int16Array {
  const samples = new Int16Array(Math.floor(data.length / frame_bytes))
  for (let index = 0; index < samples.length; index += 1)
    samples[index] =
      encoding === 'mulaw' ? fromMulaw(data[index * frame_bytes] ?? 0) : data.readInt16LE(index * frame_bytes)
  return samples
}
