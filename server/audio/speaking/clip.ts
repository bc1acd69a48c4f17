import type { SpeechModelV4Result } from '@ai-sdk/provider'
import { membersOf } from '../../kit/json.ts'
import { readWav } from '../../kit/sound/wav.ts'
import { splitWords, wordsOf } from '../../talk/words.ts'
import type { Resampler } from '../resampler.ts'
import type { WordTime } from '../speech.ts'

/** Words that are spoken at once. Places and lengths are in samples of the wire. */
export interface Clip {
  reply: string
  text: string
  is_uninterruptible: boolean
  /** The sound. Undefined until the voice speaks the words. */
  sound: ClipSound | undefined
  /** Set when nothing more of the clip is played: no voice could speak it, or the wire has lost it. */
  is_over: boolean
  /** How many samples are on the wire, or were. */
  sent: number
  /** How many samples are known to have been played. */
  played: number
  /** Each time at which playing began, and from which sample. It begins again after a pause. */
  starts: { from: number; at: number }[]
}

export interface ClipSound {
  samples: Int16Array
  /** The places of the words in the sound. They are estimates until it is complete. */
  words: { text: string; start: number; end: number }[]
  /** False if more samples follow. */
  is_complete: boolean
}

/** Longer sound is no speech: a chunk takes about 20 s. */
const sound_max_s = 90
/** Samples below this are silence. */
const silence_below = 200
/** This much silence is left before and after the words: more would make every answer late. */
const silence_ms = { before: 20, after: 200 }

/** In sound that is not complete, a character takes this long at most. No word that was not heard may count. */
const character_max_ms = 85

interface SoundOptions {
  text: string
  rate: number
  openResampler: (from_rate: number) => Resampler
}

/** Reads what a voice has spoken, at the rate of the wire. Throws if it is no WAV file. */
export function readClipSound({ audio, providerMetadata }: SpeechModelV4Result, options: SoundOptions): ClipSound {
  const file = typeof audio === 'string' ? Buffer.from(audio, 'base64') : audio
  const { samples, sample_rate } = readWav(file)
  const { sound, push, end } = openClipSound(options)
  push(samples, sample_rate)
  end(readTimes(providerMetadata?.offline?.words, options.text))
  return sound
}

/** Sound of a clip that comes in pieces. */
export interface GrowingSound {
  readonly sound: ClipSound
  push: (samples: Int16Array, from_rate: number) => void
  /** Ends the sound. Without times from the voice, words share the time by their length. */
  end: (times?: WordTime[]) => void
}

/**
 * Opens the sound of a text. Words that can't be spoken, such as emoji or the letters of another language, get no
 * sound.
 */
export function openClipSound({ text, rate, openResampler }: SoundOptions): GrowingSound {
  const sound: ClipSound = { samples: new Int16Array(), words: [], is_complete: false }
  const toMs = (place: number) => (place * 1_000) / rate
  const toPlaces = (time_ms: number) => Math.round((time_ms * rate) / 1_000)
  let resampler: Resampler | undefined
  let whole = new Int16Array(rate)
  let length = 0
  let loud: { start: number; end: number } | undefined

  function add(samples: Int16Array): void {
    const piece = samples.subarray(0, sound_max_s * rate - length)
    if (length + piece.length > whole.length) {
      const larger = new Int16Array(2 * (length + piece.length))
      larger.set(whole.subarray(0, length))
      whole = larger
    }
    whole.set(piece, length)
    const part = loudPart(piece)
    if (part) loud = { start: loud?.start ?? length + part.start, end: length + part.end }
    length += piece.length
  }

  function show(times: WordTime[] | undefined): void {
    if (!loud) return
    const first = Math.max(0, loud.start - toPlaces(silence_ms.before))
    const samples = whole.subarray(first, Math.min(length, loud.end + toPlaces(silence_ms.after)))
    const start_ms = toMs(loud.start)
    const slowest_ms = sound.is_complete ? 0 : start_ms + text.length * character_max_ms
    const words = times ?? wordsOf({ text, start_ms, end_ms: Math.max(toMs(loud.end), slowest_ms) })
    const place_max = sound.is_complete ? samples.length : Number.POSITIVE_INFINITY
    const toPlace = (time_ms: number) => Math.max(0, Math.min(place_max, toPlaces(time_ms) - first))
    sound.samples = samples
    sound.words = words.map((word) => ({
      text: word.text,
      start: toPlace(word.start_ms),
      end: toPlace(word.end_ms),
    }))
  }

  return {
    sound,
    push(samples, from_rate) {
      if (!resampler) {
        resampler = openResampler(from_rate)
        // The sound before may have ended in the middle.
        resampler.flush()
      }
      add(resampler.push(samples))
      show(undefined)
    },
    end(times) {
      if (resampler) add(resampler.flush())
      sound.is_complete = true
      show(times)
    },
  }
}

/** Reads the voice's times. Returns undefined unless there is one for each word of the text, in order. */
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

/** Returns the part from the first to the last sound that is no silence. */
function loudPart(samples: Int16Array): { start: number; end: number } | undefined {
  const isLoud = (sample: number) => Math.abs(sample) >= silence_below
  const start = samples.findIndex(isLoud)
  return start < 0 ? undefined : { start, end: samples.findLastIndex(isLoud) + 1 }
}

export const newClip = (words: Pick<Clip, 'reply' | 'text' | 'is_uninterruptible'>): Clip => ({
  ...words,
  sound: undefined,
  is_over: false,
  sent: 0,
  played: 0,
  starts: [],
})

/** Returns the sample from which a clip is played after a pause: the first word that was not heard whole. */
export function resumeFrom({ sound, played }: Clip): number {
  if (!sound) return 0
  return sound.words.find(({ end }) => end > played)?.start ?? Math.max(played, sound.words.at(-1)?.end ?? 0)
}

/** Ends the clip's sound although it has more words. Takes those from the clip, and returns them. */
export function cutRest(clip: Clip): string {
  const { sound } = clip
  if (!sound) return ''
  const said = sound.words.filter(({ end }) => end <= sound.samples.length)
  const rest = sound.words.slice(said.length)
  clip.text = said.map(({ text }) => text).join(' ')
  clip.sound = { ...sound, words: said, is_complete: true }
  return rest.map(({ text }) => text).join(' ')
}
