import { languageOf, listen } from '../models/matching.ts'
import * as english from './wishes/english.ts'
import * as german from './wishes/german.ts'
import { sentencesIn } from './wishes/sentences.ts'
import { stronger, type Wish, wishOfSentence } from './wishes/wish.ts'

const stop = 'stop|stopp|stopall|s(?: ,)? t(?: ,)? o(?: ,)? p|aufhören|(?:hören sie|hört|hör) auf'
const before_stop =
  'no|nein|wait|enough|genug|jetzt|make it|i said|i want you to|i would like you to|(?:can|could|will|would) you|you need to|you must|,'
const after_stop = 'it|this|that|all|now|right now|no|damit|i am not interested|,'
/** Without more than people say around it. */
const only_stop = new RegExp(`^(?:(?:${before_stop}) )*(?:${stop})(?: (?:${stop}|${before_stop}|${after_stop}))*$`, 'u')

export type { Wish }

/**
 * What someone who says this in a call wants. Words such as "cancel", "end" and "quit" are no wish: people say them about
 * appointments.
 */
export function wishIn(text: string): Wish | undefined {
  const sentences = sentencesIn(text)
  const wish = sentences.map(wishOf).reduce(stronger, undefined)
  if (wish === 'opt_out') return sentences.some(namesAnotherWay) ? 'unclear' : wish
  if (only_stop.test(sentences.join(' , '))) return 'stop'
  return stronger(wish, wishAcross(sentences))
}

const phrases = [...english.phrases, ...german.phrases]
/** One search instead of one for each: most sentences have none of them. */
const some_phrase = new RegExp(phrases.map(({ says }) => says.source).join('|'), 'u')
const wishOf = (sentence: string): Wish | undefined =>
  some_phrase.test(sentence) ? wishOfSentence(sentence, phrases) : undefined

/** An alphabet that the patterns are compiled for on its own, and one with the letters of other scripts. */
const of_both_widths = ['hello there', 'привет']
/** They are compiled when they are first used, and once more when they are used again. */
const uses_until_compiled = 2

/**
 * Compiles the patterns. It takes a tenth of a second in which nothing else runs, so the service does it while it starts: later the
 * first words of a call would make all others wait.
 */
export function compilePatterns(): void {
  for (const text of of_both_widths) for (let use = 0; use < uses_until_compiled; use += 1) some_phrase.test(text)
}

const namesAnotherWay = (sentence: string): boolean =>
  english.another_way.test(sentence) || german.another_way.test(sentence)

/** People also say "Stop. Calling. Me.", but "No. More calls, please" is not "no more calls". */
function wishAcross(sentences: string[]): Wish | undefined {
  const parts = sentences
    .flatMap((sentence) => sentence.split(' , '))
    .filter((part) => part !== 'no' && part !== 'nein')
  if (parts.length < 2) return undefined
  const words_apart = parts
    .map((part) => (part.includes(' ') ? '.' : part))
    .join(' ')
    .split('.')
  if (words_apart.some((words) => wishOf(words.trim()) === 'opt_out')) return 'opt_out'
  return wishOf(parts.join(' ')) === 'opt_out' ? 'unclear' : undefined
}

/** Longer words say more than yes. */
const yes_max = 200

/** Whether this is a yes to a question that must not be misunderstood: not "great, and my appointment?". */
export function isClearYes(text: string, language_tag: string): boolean {
  if (text.length > yes_max) return false
  const language = languageOf(language_tag)
  const { answers } = language
  const yes = [...answers.yes, ...answers.no_more].map((phrase) => phrase.split(' '))
  return isMadeOf(listen(text, language).words, { phrases: yes, courtesies: answers.courtesies })
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
