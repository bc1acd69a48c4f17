import type { Language } from '../languages/language.ts'
import { isOf } from '../languages/languages.ts'
import { type Shown, wishIn } from './spoken.ts'
import { type Word, wordOf } from './words.ts'

/** What someone who has written this asks for. `unclear`: it may be no more calls and messages, or something else. */
export interface Asking {
  word: Word | 'unclear'
  /** The languages that the words may be in. */
  languages: Language[]
  shown: Shown
}

/** Returns undefined if the text asks for nothing. */
export function askingOf(text: string, { by_sms }: { by_sms: boolean }): Asking | undefined {
  const said = wordOf(text, { by_sms })
  const tagOf = ([language]: Language[]): string => language?.tag ?? ''
  if (said) {
    const shown: Shown = { rule: 'word', language: tagOf(said.languages), words: said.text }
    return { word: said.word === 'ordinary' ? 'unclear' : said.word, languages: said.languages, shown }
  }
  const found = wishIn(text)
  if (!found) return undefined
  const { wish, languages, words } = found
  const shown: Shown = { rule: 'sentence', language: languages[0].tag, words }
  return { word: wish === 'opt_out' ? wish : 'unclear', languages, shown }
}

/** Returns the language of the answer: the agent's, if the words may be in it. */
export const answerLanguage = ({ languages }: Asking, agents: string): string =>
  (languages.find((one) => isOf(one, agents)) ?? languages[0])?.tag ?? agents
