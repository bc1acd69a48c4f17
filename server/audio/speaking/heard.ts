import type { SpeechPart } from '../../talk/state.ts'
import type { Clip } from './clip.ts'

/**
 * Returns the words of these clips that were heard, up to the last whole one. A clip that was paused gives a part for
 * each time it was played.
 */
export function heardParts(clips: Clip[], { rate, answered_at }: { rate: number; answered_at: number }): SpeechPart[] {
  const parts: SpeechPart[] = []
  let last_ms = 0
  for (const { sound, starts, played } of clips) {
    const heard = sound?.words.filter(({ end }) => end <= played) ?? []
    for (const [index, { from, at }] of starts.entries()) {
      const next = starts[index + 1]?.from ?? Number.POSITIVE_INFINITY
      const words = heard.filter(({ start }) => start >= (index === 0 ? 0 : from) && start < next)
      const [first] = words
      const last = words.at(-1)
      if (!first || !last) continue
      const toMs = (place: number) => Math.max(last_ms, Math.round(at - answered_at + ((place - from) * 1_000) / rate))
      const start_ms = toMs(first.start)
      last_ms = start_ms
      last_ms = toMs(last.end)
      parts.push({ text: words.map(({ text }) => text).join(' '), start_ms, end_ms: last_ms })
    }
  }
  return parts
}
