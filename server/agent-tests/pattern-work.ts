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

export interface PatternWork {
  /** The size of the program, about. */
  size: number
  /** The letters of ranges and properties, for each of which RE2 looks for the other cases. */
  letters: number
}

/**
 * Says how much work it is to compile a pattern, which RE2 does not bound. The result means nothing for a text that is
 * no pattern.
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
