import { RE2JS } from 're2js'

/** A larger program would take too long on a long turn. */
const program_size_max = 120

export interface Pattern {
  /** The work for a text is in proportion to this and to its length. */
  size: number
  matches: (text: string) => boolean
}

/** A pattern is written `/.../`. */
export const isPattern = (phrase: string): boolean =>
  phrase.length > 2 && phrase.startsWith('/') && phrase.endsWith('/')

/** Throws an Error with a sentence about what is wrong. RE2 needs time in proportion to the text, whatever the pattern is. */
export function openPattern(phrase: string): Pattern {
  const compiled = compile(phrase.slice(1, -1))
  const size = compiled.programSize()
  if (size > program_size_max) throw new Error('is too large: use fewer or smaller repetitions.')
  return { size, matches: (text) => compiled.matcher(text).find() }
}

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(source, RE2JS.CASE_INSENSITIVE)
  } catch {
    throw new Error('is no pattern that RE2 knows: it has no look-around and no back references.')
  }
}
