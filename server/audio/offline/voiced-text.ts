import { heard_rate } from '../../kit/sound/rates.ts'
import type { Spoken } from '../flite.ts'
import type { WordTime } from '../speech.ts'
import { parsePhonemes, timeWords } from './word-times.ts'

export interface VoicedText {
  samples: Int16Array<ArrayBuffer>
  sample_rate: number
  words: WordTime[]
}

/** This much silence is kept. Flite begins with about 200 ms, for which people would wait, and ends with 250 ms. */
const silence_before_ms = 20
const silence_after_ms = 150

/** Cuts the silence around the words. Their times are those in the sound that is left. */
export function trimSpoken(text: string, { samples, sample_rate, phonemes }: Spoken): VoicedText {
  const words = timeWords(text, parsePhonemes(phonemes))
  const per_ms = sample_rate / 1_000
  const length_ms = Math.ceil(samples.length / per_ms)
  const start_ms = Math.max(0, Math.min(length_ms, words[0]?.start_ms ?? 0) - silence_before_ms)
  const end_ms = Math.min(length_ms, Math.max(0, ...words.map((word) => word.end_ms)) + silence_after_ms)
  const place = (time_ms: number) => Math.max(0, Math.min(time_ms, end_ms) - start_ms)
  return {
    samples: samples.slice(start_ms * per_ms, end_ms * per_ms),
    sample_rate,
    words: words.map((word) => ({ text: word.text, start_ms: place(word.start_ms), end_ms: place(word.end_ms) })),
  }
}

export function joinSpoken(pieces: VoicedText[]): VoicedText {
  const [first = { samples: new Int16Array(), sample_rate: heard_rate, words: [] }, ...others] = pieces
  if (others.length === 0) return first
  const samples = new Int16Array(pieces.reduce((sum, piece) => sum + piece.samples.length, 0))
  const words: WordTime[] = []
  let position = 0
  for (const piece of pieces) {
    const offset_ms = Math.round((1_000 * position) / first.sample_rate)
    samples.set(piece.samples, position)
    for (const { text, start_ms, end_ms } of piece.words)
      words.push({ text, start_ms: start_ms + offset_ms, end_ms: end_ms + offset_ms })
    position += piece.samples.length
  }
  return { samples, sample_rate: first.sample_rate, words }
}
