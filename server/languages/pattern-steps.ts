import { word_end } from './wish.ts'

/** How a text may go on: with one of these characters, and then with what the pattern has at a place in its source. */
export interface Step {
  characters: string
  next: number
}

interface Group {
  start: number
  alternatives: number[]
  end: number
}

/** A class of more characters than this counts as any character. */
const class_max = 30
const group_start = '(?:'
const quantifier = /(?:[*+?]|\{\d+(?:,\d*)?\})\??/y
const quantifier_starts = '*+?{'
/** Escapes, and characters that take two places in a text, count as any character, too. */
const any_character = /^(?:\.|\[\^)|[\\\ud800-\udfff]/
const range = /(.)-(.)/gs

/**
 * Tells with which characters texts go on that match a pattern. It allows more than the pattern does: it knows no
 * assertions, and repeats may go on without end. Groups must capture nothing.
 */
export class PatternSteps {
  readonly #source: string
  /** Groups by where they start and end, and by the bars between their alternatives. */
  readonly #groups = new Map<number, Group>()

  constructor({ source }: RegExp) {
    this.#source = `${group_start}${source})`
    const open: Group[] = []
    for (let at = 0; at < this.#source.length; at = this.#endOf(at)) {
      const character = this.#source[at]
      if (character === '(') {
        if (this.#source[at + 1] !== '?') throw new Error(`a pattern has a group that captures: ${source}`)
        open.push({ start: at, alternatives: [at + group_start.length], end: 0 })
      }
      if (character !== '(' && character !== '|' && character !== ')') continue
      const group = character === ')' ? open.pop() : open.at(-1)
      if (!group) throw new Error(`a pattern has too many parentheses: ${source}`)
      if (character === '|') group.alternatives.push(at + 1)
      if (character === ')') group.end = at + 1
      this.#groups.set(at, group)
    }
  }

  /** Returns undefined if the text may end there, or go on with anything. */
  from(start: number): Step[] | undefined {
    const steps: Step[] = []
    // This set grows in the loop.
    const places = new Set([start])
    for (const at of places) {
      const character = this.#source[at]
      if (character === undefined) return undefined
      const group = this.#groups.get(at)
      const end = group?.end ?? this.#endOf(at)
      const { is_optional, is_repeated, after } = this.#repetitionAt(end)
      if (group && character !== '(') {
        places.add(after)
        if (is_repeated) places.add(group.start)
      } else if (this.#source.startsWith(word_end, at)) {
        steps.push({ characters: ' ', next: this.#source.length })
      } else if (character === '^' || character === '$' || (group && !this.#source.startsWith(group_start, at))) {
        places.add(end)
      } else {
        if (is_optional) places.add(after)
        if (group) {
          for (const alternative of group.alternatives) places.add(alternative)
          continue
        }
        const characters = charactersOf(this.#source.slice(at, end))
        if (characters === undefined) return undefined
        steps.push({ characters, next: this.#settle(after) })
        if (is_repeated) steps.push({ characters, next: at })
      }
    }
    return steps
  }

  /** Returns the common end of a group's alternatives for a place between them. */
  #settle(at: number): number {
    return this.#source[at] === '|' ? (this.#groups.get(at)?.end ?? at) - 1 : at
  }

  #endOf(at: number): number {
    if (this.#source[at] === '[') return this.#source.indexOf(']', at) + 1
    return at + (this.#source[at] === '\\' ? 2 : 1)
  }

  #repetitionAt(at: number): { is_optional: boolean; is_repeated: boolean; after: number } {
    if (!quantifier_starts.includes(this.#source[at] ?? ' '))
      return { is_optional: false, is_repeated: false, after: at }
    quantifier.lastIndex = at
    const [found = ''] = quantifier.exec(this.#source) ?? []
    return {
      is_optional: /^(?:[*?]|\{0)/.test(found),
      is_repeated: found !== '' && !found.startsWith('?'),
      after: at + found.length,
    }
  }
}

/** Returns the characters that a character or a class stands for. Undefined if there are too many. */
function charactersOf(source: string): string | undefined {
  if (any_character.test(source)) return undefined
  if (!source.startsWith('[')) return source
  const characters = source.slice(1, -1).replace(range, (_, first: string, last: string) => {
    const [from, to] = [first.charCodeAt(0), last.charCodeAt(0)]
    return String.fromCharCode(
      ...Array.from({ length: Math.min(to - from, class_max) + 1 }, (_, index) => from + index),
    )
  })
  return characters.length > class_max ? undefined : characters
}
