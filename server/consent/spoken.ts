import { en } from '../languages/en.ts'
import { fold } from '../languages/fold.ts'
import { ja } from '../languages/ja.ts'
import { knownWords } from '../languages/known-words.ts'
import type { Language } from '../languages/language.ts'
import { findLanguage, languages } from '../languages/languages.ts'
import { PhraseIndex } from '../languages/phrase-index.ts'
import { type Found, isStronger, judge, type Wish } from '../languages/wish.ts'
import { apostrophes, sentencesIn } from './sentences.ts'

const stop = 'stop|stopp|stopall|s(?: ,)? t(?: ,)? o(?: ,)? p|aufhoren|(?:horen sie|hort|hor) auf'
const before_stop =
  'no|nein|wait|enough|genug|jetzt|make it|i said|i want you to|i would like you to|(?:can|could|will|would) you|you need to|you must|,'
const after_stop = 'it|this|that|all|now|right now|no|damit|i am not interested|,'
/** Matches "stop" with no more than people say around it. */
const only_stop = new RegExp(`^(?:(?:${before_stop}) )*(?:${stop})(?: (?:${stop}|${before_stop}|${after_stop}))*$`, 'u')

export type { Wish }

/**
 * What shows that someone wants no more calls and messages. It is kept forever, so it has only words that the rules
 * know, or a key.
 */
export interface Shown {
  /** `answer`: a yes to the question. `silence`: nobody has answered it for a day. `key`: a key was pressed in a call. */
  rule: 'word' | 'sentence' | 'answer' | 'silence' | 'key'
  language: string
  words: string
}

export interface WishSaid extends Found {
  /** The languages that the words may be in. */
  languages: [Language, ...Language[]]
}

/** The ledger keeps this many characters of the words. */
const words_max = 100

/**
 * If a text is longer than twice this, only its beginning and its end are read, this many characters each, which bounds
 * the time.
 */
const read_max = 1_000

/**
 * Returns what someone who says this wants, in any language. Words such as "cancel", "end" and "quit" are no wish,
 * because people say them about appointments.
 */
export function wishIn(text: string): WishSaid | undefined {
  const read = text.length > 2 * read_max ? `${text.slice(0, read_max)}\n${text.slice(-read_max)}` : text
  const sentences = sentencesIn(read)
  const found = strongest(sentences.map(wishOf))
  if (found?.wish === 'opt_out')
    return isMeantOtherwise(found, { text: read, sentences }) ? { ...found, wish: 'unclear' } : found
  const whole = sentences.join(' , ')
  if (only_stop.test(whole)) return { wish: 'stop', words: whole.slice(0, words_max), languages: [en] }
  return strongest([found, wishAcross(sentences)])
}

/**
 * Whether this is "stop" and no more than people say around it. Said over the agent's words, it is rather meant for
 * these.
 */
export const isBareStop = (text: string): boolean =>
  text.length <= yes_max && only_stop.test(sentencesIn(text).join(' , '))

const strongest = (all: (WishSaid | undefined)[]): WishSaid | undefined =>
  all.reduce((one, other) => (isStronger(other?.wish, one?.wish) ? other : one), undefined)

let index: PhraseIndex | undefined

/** Returns the strongest wish in a sentence of `sentencesIn`. The time is linear in its length. */
function wishOf(sentence: string): WishSaid | undefined {
  index ??= new PhraseIndex(languages)
  let strongest: (Found & { says: RegExp; languages: WishSaid['languages'] }) | undefined
  let is_english: boolean | undefined
  for (let start = 0; start < sentence.length; start += 1) {
    if (!mayBegin(sentence, start)) continue
    for (const { phrase } of index.phrasesAt(sentence, start)) {
      const { at, language } = phrase
      if (strongest?.wish === 'opt_out' && strongest.languages.includes(language)) continue
      at.lastIndex = start
      const [words] = at.exec(sentence) ?? []
      const found = words === undefined ? undefined : judge(phrase, { sentence, start, words })
      if (!found) continue
      is_english ??= in_english.test(sentence)
      if (is_english && language !== en) continue
      if (isStronger(found.wish, strongest?.wish))
        strongest = { ...found, says: phrase.says, languages: [languageIn(sentence, language)] }
      else if (found.wish === strongest?.wish && !strongest.languages.includes(language))
        strongest.languages.push(language)
    }
  }
  if (!strongest) return undefined
  const { wish, words, says, languages: said_in } = strongest
  return { wish, words: knownWords(says, words), languages: said_in }
}

/** Whether a phrase may begin here: at a word, or at a character of scripts without spaces. */
const mayBegin = (sentence: string, place: number): boolean =>
  place === 0 || sentence.charCodeAt(place - 1) === space || sentence.charCodeAt(place) >= first_unspaced
const space = ' '.charCodeAt(0)
const first_unspaced = 0x3040

/** Words that only English has. Other languages have borrowed the rest: "delete me", "stop spam". */
const in_english = /(?<![^ ])(?:not(?! interested)|never|did|why|the|your|from)(?![^ ])/u
const kana = /[\u3040-\u30ff]/u

