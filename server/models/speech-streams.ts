import type {
  Experimental_SpeechModelV4StreamPart as SoundPart,
  Experimental_TranscriptionModelV4StreamPart as WordsPart,
} from '@ai-sdk/provider'
import { openWavReader, readSamples } from '../kit/sound/wav.ts'
import { printable, truncate } from '../kit/text.ts'

/** The words of one stretch of speech have no more characters. */
const transcript_length_max = 4_000

export const toTranscript = (text: string): string => truncate(printable(text).trim(), transcript_length_max).trim()

interface WordsOptions {
  /** Whether all sound was handed over. */
  isAllHeard: () => boolean
  /** Whether a message of the provider says that there were no words. */
  isSilence: (message: unknown) => boolean
  /** Makes an error, also from the provider's last message. */
  toError: (error: unknown, message: unknown) => unknown
}

/** Reads a stream of any vendor: `transcript-partial` has all words so far, and `finish` comes as soon as no other can follow. */
export async function* readWords(
  stream: ReadableStream<WordsPart>,
  { isAllHeard, isSilence, toError }: WordsOptions,
): AsyncGenerator<WordsPart> {
  /** `said` is what is final, and `current` what may still change. */
  let said = ''
  let current = ''
  let message: unknown
  const soFar = () => toTranscript(`${said} ${current}`)
  const finish = (text: string): WordsPart => ({ type: 'finish', text: toTranscript(text), segments: [] })
  try {
    for await (const part of stream) {
      if (part.type === 'raw') message = part.rawValue
      else if (part.type === 'error') throw part.error
      else if (part.type === 'finish') return yield finish(part.text)
      else if (part.type === 'transcript-delta') current = truncate(current + part.delta, transcript_length_max)
      else if (part.type === 'transcript-partial') current = part.text
      else if (part.type === 'transcript-final') {
        said = toTranscript(`${said} ${part.text}`)
        current = ''
        if (isAllHeard()) return yield finish(soFar())
      } else continue
      if (part.type !== 'raw') yield { type: 'transcript-partial', text: soFar() }
    }
    throw new Error('the connection was closed before the last words')
  } catch (error) {
    if (!isAllHeard() || !isSilence(message)) throw await toError(error, message)
    yield finish(soFar())
  }
}

interface SoundOptions {
  /** The sample rate of samples without a header. Null: the sound is a WAV file. */
  raw_rate: number | null
  /** The rate of a WAV file if it is known. It counts also where the header has another one. */
  known_rate: number | undefined
  toError: (error: unknown) => unknown
}

/** Reads sound while it comes: PCM16 of one channel, in whole samples. */
export async function* readSound(
  body: ReadableStream<Uint8Array>,
  { raw_rate, known_rate, toError }: SoundOptions,
): AsyncGenerator<SoundPart> {
  const reader = raw_rate === null ? openWavReader(known_rate) : openRawReader(raw_rate)
  let is_empty = true
  try {
    for await (const bytes of body) {
      const samples = reader.push(bytes)
      if (samples.length === 0) continue
      is_empty = false
      const audio = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
      yield { type: 'audio', audio, audioFormat: { type: 'audio/pcm', rate: reader.sample_rate } }
    }
  } catch (error) {
    throw await toError(error)
  }
  if (is_empty) throw new Error('there is no sound')
  yield { type: 'finish' }
}

/** Opens a reader of samples without a header. A sample may come in two pieces. */
function openRawReader(sample_rate: number): ReturnType<typeof openWavReader> {
  let waiting = Buffer.alloc(0)
  return {
    sample_rate,
    push(bytes) {
      waiting = Buffer.concat([waiting, bytes])
      const samples = readSamples(waiting)
      waiting = waiting.subarray(2 * samples.length)
      return samples
    },
  }
}
