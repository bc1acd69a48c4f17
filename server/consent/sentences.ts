import { fold } from '../languages/fold.ts'
import { languages } from '../languages/languages.ts'

const all_fillers = languages.flatMap(({ opt_outs }) => [...opt_outs.fillers, ...(opt_outs.at_once ?? [])].map(fold))
export const fillers = new Set(all_fillers.filter((filler) => !filler.includes(' ')))
const filler_pairs = new Set(all_fillers.filter((filler) => filler.includes(' ')))
const second_fillers = new Set([...filler_pairs].map((pair) => pair.split(' ')[1]))

const short_forms = {
  "don't": 'do not',
  "doesn't": 'does not',
  "didn't": 'did not',
  "won't": 'will not',
  "wouldn't": 'would not',
  "can't": 'can not',
  cannot: 'can not',
  "couldn't": 'could not',
  "shouldn't": 'should not',
  "mustn't": 'must not',
  "isn't": 'is not',
  "wasn't": 'was not',
  "haven't": 'have not',
  "hasn't": 'has not',
  "hadn't": 'had not',
  "i'm": 'i am',
  "i've": 'i have',
  "we've": 'we have',
  "you've": 'you have',
  "you're": 'you are',
  "you'll": 'you will',
  "they'll": 'they will',
  wanna: 'want to',
  gonna: 'going to',
  // These words are misspelt.
  recieve: 'receive',
  recieved: 'received',
  recieving: 'receiving',
  wnat: 'want',
}
/** Short forms that are other words without an apostrophe. */
const ambiguous_short_forms = {
  "i'll": 'i will',
  "i'd": 'i would',
  "we'll": 'we will',
  "we'd": 'we would',
  "we're": 'we are',
  "he'll": 'he will',
  "she'll": 'she will',
}
const full_forms = new Map([
  ...Object.entries(ambiguous_short_forms),
  ...Object.entries(short_forms),
  // People and speech recognition leave out apostrophes, so these forms count as well.
  ...Object.entries(short_forms).map(([short, full]): [string, string] => [short.replace("'", ''), full]),
])

/** The ends of short forms, which may be words of their own. */
const form_ends = new Set([...full_forms.keys()].flatMap((form) => [...form].map((_, index) => form.slice(index + 1))))

const sentence_end = /[.!?;…。｡؟؛।॥\n\v\f\r\u0085\u2028\u2029]+/u
const commas = /[、،]/gu
export const apostrophes = /['’‘ʼ`´]/gu
/** Matches spaces between characters of Chinese and Japanese, which mean nothing there. */
const needless_space = /(?<=[\u3040-\u9fff])[^\S\n]+(?=[\u3040-\u9fff])/gu
/** A beginning that is said again, such as the first letter of "s-stop". */
const stutter = /(?<!\p{L})(\p{L}{1,3})-+ ?(?=\1)/gu
const withoutStutter = (text: string): string => (text.includes('-') ? text.replace(stutter, '') : text)
/** Matches letters that are drawn out: "nooo", "smsss". No word has a letter three times in a row. */
const drawn_out = /([a-z])\1{2,}/gu
/** Matches a word, a comma or a plus. Where it isn't part of a number, people write a plus for their word "more". */
const word = /[\p{L}\p{M}\p{N}]+(?:'[\p{L}\p{M}\p{N}]+)*|,|(?<![\p{N}+])\+(?!\s?[\p{N}+])/gu
/** Matches "stp" where it means "stop". In French it is short for "please". */
const short_stop = /(?<!\p{L})stp(?= (?:\p{L}+ing|the|these|your|calls|texts|messages)(?!\p{L}))/gu

/**
 * Returns the sentences of a text as folded words, separated by a space. Commas are words. Contractions are written
 * out. Fillers, such as "please", and words that are said twice in a row are left out.
 */
export const sentencesIn = (text: string): string[] =>
  withoutStutter(fold(text.replace(apostrophes, "'")).replace(commas, ',').replace(needless_space, ''))
    .replace(drawn_out, '$1')
    .replace(short_stop, 'stop')
    .split(sentence_end)
    .map((sentence) => plainWords(sentence.match(word) ?? []).join(' '))
    .filter((sentence) => sentence !== '')

function plainWords(words: string[]): string[] {
  const result: string[] = []
  for (const word of words) {
    const last = result.at(-1) ?? ','
    // Speech recognition may write "don't" as "do n't" or "don t".
    const in_two = form_ends.has(word) ? full_forms.get(last + word) : undefined
    const is_pair = second_fillers.has(word) && filler_pairs.has(`${last} ${word}`)
    if (in_two || is_pair) result.pop()
    if (is_pair || fillers.has(word) || (word === ',' && last === ',')) continue
    const full = in_two ?? full_forms.get(word)
    if (full) for (const one of full.split(' ')) addWord(result, one)
    else addWord(result, word.includes("'") ? word.replaceAll("'", '') : word)
  }
  return result.at(-1) === ',' ? result.slice(0, -1) : result
}

const repeated_words_max = 3

/** Adds a word, unless it repeats those before: people say "stop stop calling me" and "do not do not call me". */
function addWord(words: string[], word: string): void {
  words.push(word)
  for (let count = 1; count <= repeated_words_max; count += 1)
    if (isRepeated(words, count)) {
      words.length -= count
      return
    }
}

function isRepeated(words: string[], count: number): boolean {
  const end = words.length
  if (end < 2 * count) return false
  for (let index = end - count; index < end; index += 1) if (words[index] !== words[index - count]) return false
  return true
}
