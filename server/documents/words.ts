import { truncate } from '../kit/text.ts'

/** The languages whose words PostgreSQL knows in all their forms, with its names for them. */
const configurations: Record<string, string> = {
  ar: 'arabic',
  ca: 'catalan',
  da: 'danish',
  de: 'german',
  el: 'greek',
  en: 'english',
  es: 'spanish',
  et: 'estonian',
  eu: 'basque',
  fi: 'finnish',
  fr: 'french',
  ga: 'irish',
  hi: 'hindi',
  hu: 'hungarian',
  hy: 'armenian',
  id: 'indonesian',
  it: 'italian',
  lt: 'lithuanian',
  nb: 'norwegian',
  ne: 'nepali',
  nl: 'dutch',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sr: 'serbian',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
  yi: 'yiddish',
}

/** Returns the configuration of a language. Texts in other languages are found by the words as they are written. */
export const configurationOf = (language: string): string =>
  configurations[language.split('-')[0]?.toLowerCase() ?? ''] ?? 'simple'

const no_word = /[^\p{L}\p{M}\p{N}]+/gu
/** Matches the places at which a name such as `readFile` or `HTTPServer` has another word. */
const inner_borders = /(?<=\p{Ll}|\p{N})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u
const inner_border = /\p{Ll}\p{Lu}|\p{N}\p{Lu}|\p{Lu}{2}\p{Ll}/u
/** Longer words count by this many characters of their beginning. */
const word_length_max = 40
/** Words longer than this, and those with digits among so many letters, are keys or encoded files. */
const letters_max = 100
const letters_only = /^[\p{L}\p{M}]+$/u
/** These scripts are written without blanks between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu

/**
 * Prepares a text for `to_tsvector`: words only, because PostgreSQL takes paths and host names for one word. A joined
 * name such as `readFile` is there as a whole and in parts, and a text without blanks as all pairs of neighbouring
 * characters.
 */
export function plainWords(text: string): string {
  const words: string[] = []
  for (const word of composed(text).replace(unspaced, inPairs).split(no_word)) {
    if (word === '') continue
    if (word.length > word_length_max) {
      if (word.length <= letters_max && letters_only.test(word)) words.push(truncate(word, word_length_max))
      continue
    }
    words.push(word)
    if (inner_border.test(word)) words.push(...word.split(inner_borders))
  }
  return words.join(' ')
}

/** Gives one form to what can be written in several, such as "ä" and "ﬁ". Letters that would become a sentence stay. */
function composed(text: string): string {
  const all = text.normalize('NFKC')
  return all.length > 2 * text.length ? text.normalize('NFC') : all
}

function inPairs(run: string): string {
  const characters = [...run]
  if (characters.length === 1) return ` ${run} `
  const pairs = characters.slice(1).map((character, index) => `${characters[index]}${character}`)
  return ` ${pairs.join(' ')} `
}
