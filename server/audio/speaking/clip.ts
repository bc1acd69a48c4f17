import type { SpeechModelV4Result } from '@ai-sdk/provider'
import { splitWords, wordsOf } from '../../calls/words.ts'
import { membersOf } from '../../kit/json.ts'
import { readWav } from '../../kit/sound/wav.ts'
import type { Resampler } from '../resampler.ts'
import { joinSamples } from '../samples.ts'
import type { WordTime } from '../speech.ts'

/** Words that are spoken at once. Places and lengths are in samples of the wire. */
export interface Clip {
  reply: string
  text: string
  /** Undefined until the voice has spoken it. */
  sound: ClipSound | undefined
  /** Nothing more of it is played: no voice could speak it, or the wire has lost it. */
  is_over: boolean
  /** How much of it is on the wire, or was. */
  sent: number
  /** How much of it is known to have been played. */
  played: number
  /** From where it was played, and when. It begins again after a pause. */
  starts: { from: number; at: number }[]
}

export interface ClipSound {
  samples: Int16Array
  words: { text: string; start: number; end: number }[]
}

/** A chunk takes about 20 s. More than this is no speech. */
const sound_max_s = 90
/** Quieter than speech. */
const silence_below = 200
/** This much silence is left before and after the words: more would make every answer late. */
const silence_ms = { before: 20, after: 200 }

interface SoundOptions {
  text: string
  rate: number
  openResampler: (from_rate: number) => Resampler
}

/** Reads what a voice has spoken, at the rate of the wire. Throws if it is no WAV file. */
export function readSound({ audio, providerMetadata }: SpeechModelV4Result, options: SoundOptions): ClipSound {
  const { text, rate, openResampler } = options
  const file = typeof audio === 'string' ? Buffer.from(audio, 'base64') : audio
  const { samples: read, sample_rate } = readWav(file)
  const resampler = openResampler(sample_rate)
  const within = read.subarray(0, sound_max_s * sample_rate)
  const whole = joinSamples([resampler.push(within), resampler.flush()])
  const loud = loudPart(whole)
  // Some things can't be spoken, such as emoji, or the letters of another language.
  if (!loud) return { samples: new Int16Array(), words: [] }
  const toMs = (place: number) => (place * 1_000) / rate
  const first = Math.max(0, loud.start - Math.round((silence_ms.before * rate) / 1_000))
  const samples = whole.subarray(first, loud.end + Math.round((silence_ms.after * rate) / 1_000))
  const times =
    readTimes(providerMetadata?.offline?.words, text) ??
    // Without times of the voice, words share the time by their length.
    wordsOf({ text, start_ms: toMs(loud.start), end_ms: toMs(loud.end) })
  const toSamples = (time_ms: number) =>
    Math.max(0, Math.min(samples.length, Math.round((time_ms * rate) / 1_000) - first))
  return {
    samples,
    words: times.map((word) => ({ text: word.text, start: toSamples(word.start_ms), end: toSamples(word.end_ms) })),
  }
}

/** Undefined unless there is a time for each word of the text, in order. */
function readTimes(value: unknown, text: string): WordTime[] | undefined {
  const words = splitWords(text)
  if (!Array.isArray(value) || value.length !== words.length) return undefined
  let last_ms = 0
  const times = value.map((one, index) => {
    const { start_ms, end_ms } = membersOf(one)
    const start = Math.max(last_ms, Number(start_ms))
    last_ms = Math.max(start, Number(end_ms))
    return { text: words[index] ?? '', start_ms: start, end_ms: last_ms }
  })
  return times.every(({ start_ms, end_ms }) => Number.isFinite(start_ms) && Number.isFinite(end_ms)) ? times : undefined
}

/** From the first to the last sound that is no silence. */
function loudPart(samples: Int16Array): { start: number; end: number } | undefined {
  const isLoud = (sample: number) => Math.abs(sample) >= silence_below
  const start = samples.findIndex(isLoud)
  return start < 0 ? undefined : { start, end: samples.findLastIndex(isLoud) + 1 }
}

export const newClip = (reply: string, text: string): Clip => ({
  reply,
  text,
  sound: undefined,
  is_over: false,
  sent: 0,
  played: 0,
  starts: [],
})

/** From where it is played after a pause: the first word that was not heard whole. */
export function resumeFrom({ sound, played }: Clip): number {
  if (!sound) return 0
  return sound.words.find(({ end }) => end > played)?.start ?? Math.max(played, sound.words.at(-1)?.end ?? 0)
}
