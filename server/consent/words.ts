import { fold } from '../languages/fold.ts'
import type { Language } from '../languages/language.ts'
import { languages } from '../languages/languages.ts'
import { fillers } from './sentences.ts'

export type Word = 'opt_out' | 'opt_in' | 'help'

/** What a message of one word asks for. `ordinary`: it may ask for no more messages, or answer something else. */
export interface WordSaid {
  word: Word | 'ordinary'
  /** The languages that have the word. */
  languages: Language[]
  /** The word, folded and once. */
  text: string
}

interface KnownText extends WordSaid {
  words: string[]
  is_by_sms: boolean
}

interface ListedText {
  text: string
  word: WordSaid['word']
  language: Language
  is_by_sms?: boolean
}

function listOf(language: Language): ListedText[] {
  const { opt_outs, opt_in_words, help_words } = language
  const of = (all: string[], word: WordSaid['word']): ListedText[] =>
    all.map((text) => ({ text: fold(text), word, language }))
  return [
    ...of(opt_outs.words, 'opt_out'),
    ...of(opt_outs.sms_words ?? [], 'opt_out').map((listed) => ({ ...listed, is_by_sms: true })),
    ...of(opt_outs.ordinary_words, 'ordinary'),
    ...of(opt_in_words, 'opt_in'),
    ...of(help_words, 'help'),
  ]
}

function toKnown(text: string, all: ListedText[]): KnownText {
  const meanings = new Set(all.map(({ word }) => word))
  const [word = 'ordinary'] = meanings.size === 1 ? meanings : []
  const is_by_sms = all.some((one) => one.is_by_sms)
  return { text, words: text.split(' '), word, is_by_sms, languages: all.map(({ language }) => language) }
}

/**
 * Known texts by their first word, the longest first. A text that another language uses otherwise is an ordinary one.
 */
const known_words = Map.groupBy(
  [...Map.groupBy(languages.flatMap(listOf), ({ text }) => text)]
    .map(([text, all]) => toKnown(text, all))
    .sort((one, other) => other.words.length - one.words.length),
  ({ words }) => words[0],
)

/** A longer message says more than one word, however often it is repeated. */
const length_max = 200

const before_words = /^[^\p{L}\p{N}]+/u
/**
 * Matches the beginning of a signature: a line that begins with "Sent from", or with two hyphens, of which telephones
 * make a dash. Every line break of Unicode counts.
 */
const signature = /[\n\v\f\r\u0085\u2028\u2029][^\S\n\v\f\r\u2028\u2029]*(?:sent\sfrom\b|--|—)/iu
const signature_start_max = length_max + 100

/** Returns what the whole message asks for: one word, which may be repeated. A signature doesn't count. */
export function wordOf(text: string, { by_sms = true } = {}): WordSaid | undefined {
  const [message = ''] = text.trim().replace(before_words, '').slice(0, signature_start_max).split(signature, 1)
  if (message.length > length_max) return undefined
  const folded = fold(message)
  if (beginsOtherwise(folded)) return undefined
  const all = wordsIn(folded)
  const words = withoutFillers(all)
  const is_prescribed = by_sms && words.length === all.length
  let said: WordSaid | undefined
  for (let index = 0; index < words.length; ) {
    const found = known_words
      .get(words[index])
      ?.find((known) => known.words.every((word, offset) => words[index + offset] === word))
    const meaning = found?.is_by_sms && !is_prescribed ? 'ordinary' : found?.word
    if (!found || !meaning || (said && said.word !== meaning)) return undefined
    said ??= { word: meaning, languages: found.languages, text: found.text }
    index += found.words.length
  }
  return said
}

const word = /[\p{L}\p{M}\p{N}]+/gu
const single_letters = /(?<![^ ])[^ ](?: [^ ](?![^ ]))+/gu
const repeated_word = /^(.{2,}?)\1+$/u

const first_word = /[\p{L}\p{M}\p{N}]+/u

/** Whether no known word begins the text, as in most texts. One or two letters may begin a word that is spaced out. */
function beginsOtherwise(folded: string): boolean {
  const [first = ''] = first_word.exec(folded) ?? []
  return first.length > 2 && !fillers.has(first) && !known_words.has(first)
}

/**
 * Returns the words of a short text, without punctuation and symbols. Words that people also write letter by letter are
 * one: S.T.O.P.
 */
function wordsIn(folded: string): string[] {
  const words = folded.match(word) ?? []
  return words
    .join(' ')
    .replace(single_letters, (letters) => letters.replaceAll(' ', '').replace(repeated_word, '$1'))
    .split(' ')
}

/** Leaves out fillers, as in "Stop, please." A message of fillers alone stays as it is. */
const withoutFillers = (words: string[]): string[] => {
  const rest = words.filter((word) => !fillers.has(word))
  return rest.length > 0 ? rest : words
}