/** Returns the language of a phrase in a sentence. Chinese phrases are also found in Japanese sentences. */
const languageIn = (sentence: string, language: Language): Language =>
  language.tag === 'zh' && kana.test(sentence) ? ja : language

/** Whether an opt-out may mean another way, or another time: "email me instead", "don't call me right away". */
function isMeantOtherwise(
  { words, languages: said_in }: WishSaid,
  { text, sentences }: { text: string; sentences: string[] },
): boolean {
  const folded = fold(text)
  const is_not_yet = negation.test(words) && at_once.test(folded) && !for_good.test(folded)
  return is_not_yet || said_in.some(({ opt_outs }) => sentences.some((sentence) => opt_outs.another_way.test(sentence)))
}

const negation = /(?<![^ ])(?:not|nicht|nie|no|ne|n|pas|non|nao|niet|geen|inte|मत|mat)(?![^ ])/u
const for_good =
  /(?<!\p{L})(?:again|more|any|mehr|wieder|mas|nunca|plus|jamais|piu|mai|mais|meer|nooit|wiecej|nigdy|mer|aldrig)(?!\p{L})/u
const at_once = new RegExp(
  `(?<!\\p{L})(?:${languages.flatMap(({ opt_outs }) => (opt_outs.at_once ?? []).map(fold)).join('|')})(?!\\p{L})`,
  'u',
)

/**
 * Makes the index of phrases. That takes a tenth of a second in which nothing else runs, so the service does it while
 * it starts.
 */
export function readPhrases(): void {
  index ??= new PhraseIndex(languages)
}

/**
 * Compiles the patterns, with a pause after each: that takes seconds in all, and a message that needs many of them
 * would hold up others for nearly a second.
 */
export async function compilePatterns(pause: () => Promise<unknown>): Promise<void> {
  index ??= new PhraseIndex(languages)
  for (const pattern of index.patterns()) {
    // Each text is tried twice, because the first time does less. Texts with and without other letters than Latin ones
    // are compiled apart.
    for (const text of ['', '', 'か', 'か']) pattern.test(text)
    pattern.lastIndex = 0
    await pause()
  }
}

/**
 * Returns a wish that is said in several sentences. People say "Stop. Calling. Me.", but "No. More calls, please" is
 * not "no more calls".
 */
function wishAcross(sentences: string[]): WishSaid | undefined {
  const parts = sentences
    .flatMap((sentence) => sentence.split(' , '))
    .filter((part) => part !== 'no' && part !== 'nein')
  if (parts.length < 2) return undefined
  const words_apart = parts
    .map((part) => (part.includes(' ') ? '.' : part))
    .join(' ')
    .split('.')
  const apart = words_apart.map((words) => wishOf(words.trim())).find((found) => found?.wish === 'opt_out')
  if (apart) return apart
  const found = wishOf(parts.join(' '))
  return found?.wish === 'opt_out' ? { ...found, wish: 'unclear' } : undefined
}

/** Longer texts say more than yes. */
const yes_max = 200
const word = /[\p{L}\p{M}\p{N}]+/gu

/** Whether this is a yes to a question that must not be misunderstood, which "great, and my appointment?" is not. */
export const isClearYes = (text: string, language_tag: string): boolean =>
  isYesIn(findLanguage(language_tag) ?? en, text)

/** Whether this is a yes to the question whether someone wants no more calls and messages, in one of these languages or in English. */
export const isYesToNoMore = (text: string, ...known: (Language | undefined)[]): boolean =>
  thumbs.test(text) || new Set([en, ...known]).values().some((language) => language && isYesIn(language, text))

const thumbs = /^\s*(?:(?:👍|👌|✅|✔)\p{M}?\p{Emoji_Modifier}?\s*){1,10}$/u

/** Returns what the ledger keeps of a yes: words that the rules know. */
export const answerWords = (text: string): string => (fold(text).match(word) ?? ['👍']).join(' ').slice(0, words_max)

/** Whether this is "please" or the like, and no more. */
export const isCourtesy = (text: string): boolean =>
  text.length <= yes_max && fold(text).search(word) >= 0 && sentencesIn(text).length === 0

function isYesIn({ answers }: Language, text: string): boolean {
  if (text.length > yes_max) return false
  const toWords = (all: string[]) => all.map((phrase) => fold(phrase.replace(apostrophes, '')))
  const yes = toWords([...answers.yes, ...answers.no_more]).map((phrase) => phrase.split(' '))
  const words = fold(text.replace(apostrophes, '')).match(word) ?? []
  return isMadeOf(words, { phrases: yes, courtesies: toWords(answers.courtesies) })
}

/** Whether the words are some of these phrases, one after the other, perhaps with courtesies between them. */
function isMadeOf(words: string[], { phrases, courtesies }: { phrases: string[][]; courtesies: string[] }): boolean {
  const longest_first = phrases.toSorted((one, other) => other.length - one.length)
  let [index, count] = [0, 0]
  for (let word = words[index]; word !== undefined; word = words[index]) {
    const found = longest_first.find((phrase) => phrase.every((part, offset) => words[index + offset] === part))
    if (!found && !courtesies.includes(word)) return false
    if (found) count += 1
    index += found?.length ?? 1
  }
  return count > 0
}
