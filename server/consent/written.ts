import type { Language } from '../languages/language.ts'
import { isOf } from '../languages/languages.ts'
import { countriesOf } from './countries.ts'
import { type Shown, wishIn } from './spoken.ts'
import { type Word, wordOf } from './words.ts'

/** What someone who has written this asks for. `unclear`: it may be no more calls and messages, or something else. */
export interface Asking {
  word: Word | 'unclear'
  /** The languages that the words may be in. */
  languages: Language[]
  shown: Shown
  /** Whether the words mean yes after the question whether the person wants no more calls and messages. */
  is_yes_after?: boolean
}

/** Matches a "no" at the beginning: "No quiero" after the question means that all goes on. */
const begins_with_no =
  /^(?:(?:no|non|nao|ne|nein|nee|nie|nej|inte|hayir|nahi|mat|मत|नही|لا)(?![\p{L}\p{M}])|不|別|别|唔|いい|いえ|結構|아니)/u

/** Returns undefined if the text asks for nothing. */
export function askingOf(text: string, { by_sms }: { by_sms: boolean }): Asking | undefined {
  const said = wordOf(text, { by_sms })
  const tagOf = ([language]: Language[]): string => language?.tag ?? ''
  if (said) {
    const shown: Shown = { rule: 'word', language: tagOf(said.languages), words: said.text }
    const word = said.word === 'ordinary' ? 'unclear' : said.word
    return { word, languages: said.languages, shown, is_yes_after: !begins_with_no.test(said.text) }
  }
  const found = wishIn(text)
  if (!found) return undefined
  const { wish, languages, words } = found
  const shown: Shown = { rule: 'sentence', language: languages[0].tag, words }
  return { word: wish === 'opt_out' ? wish : 'unclear', languages, shown, is_yes_after: wish === 'stop' }
}

interface AnswerPlace {
  /** The language of the agent. */
  agents: string
  number: string | undefined
}

/**
 * Returns the language of the answer. Where the words may be in several, it is the agent's, or one that is spoken where
 * the number is.
 */
export function answerLanguage({ languages }: Asking, { agents, number }: AnswerPlace): string {
  const own = languages.find((one) => isOf(one, agents))
  if (own || languages.length <= 1) return (own ?? languages[0])?.tag ?? agents
  const spoken = new Set(number === undefined ? [] : countriesOf(number).map(languageOf))
  return (languages.find(({ tag }) => spoken.has(tag)) ?? languages[0])?.tag ?? agents
}

const languageOf = (country: string): string => new Intl.Locale(`und-${country}`).maximize().language
