import { type AST, parseRegExpLiteral, visitRegExpAST } from '@eslint-community/regexpp'

const words_max = 100
/** Reading a pattern takes longer than finding what it says. */
const known_patterns = new Map<RegExp, RegExp>()

/** Returns the words that a pattern has found, without those of its wildcards: they may be a name, or a number. */
export function knownWords(says: RegExp, words: string): string {
  const pattern = known_patterns.get(says) ?? new RegExp(withWildcardsCaptured(says), 'du')
  known_patterns.set(says, pattern)
  const found = pattern.exec(words)
  if (!found) return '…'
  const { indices = [] } = found
  let known = ''
  let end = 0
  for (const [from, to] of indices.slice(1).filter((one) => one !== undefined)) {
    if (from < end || from === to) continue
    known += `${words.slice(end, from).trimEnd()} … `
    end = to
  }
  return (known + words.slice(end).trimStart()).trim().slice(0, words_max)
}

/**
 * Returns the source of a pattern in which each wildcard, with what repeats it, is a group. Other groups must capture
 * nothing.
 */
function withWildcardsCaptured(says: RegExp): string {
  const ranges: [number, number][] = []
  const note = (node: AST.Node): void => {
    let widest = node
    for (let at: AST.Node | null = node; at; at = at.parent) if (at.type === 'Quantifier') widest = at
    ranges.push([widest.start, widest.end])
  }
  visitRegExpAST(parseRegExpLiteral(says), {
    onCharacterSetEnter: note,
    onCharacterClassEnter: (node) => {
      if (node.negate) note(node)
    },
  })
  const literal = says.toString()
  let source = ''
  let end = 1
  for (const [from, to] of ranges.filter(isWidest)) {
    source += `${literal.slice(end, from)}(${literal.slice(from, to)})`
    end = to
  }
  return source + literal.slice(end, literal.lastIndexOf('/'))
}

const isWidest = ([from, to]: [number, number], index: number, all: [number, number][]): boolean =>
  !all.some(([start, end], other) => start <= from && to <= end && (end - start > to - from || other < index))
