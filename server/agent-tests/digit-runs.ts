import { normalizeText } from '../kit/text.ts'
import { type Language, ownValue } from '../models/matching.ts'

/** Digits that follow each other in a text, written or spoken: "(415) 555-01", "four one five, double five". */
export interface DigitRun {
  start: number
  end: number
  digits: string
  tokens: DigitToken[]
}

interface DigitToken {
  start: number
  end: number
  /** None for words such as "double". */
  digits: string
}

const token_pattern = /\d+|[\p{L}\p{M}]+/gu
const between = /^[\s().,/+-]{0,3}$/

export function digitRuns(text: string, language: Language): DigitRun[] {
  const runs: DigitRun[] = []
  let tokens: DigitToken[] = []
  let times = 1
  const end = () => {
    while (tokens.at(-1)?.digits === '') tokens.pop()
    const digits = tokens.map((token) => token.digits).join('')
    const [first, last] = [tokens[0], tokens.at(-1)]
    if (first && last && digits !== '') runs.push({ start: first.start, end: last.end, digits, tokens })
    tokens = []
    times = 1
  }
  for (const { 0: found, index } of text.matchAll(token_pattern)) {
    const before = tokens.at(-1)
    if (before && !between.test(text.slice(before.end, index))) end()
    const word = normalizeText(found)
    const token = { start: index, end: index + found.length }
    const repeats = ownValue(language.repetitions, word)
    const digits = digitsOf(word, language)
    // "forty one" is 41.
    const last = tokens.at(-1)
    if (last && isTens(last, text) && digits?.length === 1 && digits !== '0' && !/^\d/.test(word))
      last.digits = last.digits.slice(0, 1)
    if (repeats !== undefined) {
      tokens.push({ ...token, digits: '' })
      times = repeats
    } else if (digits === undefined) end()
    else {
      tokens.push({ ...token, digits: digits.length === 1 ? digits.repeat(times) : digits })
      times = 1
    }
  }
  end()
  return runs
}

const isTens = ({ start, digits }: DigitToken, text: string): boolean =>
  /^[2-9]0$/.test(digits) && !/\d/.test(text[start] ?? '')

function digitsOf(word: string, language: Language): string | undefined {
  if (/^\d+$/.test(word)) return word
  if (language.zero_names.includes(word)) return '0'
  const number = ownValue(language.numbers, word)
  return number === undefined ? undefined : String(number)
}

/** The text of the run with other digits, of which there are as many. Words stay words. */
export function spokenDigits(text: string, { start, tokens }: DigitRun, digits: string, language: Language): string {
  const names = Object.entries(language.numbers)
  const nameOf = (digit: string) => names.find(([, number]) => number === Number(digit))?.[0] ?? digit
  let [said, position, used] = ['', start, 0]
  for (const token of tokens) {
    const own = digits.slice(used, used + token.digits.length)
    used += token.digits.length
    const is_written = /^\d/.test(text.slice(token.start, token.end))
    said += token.digits === '' ? '' : text.slice(position, token.start)
    said += is_written ? own : [...own].map(nameOf).join(' ')
    position = token.end
  }
  return said
}
