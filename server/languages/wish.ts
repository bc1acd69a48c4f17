import { fold } from './fold.ts'

/**
 * What someone says about being called or written to:
 *
 * - `opt_out`: they clearly want no more calls and messages.
 * - `stop`: a mere "stop". It may be meant for the agent's words, so the agent asks.
 * - `unclear`: they may want no more calls, or want something else, such as none at work. The agent asks.
 */
export type Wish = 'unclear' | 'stop' | 'opt_out'

const strengths = [undefined, 'unclear', 'stop', 'opt_out']

export const isStronger = (one: Wish | undefined, other: Wish | undefined): boolean =>
  strengths.indexOf(one) > strengths.indexOf(other)

const weaker = (one: Wish | undefined, other: Wish | undefined): Wish | undefined =>
  isStronger(one, other) ? other : one

/** Judges words by a pattern. Of several judgements, the first whose pattern matches decides. */
export type Judgement = [pattern: RegExp, wish: Wish | undefined]

/** A phrase about being called. The words on either side say how clear a wish it is. */
export interface Phrase {
  says: RegExp
  before: Judgement[]
  after: Judgement[]
}

/** Phrases with the same judgement of what stands around them. */
export const phrasesOf = (before: Judgement[], after: Judgement[], ...patterns: RegExp[]): Phrase[] =>
  patterns.map((pattern) => ({ says: pattern, before, after }))

/** How many characters on either side of a phrase are read. This bounds the time. */
const context_max = 120

export interface Found {
  wish: Wish
  /** The words of the phrase, folded. */
  words: string
}

/** Returns what a phrase asks for, in the sentence where it was found. */
export function judge(
  { before, after }: Phrase,
  { sentence, start, words }: { sentence: string; start: number; words: string },
): Found | undefined {
  const end = start + words.length
  const wish_before = firstOf(before, sentence.slice(Math.max(0, start - context_max), start).trimEnd())
  const wish = wish_before && weaker(wish_before, firstOf(after, sentence.slice(end, end + context_max)))
  return wish && { wish, words }
}

const firstOf = (judgements: Judgement[], text: string): Wish | undefined =>
  judgements.find(([pattern]) => pattern.test(text))?.[1]

const not_ascii = /[^ -~]+/gu

type PatternMaker = (parts: TemplateStringsArray, ...values: string[]) => RegExp

/** Makes patterns of folded words. Values are alternatives, separated by bars. */
const patternWith =
  (start: string, end: string, spell: (source: string) => string = (source) => source): PatternMaker =>
  (parts, ...values) => {
    const source = String.raw(parts, ...values.map((value) => `(?:${value})`))
    return new RegExp(`${start}(?:${spell(source).replace(not_ascii, fold)})${end}`, 'u')
  }

/** Patterns for whole words begin with this. */
export const word_start = '(?<![^ ])'
export const word_end = '(?![^ ])'
export const says = patternWith(word_start, word_end)
/** Matches any of these ways to say it. */
export const saysAny = (...ways: string[]): RegExp => says`${ways.join('|')}`
/** Makes patterns for the words before a phrase. */
export const endsWith = patternWith(word_start, '$')
/** Makes patterns for the words after a phrase. */
export const startsWith = patternWith('^ ', word_end)
export const contains = patternWith(word_start, word_end)

/** Parts of a pattern that are no letters, such as classes and repeats. */
const no_letters = String.raw`\[[^\]]*\]|\\.|\(\?(?:<?[!=]|:)|\{[^}]*\}`
const not_repeated = '(?![?*+{])'

/**
 * Makes patterns that allow mistakes, too. Each way has letters and the pattern that stands for them. The first way
 * that fits counts. Both are patterns. The letters may look around in the source of the pattern.
 */
export function spelledBy(ways: [letters: string, pattern: string][]): {
  says: PatternMaker
  endsWith: PatternMaker
  startsWith: PatternMaker
  contains: PatternMaker
} {
  const letters = ways.map(([letters]) => `(${letters})${not_repeated}`).join('|')
  const place = new RegExp(`${no_letters}|${letters}`, 'gu')
  const spell = (source: string): string =>
    source.replace(place, (found, ...groups) => ways[groups.slice(0, ways.length).findIndex(Boolean)]?.[1] ?? found)
  return {
    says: patternWith(word_start, word_end, spell),
    endsWith: patternWith(word_start, '$', spell),
    startsWith: patternWith('^ ', word_end, spell),
    contains: patternWith(word_start, word_end, spell),
  }
}
/** Matches a whole word in the source of a pattern. */
export const wholeWord = (word: string): string => `(?<![a-z\\]])${word}(?![a-z[])`

/** Makes patterns for languages that are written without spaces. */
export const unspaced = {
  says: patternWith('', ''),
  endsWith: patternWith('', '$'),
  startsWith: patternWith('^ ?', ''),
  contains: patternWith('', ''),
}
export const nothing = /^$/
export const anything = /^/
