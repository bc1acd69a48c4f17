import type { SpeechPart } from '../../../talk/state.ts'
import { wordsOf } from '../../../talk/words.ts'

/**
 * Flite takes more time and memory for each second of a long text than of a short one, so parts have at most this many
 * characters.
 */
const characters_max = 300

/** Returns parts in order, without overlaps, and none too long to be spoken at once. */
export function splitParts(parts: SpeechPart[]): SpeechPart[] {
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
