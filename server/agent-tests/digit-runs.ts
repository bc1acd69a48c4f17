import { normalizeText } from '../kit/text.ts'
import { type Language, ownValue } from '../models/matching.ts'

/** Digits that follow each other in a text, written or spoken: "(415) 555-01", "four one five, double five". */
export interface DigitRun {
  start: number
  end: number
  digits: string
  tokens: DigitToken[]
}

export interface DigitToken {
  start: number
  end: number
  /** The digits that the token stands for. Words such as "double" have none. */
  digits: string
  /** Whether the token is written in digits, not in words. */
  is_written: boolean
}

const token_pattern = /\p{Nd}+|\p{L}[\p{L}\p{M}]*/gu
/** The signs that may be between digits: spaces, dashes, dots, brackets and signs that are not seen. */
const between = /^[^\p{L}\p{N}]{0,4}$/u

/** Writes the digits of other scripts as 0 to 9. */
export const asciiDigits = (text: string): string =>
  text.replace(/(?![0-9])\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0
    // Unicode has digits in groups of ten.
    let before = 0
    while (/\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before += 1
    return String(before % 10)
  })

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
    const word = normalizeText(asciiDigits(found))
    const token = { start: index, end: index + found.length, is_written: /^\d/.test(word) }
    const repeats = ownValue(language.repetitions, word)
    const digits = digitsOf(word, language)
    // "forty one" is 41, so the zero of "forty" goes.
    const last = tokens.at(-1)
    if (last && isTens(last) && digits?.length === 1 && digits !== '0' && !token.is_written)
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

const isTens = ({ digits, is_written }: DigitToken): boolean => /^[2-9]0$/.test(digits) && !is_written

function digitsOf(word: string, language: Language): string | undefined {
  if (/^\d+$/.test(word)) return word
  if (language.zero_names.includes(word)) return '0'
  const number = ownValue(language.numbers, word)
  return number === undefined ? undefined : String(number)
}

/** Writes the tokens with other digits, of which there are as many. Words stay words. */
export function spokenDigits(text: string, tokens: DigitToken[], digits: string, language: Language): string {
  const names = Object.entries(language.numbers)
  const nameOf = (digit: string) => names.find(([, number]) => number === Number(digit))?.[0] ?? digit
  let [said, position, used] = ['', tokens[0]?.start ?? 0, 0]
  for (const [index, token] of tokens.entries()) {
    said += text.slice(position, token.start)
    if (token.digits === '') {
      position = tokens[index + 1]?.start ?? token.end
      continue
    }
    const own = digits.slice(used, used + token.digits.length)
    used += token.digits.length
    said += token.is_written ? own : [...own].map(nameOf).join(' ')
    position = token.end
  }
  return said
}
