import { cutAtSentence } from './cut.ts'
import { sms_characters_max } from './settings.ts'
import type { Reply, State } from './state.ts'

/** What is said if nothing has answered the contact, or when a person takes over. */
export function lastWords(state: State, reply: Reply, outcome: 'done' | 'failed'): string | null {
  const { sentences, hand_over_message } = state.settings
  const { ending, text, voice } = reply
  const must_explain = outcome === 'failed' || !isAnswered(state, reply)
  if (ending?.type === 'transfer') return text === '' ? sentences.one_moment : null
  if (ending?.type === 'hand_over') return hand_over_message ?? (must_explain ? sentences.handed_over : null)
  if (!must_explain) return null
  if (ending) return sentences.goodbye
  return voice.is_reminder ? sentences.still_there : sentences.failed
}

/** Whether nothing more has to be said. In a call an agent may only press keys. */
export const isAnswered = (state: State, { has_answer, ending }: Reply): boolean =>
  has_answer || (state.voice !== null && !ending && hasPressed(state))

export const hasPressed = ({ ended_runs }: State): boolean => ended_runs.some(({ name }) => name === 'press_digits')

/** Shortens what nobody has seen yet, so that it fits into one message with the last words: carriers refuse longer ones. */
export function makeRoom({ settings, voice }: State, reply: Reply, last_words: string): void {
  if (voice || reply.is_shown) return
  const characters_max = Math.max(settings.reply_characters_max, sms_characters_max)
  reply.text = cutAtSentence(reply.text, characters_max - last_words.length - 1)
}

/** Between words that were not made together. */
export const separator = (before: string, after: string): string =>
  before === '' || /\s$/.test(before) || /^\s/.test(after) ? '' : ' '
