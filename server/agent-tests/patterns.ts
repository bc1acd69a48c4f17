import { RE2JS } from 're2js'
import { isFound } from './pattern-search.ts'

/** Programs that are larger than this would take too long on a long turn. */
const program_size_max = 250
/** Patterns with more work than this are not even compiled, which could take seconds. */
const compiled_size_max = 1_000
const compiled_letters_max = 50_000

export interface Pattern {
  /** The work for a text is in proportion to this and to its length. */
  size: number
  /** Whether the pattern is in the text. Others run meanwhile. */
  isIn: (text: string) => Promise<boolean>
}

/** Whether the phrase is a pattern, which is written `/.../`. */
export const isPattern = (phrase: string): boolean =>
  phrase.length > 2 && phrase.startsWith('/') && phrase.endsWith('/')

/**
 * Opens a pattern. Throws an Error with a sentence about what is wrong. RE2 needs time in proportion to the text,
 * whatever the pattern is.
 */
export function openPattern(phrase: string): Pattern {
  const source = phrase.slice(1, -1)
  const work = workOf(source)
  if (work.letters > compiled_letters_max) throw new Error('is too large: use fewer or smaller ranges of letters.')
  const compiled = work.size <= compiled_size_max ? compile(source) : undefined
  const size = compiled?.programSize() ?? work.size
  if (!compiled || size > program_size_max) throw new Error('is too large: use fewer or smaller repetitions.')
  return { size, isIn: (text) => isFound(compiled.re2Input.prog, text) }
}

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(source, RE2JS.CASE_INSENSITIVE)
  } catch {
    throw new Error('is no pattern that RE2 knows: it has no look-around and no back references.')
  }
}

const property = /\\[pP](?:\{[^}]*\}|.)/.source
const code_point = /\\x(?:\{[^}]*\}|..)/.source
const posix_class = /\[:.*?:\]/.source
const in_class = `${posix_class}|${property}|${code_point}|\\\\.|`
const pieces = new RegExp(
  `\\\\Q.*?(?:\\\\E|$)|\\[\\^?\\]?(?:${in_class}[^\\]\\\\])*\\]?|${property}|${code_point}|\\\\.|\\{\\d+(?:,\\d*)?\\}|.`,
  'gsu',
)
const pieces_of_class = new RegExp(`${in_class}.`, 'gsu')

/** A property such as `\p{L}` is about as much work as a range of this many letters. */
const property_letters = 3_000

interface PatternWork {
  /** The size of the program, about. */
  size: number
  /** The letters of ranges and properties, for each of which RE2 looks for the other cases. */
  letters: number
}

/**
 * Says how much work it is to compile a pattern, which RE2 does not bound. The result means nothing for a text that is
 * no pattern.
 * @internal
 */
export function workOf(source: string): PatternWork {
  // The last size is that of the innermost open group.
  const sizes = [0]
  let letters = 0
  let last = 0
  const add = (size: number) => {
    sizes.push((sizes.pop() ?? 0) + size)
  }
  for (const [piece] of source.matchAll(pieces)) {
    if (piece === '(') sizes.push(2)
    else if (piece === ')' && sizes.length > 1) {
      last = sizes.pop() ?? 0
      add(last)
    } else if (/^\{\d/.test(piece)) {
      const times = timesOf(piece)
      add(last * (times - 1))
      last *= times
    } else if (/^[*+?]$/.test(piece)) add(1)
    else {
      const is_quoted = piece.startsWith('\\Q')
      last = 1
      add(is_quoted ? piece.length : 1)
      if (!is_quoted) letters += lettersOf(piece)
    }
  }
  return { size: sizes.reduce((sum, size) => sum + size, 0), letters }
}

/** Counts the times of `{2,5}`, or of `{2,}`, which is one more than two. */
function timesOf(repetition: string): number {
  const [least = 0, most] = (repetition.match(/\d+/g) ?? []).map(Number)
  return Math.max(1, most ?? (repetition.endsWith(',}') ? least + 1 : least))
}

function lettersOf(piece: string): number {
  const parts: string[] = piece.startsWith('[') ? (piece.slice(1).match(pieces_of_class) ?? []) : [piece]
  return parts.reduce((letters, part, index) => {
    if (/^\\p/i.test(part)) return letters + property_letters
    const [from, to] = [parts[index - 1], parts[index + 1]]
    const is_range = part === '-' && from !== undefined && to !== undefined
    return letters + (is_range ? Math.max(0, codeOf(to) - codeOf(from)) : 0)
  }, 0)
}

/** Returns the code of a letter. It is 0 for escapes other than `\x`, which stand for small codes. */
function codeOf(part: string): number {
  if (part.startsWith('\\x')) return Number.parseInt(part.replace(/[\\x{}]/g, ''), 16) || 0
  return part.startsWith('\\') ? 0 : (part.codePointAt(0) ?? 0)
}
