import type { Spoken, Synthesizer } from '../../../audio/flite.ts'
import { mulaw_silence, toMulaw } from '../../../kit/sound/mulaw.ts'
import type { SpeechPart } from '../../../talk/state.ts'
import { wordsOf } from '../../../talk/words.ts'
import { cut, halveRate, sample_rate, samples_per_ms, trimSilence } from './samples.ts'

/**
 * Flite takes more time and memory for each second of a long text than of a short one, so parts have at most this many
 * characters.
 */
const characters_max = 300

export interface Track {
  /** A voice of Flite. */
  voice: string
  parts: SpeechPart[]
}

/** Flite speaks at most twice as fast to fit a part. A part that is still too long is cut. */
const stretch_percent_min = 50

/** Reads a track from a position, in samples, to its end. Holds the samples of one part at a time. */
export function openTrack(synthesizer: Synthesizer, { voice, parts }: Track, from: number) {
  const waiting = splitParts(parts).filter(({ end_ms }) => end_ms * samples_per_ms > from)
  let part: { start: number; samples: Int16Array } = { start: 0, samples: new Int16Array() }
  let position = from

  /** Fills `bytes`, at every second place from `offset` on, with the next samples as mu-law. */
  async function read(bytes: Uint8Array, offset: number): Promise<void> {
    const end = position + bytes.length / 2
    for (let index = offset; index < bytes.length; index += 2) bytes[index] = mulaw_silence
    for (;;) {
      const start = Math.max(position, part.start)
      const until = Math.min(end, part.start + part.samples.length)
      for (let sample = start; sample < until; sample += 1)
        bytes[offset + 2 * (sample - position)] = toMulaw(part.samples[sample - part.start] ?? 0)
      const is_over = part.start + part.samples.length <= end
      const [next] = waiting
      if (!is_over || !next || next.start_ms * samples_per_ms >= end) break
      waiting.shift()
      part = { start: next.start_ms * samples_per_ms, samples: await speak(next) }
    }
    position = end
  }

  async function speak({ text, start_ms, end_ms }: SpeechPart): Promise<Int16Array> {
    const length = (end_ms - start_ms) * samples_per_ms
    const natural = trimSilence(toTrackRate(await synthesizer.speak({ text, voice, stretch_percent: 100 })))
    if (natural.length <= length) return natural
    const stretch_percent = Math.max(stretch_percent_min, Math.floor((100 * length) / natural.length))
    return cut(trimSilence(toTrackRate(await synthesizer.speak({ text, voice, stretch_percent }))), length)
  }

  return { read }
}

function toTrackRate(spoken: Spoken): Int16Array {
  if (spoken.sample_rate === sample_rate) return spoken.samples
  if (spoken.sample_rate === 2 * sample_rate) return halveRate(spoken.samples)
  throw new Error(`flite wrote ${spoken.sample_rate} samples a second`)
}

/** Returns parts in order, without overlaps, and none too long to be spoken at once. */
function splitParts(parts: SpeechPart[]): SpeechPart[] {
  const in_order = parts.toSorted((one, other) => one.start_ms - other.start_ms).flatMap(splitLong)
  let end_ms = 0
  return in_order.flatMap((part) => {
    const start_ms = Math.max(part.start_ms, end_ms)
    if (part.end_ms <= start_ms) return []
    end_ms = part.end_ms
    return [{ ...part, start_ms }]
  })
}

function splitLong(part: SpeechPart): SpeechPart[] {
  if (part.text.length <= characters_max) return [part]
  const pieces: SpeechPart[] = []
  for (const word of wordsOf(part)) {
    const last = pieces.at(-1)
    const text = word.text.slice(0, characters_max)
    if (last && last.text.length + 1 + text.length <= characters_max) {
      last.text += ` ${text}`
      last.end_ms = word.end_ms
    } else pieces.push({ ...word, text })
  }
  return pieces
}
