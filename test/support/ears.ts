import wavefile from 'wavefile'
import { type OfflineSpeech, openOfflineSpeech } from '../../server/audio/offline-speech.ts'
import { openLog } from '../../server/kit/log.ts'
import { sample_rate } from './sounds.ts'
import { requireSpeech, speech_folder } from './speech.ts'

/** Understands sound apart from the calls of the service. */
export interface Ears {
  /** The sound is at 16 kHz. */
  transcribe: (sound: Int16Array) => Promise<string>
  close: () => Promise<void>
}

const [before_ms, after_ms] = [300, 400]

/** Offline speech must be installed: `ensureSpeech` does it. */
export function openEars(speech = openSpeech()): Ears {
  const { model } = speech.listening()
  return {
    async transcribe(sound) {
      if (sound.length === 0) return ''
      const { text } = await model.doGenerate({ audio: toWav(withSilence(sound)), mediaType: 'audio/wav' })
      return text
    },
    close: () => speech.close(),
  }
}

function openSpeech(): OfflineSpeech {
  requireSpeech()
  return openOfflineSpeech({ folder: speech_folder, log: openLog('error') })
}

/** A recogniser misses words at the very ends of a sound. */
export function withSilence(sound: Int16Array): Int16Array {
  const per_ms = sample_rate / 1_000
  const whole = new Int16Array(sound.length + (before_ms + after_ms) * per_ms)
  whole.set(sound, before_ms * per_ms)
  return whole
}

export function toWav(samples: Int16Array): Uint8Array {
  const wav = new wavefile.WaveFile()
  wav.fromScratch(1, sample_rate, '16', samples)
  return wav.toBuffer()
}

export const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? []

/**
 * How many words from the beginning of `text` a transcript has: those with which it has the fewest differences. A recogniser
 * writes some words otherwise than they were meant, and half a word as another one.
 */
export function countHeard(text: string, transcript: string): number {
  // The shortest of equal counts is taken: the last thing that was understood may be half of a word.
  return countsHeard(text, transcript)[0] ?? 0
}

/** All counts that a transcript speaks for equally, the shortest first. */
export function countsHeard(text: string, transcript: string): number[] {
  const [meant, understood] = [wordsIn(text), wordsIn(transcript)]
  // The distance between all that was understood and each beginning of what was meant.
  let distances = Array.from({ length: meant.length + 1 }, (_, index) => index)
  for (const [row, word] of understood.entries()) {
    const next = [row + 1]
    for (const [index, other] of meant.entries())
      next.push(
        Math.min(
          (distances[index] ?? 0) + differenceOf(word, other),
          (distances[index + 1] ?? 0) + 1,
          (next[index] ?? 0) + 1,
        ),
      )
    distances = next
  }
  const least = Math.min(...distances)
  return distances.flatMap((distance, count) => (distance === least ? count : []))
}

/** 0 for the same word, less than 1 for words that begin alike: one may be a part of the other. */
function differenceOf(word: string, other: string): number {
  if (word === other) return 0
  return word.slice(0, 3) === other.slice(0, 3) || word.startsWith(other) || other.startsWith(word) ? 0.5 : 1
}

/** The step of a quick look, in samples. Speech changes little in so short a time. */
const quick_step = 3

export interface Offset {
  /** How much later the sound is in `recorded`. */
  offset_ms: number
  /** From 0 to 1: how alike the two are there. */
  likeness: number
}

/** Finds where a piece of sound lies in a recording: at its own place, or up to `max_ms` before or after it. Rates are the same. */
export function findOffset(
  { original, recorded, sample_rate }: { original: Int16Array; recorded: Int16Array; sample_rate: number },
  { start_ms, end_ms, max_ms }: { start_ms: number; end_ms: number; max_ms: number },
): Offset {
  const per_ms = sample_rate / 1_000
  const [start, end] = [Math.round(start_ms * per_ms), Math.round(end_ms * per_ms)]
  const likenessAt = (lag: number, step: number): number => {
    let [product, power, piece_power] = [0, 0, 0]
    for (let index = start; index < end; index += step) {
      const [sample, other] = [recorded[index + lag] ?? 0, original[index] ?? 0]
      product += sample * other
      power += sample * sample
      piece_power += other * other
    }
    return power === 0 ? 0 : product / Math.sqrt(power * piece_power)
  }
  const search = (first: number, last: number, step: number): Offset => {
    let best: Offset = { offset_ms: 0, likeness: 0 }
    for (let lag = first; lag <= last; lag += step) {
      const likeness = likenessAt(lag, step)
      if (likeness > best.likeness) best = { offset_ms: lag / per_ms, likeness }
    }
    return best
  }
  // A quick look comes first: a call that goes on meanwhile must not wait.
  const near = Math.round(search(-max_ms * per_ms, max_ms * per_ms, quick_step).offset_ms * per_ms)
  return search(near - quick_step, near + quick_step, 1)
}

/** Converts sound from 16 kHz to 8 kHz, as telephones have it. */
export function halve(samples: Int16Array): Int16Array {
  const halved = new Int16Array(samples.length >> 1)
  for (let index = 0; index < halved.length; index += 1)
    halved[index] = ((samples[2 * index - 1] ?? 0) + 2 * (samples[2 * index] ?? 0) + (samples[2 * index + 1] ?? 0)) >> 2
  return halved
}
