import type { Ears } from '../../support/ears.ts'
import { type Sentence, sentences, voices } from '../../support/sounds.ts'
import type { VoiceApi } from '../../support/voice-calls.ts'
import type { Random } from '../random.ts'

/** What each part of the scenario has. */
export interface World {
  api: VoiceApi
  ears: Ears
  random: Random
}

/** Makes the sentences before someone talks, by their texts: the voices take turns. */
export async function rehearse(texts: readonly string[]): Promise<(text: string) => Int16Array> {
  const list = [...new Set(texts)].map(
    (text, index): Sentence => ({ text, voice: voices[index % voices.length] ?? 'slt' }),
  )
  const sounds = await sentences(list)
  const by_text = new Map(list.map(({ text }, index) => [text, sounds[index]]))
  return (text) => {
    const sound = by_text.get(text)
    if (!sound) throw new Error(`nobody has rehearsed "${text}"`)
    return sound
  }
}

export const percent = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(0)} %`
