import type { Intent, IntentPhrases, Language } from './languages/language.ts'
import { type Heard, isSpelledLike, type Score, wordsOf } from './matching.ts'

/** Shorter words are part of too many names to count as one. */
const name_length_min = 2

/**
 * Returns how many words of the intent were heard. `names` are those of people and places that the agent may hand over
 * to.
 */
export function scoreIntent(intent: Intent, heard: Heard, names: readonly string[] = []): Score | undefined {
  const { language, unique_words } = heard
  const { anywhere, in_statements, by_name, but } = readPhrases(language.intents[intent], language)
  const { text, stated, words } = readingOf(heard)
  // A goodbye ends the conversation, and a person who asks something wants an answer.
  if (intent === 'goodbye' && stated !== text) return undefined
  const is_negated = intent === 'yes' && language.negations.some((word) => unique_words.has(word))
  const longest = (phrases: Phrase[], searched: string) => {
    const left = but
      .filter((phrase) => mayBeIn(words, phrase))
      .reduce((rest, { pattern }) => rest.replace(pattern(), '-'), searched)
    const found = phrases
      .filter((phrase) => mayBeIn(words, phrase) && (!is_negated || phrase.is_negation))
      .flatMap(({ pattern }) =>
        Array.from(left.matchAll(pattern()), ([, phrase = '']) => phrase.match(word)?.length ?? 0),
      )
    return Math.max(0, ...found)
  }
  const length = Math.max(
    longest(anywhere, text),
    longest(in_statements, stated),
    by_name.length > 0 && names.length > 0 ? longest(by_name, withNames(text, language, names)) : 0,
  )
  return length > 0 ? { score: 1, length } : undefined
}

const mayBeIn = (words: ReadonlySet<string>, { required }: Phrase): boolean =>
  required.every((some) => some.some((one) => words.has(one)))

/** Whether the words ask for something that may be a name. */
export function mayAskByName(heard: Heard): boolean {
  const { language } = heard
  const { text, words } = readingOf(heard)
  const asking = readPhrases(language.intents.human, language).by_name.filter((phrase) => mayBeIn(words, phrase))
  return asking.some(({ pattern }) => withNames(text, language).search(pattern()) >= 0)
}

/** Marks the words of names, or all words that may be one. */
function withNames(text: string, language: Language, names?: readonly string[]): string {
  const known = names && new Set(names.flatMap((name) => wordsOf(name, language)))
  return text.replace(word, (one) => {
    const may_be_name = one.length >= name_length_min && !language.not_names.includes(one)
    return may_be_name && known?.has(one) !== false ? `@${one}` : one
  })
}

/**
 * The words of a message with marks: `^` where a clause begins and `$` where it ends, also beside words such as "well" and "thanks";
 * `~` before a filler, `@` before a name, `,` between clauses and `.` between sentences.
 */
interface MarkedText {
  text: string
  /** The text without the clauses that ask something. */
  stated: string
  words: ReadonlySet<string>
}

