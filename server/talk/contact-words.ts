import { answerWords, isYesToNoMore, type Shown, type Wish, type WishSaid, wishIn } from '../consent/spoken.ts'
import type { Language, Sayings } from '../languages/language.ts'
import { findLanguage, isOf, languages } from '../languages/languages.ts'
import { remember, type Step } from './reply.ts'
import type { Voice } from './state.ts'

/** This is about what the contact has said or typed in a call that is no turn yet, and what it asks for. */

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

interface ContactWish {
  wish: Wish
  shown: Shown
  /** The answers to the wish, in the language of the contact's words. */
  sayings: Pick<Sayings, 'no_more_calls' | 'no_more_question'>
}

/** Whether the contact has pressed the key that ends calls for good, and no other. It counts once: it is soon pressed again. */
export const hasPressedOptOut = ({ voice, settings }: VoiceStep['state']): boolean =>
  voice.digits === settings.voice?.opt_out_key && !voice.are_digits_awaited && !voice.has_opted_out

/**
 * Returns what the contact's words or keys ask for before any model sees them. The greeting of a voicemail asks for
 * nothing.
 */
export function wishOf(step: VoiceStep): ContactWish | undefined {
  const { voice, settings } = step.state
  if (!settings.obeys_stop_words || voice.machine === 'voicemail') return undefined
  if (hasPressedOptOut(step.state)) {
    const shown: Shown = { rule: 'key', language: settings.language, words: voice.digits }
    return { wish: 'opt_out', shown, sayings: settings.sentences }
  }
  const text = unwrittenWords(voice)
  const found = wishIn(text)
  const asked = lastQuestion(step)
  const spoken = languageOf(found, asked, settings.language)
  const sayings = !spoken || isOf(spoken, settings.language) ? settings.sentences : spoken.sayings
  const language = spoken?.tag ?? settings.language
  // Only a yes or another "stop" confirms the opt-out. Every other answer goes to the agent, so that nobody is asked
  // twice in a row.
  if (asked !== undefined && (found?.wish === 'stop' || isYesToNoMore(text, spoken))) {
    const words = found?.words ?? answerWords(text)
    return { wish: 'opt_out', shown: { rule: 'answer', language, words }, sayings }
  }
  if (!found || (asked !== undefined && found.wish !== 'opt_out')) return undefined
  return { wish: found.wish, shown: { rule: 'sentence', language, words: found.words }, sayings }
}

/**
 * Returns the language of the contact's words. A mere "stop" may be in any language, so the language of the question
 * decides.
 */
function languageOf(found: WishSaid | undefined, asked: string | undefined, agents: string): Language | undefined {
  if (found && found.wish !== 'stop') return found.languages.find((one) => isOf(one, agents)) ?? found.languages[0]
  return questionLanguage(asked, agents)
}

/**
 * Returns the language of the question whether the contact wants no more calls, or else the agent's. `asked` is the
 * part of the question that was said.
 */
export const questionLanguage = (asked: string | undefined, agents: string): Language | undefined =>
  languages.find(({ sayings }) => asked && sayings.no_more_question.startsWith(asked.trim())) ?? findLanguage(agents)

/** Returns what the contact has heard of the question whether it wants no more calls, if these were the last words. */
function lastQuestion({ state: { history } }: VoiceStep): string | undefined {
  const last = history.findLast(({ role, text }) => role !== 'contact' && text !== '')
  return last?.asks_to_stop ? last.text : undefined
}

export function noteOptOut({ state: { voice }, effects }: VoiceStep, shown: Shown): void {
  voice.has_opted_out = true
  effects.push({ type: 'opt_out', shown })
}

/**
 * Notes an opt-out in the contact's last words and writes them as a turn: the call may end before they have settled.
 */
export function endWords(step: VoiceStep): void {
  const wished = wishOf(step)
  if (wished?.wish === 'opt_out') noteOptOut(step, wished.shown)
  writeWords(step)
}
