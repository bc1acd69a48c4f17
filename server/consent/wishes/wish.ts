/**
 * What someone says in a call about being called:
 *
 * - `opt_out`: they clearly want no more calls and messages.
 * - `stop`: a mere "stop". It may be meant for the agent's words, so the agent asks.
 * - `unclear`: they may want no more calls, or want something else, such as none at work. The agent asks.
 */
export type Wish = 'unclear' | 'stop' | 'opt_out'

const strengths = [undefined, 'unclear', 'stop', 'opt_out']

export const stronger = (one: Wish | undefined, other: Wish | undefined): Wish | undefined =>
  strengths.indexOf(one) > strengths.indexOf(other) ? one : other

const weaker = (one: Wish | undefined, other: Wish | undefined): Wish | undefined =>
  stronger(one, other) === one ? other : one

/** The first pattern that matches decides. */
export type Judgement = [pattern: RegExp, wish: Wish | undefined]

/** A phrase about being called. How clear a wish it is, the words on either side of it say. */
export interface Phrase {
  says: RegExp
  before: Judgement[]
  after: Judgement[]
}

/** So many characters on either side of a phrase are read. It bounds the time. */
const context_max = 120

/** The strongest wish in a sentence of `sentencesIn`. The time is linear in its length. */
export function wishOfSentence(sentence: string, phrases: Phrase[]): Wish | undefined {
  let wish: Wish | undefined
  for (const { says, before, after } of phrases)
    for (const { index, 0: found } of sentence.matchAll(says)) {
      const end = index + found.length
      const said_before = sentence.slice(Math.max(0, index - context_max), index).trimEnd()
      const said_after = sentence.slice(end, end + context_max)
      wish = stronger(wish, weaker(judge(said_before, before), judge(said_after, after)))
    }
  return wish
}

const judge = (text: string, judgements: Judgement[]): Wish | undefined =>
  judgements.find(([pattern]) => pattern.test(text))?.[1]

/** Makes patterns of whole words. Values are alternatives, separated by bars. */
const patternWith =
  (start: string, end: string, flags = 'u') =>
  (parts: TemplateStringsArray, ...values: string[]): RegExp =>
    new RegExp(`${start}(?:${String.raw(parts, ...values.map((value) => `(?:${value})`))})${end}`, flags)

export const says = patternWith('(?<![^ ])', '(?![^ ])', 'gu')
/** For the words before a phrase. */
export const endsWith = patternWith('(?<![^ ])', '$')
/** For the words after a phrase. */
export const startsWith = patternWith('^ ', '(?![^ ])')
export const contains = patternWith('(?<![^ ])', '(?![^ ])')
export const nothing = /^$/
export const anything = /^/
