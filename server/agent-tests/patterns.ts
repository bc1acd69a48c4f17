import { RE2JS } from 're2js'
import { isFound } from './pattern-search.ts'
import { workOf } from './pattern-work.ts'

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