const word = /[\p{L}\p{M}\p{N}]+/gu
const sentence = /(?:[^.!?\n]|\.(?=[\p{L}\p{N}]))+[.!?]*/gu
const clause_end = /[;()"“”„—–…]|[,:](?!\d)|\s-\s/u

const readings = new WeakMap<Heard, MarkedText>()

function readingOf(heard: Heard): MarkedText {
  const known = readings.get(heard)
  if (known) return known
  const sentences = (heard.text.match(sentence) ?? [])
    .map((text) => clausesOf(text, heard.language))
    .filter((clauses) => clauses.length > 0)
  const toText = (shown: Clause[][]) =>
    ` ${shown.map((clauses) => clauses.map(({ text }) => text).join(' , ')).join(' . ')} `
  const stated = sentences.map((clauses) => clauses.filter(({ asks }) => !asks))
  const text = toText(sentences)
  const reading = { text, stated: toText(stated), words: new Set(text.match(word)) }
  readings.set(heard, reading)
  return reading
}

interface Clause {
  text: string
  asks: boolean
}

function clausesOf(sentence_text: string, language: Language): Clause[] {
  const { openers, closers, fillers, question } = language
  const clauses = sentence_text
    .split(clause_end)
    .map((clause) => wordsOf(clause, language).map((one) => spelledWell(one, language)))
    .filter((words) => words.length > 0)
    .map((words) => {
      const telling = words.findIndex((one) => !openers.includes(one))
      const first = telling === -1 ? words.length : telling
      const last = words.findLastIndex((one) => !closers.includes(one))
      const marked = words.map(
        (one, index) =>
          `${index <= first ? '^' : ''}${fillers.includes(one) ? '~' : ''}${one}${index >= last ? '$' : ''}`,
      )
      return { text: marked.join(' '), is_question: question.test(words.slice(first).join(' ')) }
    })
  // "Sure, what does it cost?" states something before it asks.
  const asking = Math.max(
    0,
    clauses.findIndex(({ is_question }) => is_question),
  )
  const asks_from = sentence_text.trimEnd().endsWith('?') ? asking : clauses.length
  return clauses.map(({ text, is_question }, index) => ({ text, asks: is_question || index >= asks_from }))
}

interface Phrase {
  /**
   * Matches the phrase as its first group. The pattern is made when it is needed, because few messages have all words
   * of a phrase.
   */
  pattern: () => RegExp
  /** A word of each of these lists must be heard. */
  required: string[][]
  is_negation: boolean
}

type Phrases = Record<keyof IntentPhrases, Phrase[]>

const phrases_by_lists = new WeakMap<IntentPhrases, Phrases>()

/** Returns the phrases of an intent, which are read once. */
function readPhrases(lists: IntentPhrases, language: Language): Phrases {
  const known = phrases_by_lists.get(lists)
  if (known) return known
  const read = (list: string[] = []) => list.map((phrase) => readPhrase(phrase, language))
  const phrases = {
    anywhere: read(lists.anywhere),
    in_statements: read(lists.in_statements),
    by_name: read(lists.by_name),
    but: read(lists.but),
  }
  phrases_by_lists.set(lists, phrases)
  return phrases
}

const gap = ' (?:[^ ,.]+ ){0,3}?'
const name = '\\^?~?@[^ ]+(?: \\^?~?@[^ ]+){0,3}'
const space = ' (?:, )?'
const between = `${space}(?:\\^?~@?[^ ]+${space}){0,3}`
const oneOf = (words: string[]): string => `\\^?~?@?(?:${words.join('|')})\\$?`

function readPhrase(phrase: string, language: Language): Phrase {
  const parts = phrase.replace(/^[=^]|\$$/g, '').split(' ')
  const required = parts
    .filter((part) => !part.startsWith('[') && part !== '@' && part !== '…')
    .map((part) => wordsOfPart(part, language))
  let pattern: RegExp | undefined
  return {
    pattern: () => (pattern ??= patternOf(phrase, parts, language)),
    required,
    is_negation: required.flat().some((one) => language.negations.includes(one)),
  }
}

const wordsOfPart = (part: string, language: Language): string[] =>
  part.split('/').flatMap((one) => wordsOf(one, language))

/**
 * Returns a pattern for a phrase, which takes linear time: repetitions are bounded, except those around a whole
 * message, which begin at its start.
 */
function patternOf(phrase: string, parts: string[], language: Language): RegExp {
  let source = ''
  let joint = ''
  for (const part of parts) {
    if (part === '…') {
      joint = gap
      continue
    }
    const found = part === '@' ? name : oneOf(wordsOfPart(part, language))
    if (part.startsWith('[')) source += joint ? `(?:${joint}${found})?` : `(?:${found}${between})?`
    else {
      source += joint + found
      joint = between
    }
  }
  const is_whole = phrase.startsWith('=')
  const start = is_whole
    ? `^ (?:${oneOf(language.openers)}${space})*`
    : `(?<= )${phrase.startsWith('^') ? '(?=\\^)' : ''}`
  const end = is_whole ? `(?:${space}${oneOf(language.closers)})* $` : `${phrase.endsWith('$') ? '(?<=\\$)' : ''}(?= )`
  return new RegExp(`${start}(${source})${end}`, 'g')
}

const words_by_language = new WeakMap<Language, ReadonlySet<string>>()

/** Returns the words that the phrases of intents are made of. */
function wordsOfIntents(language: Language): ReadonlySet<string> {
  const known = words_by_language.get(language)
  if (known) return known
  const phrases = Object.values(language.intents).flatMap((lists) => Object.values(lists).flat())
  const words = new Set(phrases.flatMap((phrase) => wordsOf(phrase, language)))
  words_by_language.set(language, words)
  return words
}

/** Returns the word of an intent that was meant. A typo doesn't change its first letter: "fever" is not "never". */
function spelledWell(one: string, language: Language): string {
  const words = wordsOfIntents(language)
  if (words.has(one)) return one
  return words.values().find((other) => other[0] === one[0] && isSpelledLike(one, other)) ?? one
}
