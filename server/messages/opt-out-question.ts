import type { Configuration } from '../agents/configuration.ts'
import { findConfiguration } from '../agents/find-version.ts'
import { isYesToNoMore } from '../consent/spoken.ts'
import type { Asking } from '../consent/written.ts'
import { isAsked, wasAskedLately } from '../conversations/opt-out-question.ts'
import type { Row } from '../conversations/rows.ts'
import { lastWordsTo } from '../conversations/turns.ts'
import type { At } from '../kit/at.ts'
import { en } from '../languages/en.ts'
import { fold } from '../languages/fold.ts'
import { stepScript } from '../models/script.ts'
import { questionLanguage } from '../talk/contact-words.ts'

interface Written {
  /** The conversation as it was before these words. */
  thread: Row
  text: string
  asking: Asking | undefined
}

/**
 * Decides what someone asks for who has written this. It is `unclear` if the agent is to ask back: once a day, and unless the words answer
 * what it has just said. Yes to that question, or the same words again, is an opt-out.
 */
export async function decide(at: At, { thread, text, asking }: Written): Promise<Asking | undefined> {
  if (asking && asking.word !== 'unclear') return asking
  const is_asked = isAsked(thread)
  if (!asking && !is_asked) return undefined
  const [configuration, last] = await Promise.all([findConfigurationOf(at, thread), lastWordsTo(at, thread)])
  if (is_asked) return answerOf({ text, asking }, questionLanguage(last, configuration?.language ?? 'en') ?? en)
  if (!asking || thread.status === 'handed_over' || wasAskedLately(at, thread)) return undefined
  if (asking.shown.rule === 'word' && last !== undefined && offers(last, asking.shown.words)) return undefined
  return configuration && isHeardByScript(at, { thread, text, configuration }) ? undefined : asking
}

/** The ledger keeps this much of an answer. It has only words that the rules know. */
const answer_max = 100

function answerOf({ text, asking }: Omit<Written, 'thread'>, language: typeof en): Asking | undefined {
  if (!asking && !isYesToNoMore(text, language)) return undefined
  const words = asking?.shown.words ?? text.slice(0, answer_max)
  return { word: 'opt_out', languages: [language], shown: { rule: 'answer', language: language.tag, words } }
}

const question_mark = /[?？؟]/u

/** Whether a word may answer this: a question, or a message that names the word. "Wochenende" doesn't name "Ende". */
const offers = (last: string, word: string): boolean =>
  question_mark.test(last) || new RegExp(`(?<!${latin})${word}(?!${latin})`, 'u').test(fold(last))

/** Other scripts have no spaces between words, or join short words to others. */
const latin = '\\p{Script=Latin}'

function isHeardByScript(
  { now }: At,
  { thread, text, configuration }: Omit<Written, 'asking'> & { configuration: Configuration },
): boolean {
  const { script, language } = configuration
  if (!script || !thread.script_state?.node) return false
  const { taken } = stepScript(script, thread.script_state, { type: 'heard', text, now }, { language })
  return ['hear', 'intent', 'slot'].includes(taken.reason)
}

/** Undefined if the version is gone or is a draft. */
export async function findConfigurationOf(
  at: At,
  { agent_id, agent_version }: Pick<Row, 'agent_id' | 'agent_version'>,
): Promise<Configuration | undefined> {
  const version_id = agent_version.id
  return version_id === null ? undefined : findConfiguration(at, { agent_id, version_id })
}
