import { isYesToNoMore, type Shown, type Wish, wishIn } from '../consent/spoken.ts'
import type { Sayings } from '../languages/language.ts'
import { isOf } from '../languages/languages.ts'
import { remember, type Step } from './reply.ts'
import type { Voice } from './state.ts'

/** This is about what the contact has said in a call that is no turn yet, and what it asks for. */

/** A step of a call. */
export type VoiceStep = Step & { state: { voice: Voice } }

export const hasUnwritten = ({ parts, digits }: Voice): boolean => parts.length > 0 || digits !== ''

export const unwrittenWords = ({ parts, digits }: Voice): string =>
  [...parts.map(({ text }) => text), ...(digits === '' ? [] : [digits])].join(' ')

/** Writes what the contact has said as a turn. Returns false if it has said nothing. */
export function writeWords({ state, effects }: VoiceStep): boolean {
  const { voice } = state
  const text = unwrittenWords(voice)
  if (text === '') return false
  const speech = voice.parts
  Object.assign(voice, { parts: [], digits: '', waiting_since: null, silent_since: null, reminders: 0 })
  remember(state, { role: 'contact', text, is_cut: false, runs: [] })
  const usage = { input_tokens: 0, output_tokens: 0 }
  const spoken = { heard: text, speech }
  effects.push({
    type: 'write',
    turn: { role: 'contact', reply: null, text, is_interrupted: false, runs: [], usage, spoken },
  })
  return true
}

const answer_max = 100

interface Wished {
  wish: Wish
  shown: Shown
  /** In the language of the words. */
  sayings: Pick<Sayings, 'no_more_calls' | 'no_more_question'>
}

/** Returns what the contact's words ask for before any model sees them. The greeting of a voicemail is nobody's wish. */
export function wishOf(step: VoiceStep): Wished | undefined {
  const { voice, settings } = step.state
  if (!settings.obeys_stop_words || voice.machine === 'voicemail') return undefined
  const text = unwrittenWords(voice)
  const found = wishIn(text)
  const is_own = found?.wish === 'stop' || (found && isOf(found.language, settings.language))
  const said = found && {
    wish: found.wish,
    shown: { rule: 'sentence' as const, language: found.language.tag, words: found.words },
    sayings: is_own ? settings.sentences : found.language.sayings,
  }
  if (found?.wish === 'opt_out' || !wasAsked(step)) return said
  // Only yes, or "stop" again, confirms it. Everything else is for the agent: nobody is asked twice in a row.
  const is_confirmed = found?.wish === 'stop' || isYesToNoMore(text)
  const shown = { rule: 'answer' as const, language: settings.language, words: text.slice(0, answer_max) }
  return is_confirmed ? { wish: 'opt_out', shown, sayings: settings.sentences } : undefined
}

/** Returns whether the last words that the contact has heard ask whether it wants no more calls. */
function wasAsked({ state: { history } }: VoiceStep): boolean {
  const last = history.findLast(({ role, text }) => role !== 'contact' && text !== '')
  return last?.asks_to_stop === true
}

export function noteOptOut({ state: { voice }, effects }: VoiceStep, shown: Shown): void {
  voice.has_opted_out = true
  effects.push({ type: 'opt_out', shown })
}

/** The call ends, maybe before the contact's last words have settled. */
export function endWords(step: VoiceStep): void {
  const wished = wishOf(step)
  if (wished?.wish === 'opt_out') noteOptOut(step, wished.shown)
  writeWords(step)
}
