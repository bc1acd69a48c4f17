import type { Configuration } from '../agents/configuration.ts'
import { findConfiguration } from '../agents/find-version.ts'
import { answerWords, isCourtesy, isYesToNoMore } from '../consent/spoken.ts'
import { type Asking, askingOf } from '../consent/written.ts'
import type { Row } from '../conversations/rows.ts'
import { lastWordsTo, list } from '../conversations/turns.ts'
import { isAsked, wasAskedLately } from '../conversations/waiting.ts'
import type { At } from '../kit/at.ts'
import { en } from '../languages/en.ts'
import { fold } from '../languages/fold.ts'
import type { Language } from '../languages/language.ts'
import { findLanguage, languages } from '../languages/languages.ts'
import { stepScript } from '../models/script.ts'

interface WrittenWords {
  /** The conversation as it was before these words. */
  thread: Row
  text: string
  asking: Asking | undefined
}

export interface Decision {
  /** The wish. It is `unclear` if the agent is to ask back. */
  asking?: Asking | undefined
  /** Whether the question stays open, because these words are no answer to it. */
  keeps_question?: boolean
}

/**
 * Decides what the words ask for. The agent asks back once a day, unless the words answer what it has just said. Yes to
 * that question, or a word that may mean yes, is an opt-out.
 */
export async function decide(at: At, { thread, text, asking }: WrittenWords): Promise<Decision> {
  const is_asked = isAsked(thread)
  if (asking && asking.word !== 'unclear') return { asking, keeps_question: is_asked && asking.word === 'help' }
  if (is_asked) return takeAnswer(at, { thread, text, asking })
  if (!asking || thread.status === 'handed_over' || thread.contact_id === null) return {}
  if (await wasAskedLately(at, thread.contact_id)) return {}
  const [configuration, last] = await Promise.all([findConfigurationOf(at, thread), lastWordsTo(at, thread)])
  if (asking.shown.rule === 'word' && last !== undefined && offers(last, asking.shown.words)) return {}
  return configuration && isHeardByScript(at, { thread, text, configuration }) ? {} : { asking }
}

async function takeAnswer(at: At, { thread, text, asking }: WrittenWords): Promise<Decision> {
  const [configuration, question] = await Promise.all([findConfigurationOf(at, thread), findQuestion(at, thread)])
  const known = [question.language, findLanguage(configuration?.language ?? ''), ...question.words_in]
  if (asking?.is_yes_after || isYesToNoMore(text, ...known)) {
    const words = asking?.is_yes_after ? asking.shown.words : answerWords(text)
    const { language } = question
    return {
      asking: { word: 'opt_out', languages: [language], shown: { rule: 'answer', language: language.tag, words } },
    }
  }
  return { keeps_question: text.trim() === '' || isCourtesy(text) }
}

/** The question is looked for in this many turns. Nobody writes more before the answer. */
const looked_back = 10

/** Finds the question that is open: its turn, its language, and the languages of the words that it is about. */
export async function findQuestion(
  at: At,
  { id, turn_count }: Pick<Row, 'id' | 'turn_count'>,
): Promise<{ seq: number | undefined; language: Language; words_in: Language[] }> {
  const turns = await list(at, { conversation_id: id, after: turn_count - looked_back, limit: looked_back })
  const languageOf = (said: string) => languages.find(({ sayings }) => sayings.no_more_question === said)
  const index = turns.findLastIndex(({ role, text }) => role === 'system' && languageOf(text))
  const before = turns.slice(0, Math.max(index, 0)).findLast(({ role }) => role === 'contact')
  return {
    seq: turns[index]?.seq,
    language: languageOf(turns[index]?.text ?? '') ?? en,
    words_in: before ? (askingOf(before.text, { by_sms: true })?.languages ?? []) : [],
  }
}

/** Matches a question mark, except inside of a URL. */
const question_mark = /[?？؟](?![^\s"')»”])/u

/**
 * Whether the word may be an answer to the last words: these are a question, or name the word. "Wochenende" doesn't
 * name "Ende".
 */
const offers = (last: string, word: string): boolean =>
  question_mark.test(last) || new RegExp(`(?<!${latin})${word}(?!${latin})`, 'u').test(fold(last))

/**
 * Only Latin letters are borders of words. Other scripts have no spaces between words, or join short words to others.
 */
const latin = '\\p{Script=Latin}'

function isHeardByScript(
  { now }: At,
  { thread, text, configuration }: Omit<WrittenWords, 'asking'> & { configuration: Configuration },
): boolean {
  const { script, language } = configuration
  if (!script || !thread.script_state?.node) return false
  const { taken } = stepScript(script, thread.script_state, { type: 'heard', text, now }, { language })
  return ['hear', 'intent', 'slot'].includes(taken.reason)
}

/** Finds the configuration. Returns undefined if the version is gone or is a draft. */
export async function findConfigurationOf(
  at: At,
  { agent_id, agent_version }: Pick<Row, 'agent_id' | 'agent_version'>,
): Promise<Configuration | undefined> {
  const version_id = agent_version.id
  return version_id === null ? undefined : findConfiguration(at, { agent_id, version_id })
}
