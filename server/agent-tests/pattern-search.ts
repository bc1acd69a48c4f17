import { letOthersRun } from '../kit/let-others-run.ts'

/** A program as `re2js` compiles it. The types are ours, because it has none for instructions. */
export interface Program {
  start: number
  inst: Instruction[]
}

interface Instruction {
  op: number
  /** The instruction that follows. */
  out: number
  /** A choice has its second instruction here, and a border the kinds of borders that it needs. */
  arg: number
  matchRune: (letter: number) => boolean
}

const ops = { choice: 1, choice_of_match: 2, group: 3, border: 4, fail: 5, match: 6, nothing: 7 }
const borders = { line_begins: 1, line_ends: 2, text_begins: 4, text_ends: 8, word: 16, no_word: 32 }

/** Others run after this many letters: some ten thousand instructions, which take less than a millisecond. */
const letters_in_a_row = 64
const none = -1

/**
 * Says whether a program matches somewhere in a text. The search of `re2js` keeps all others waiting until it is done.
 */
export async function isFound({ start, inst }: Program, text: string): Promise<boolean> {
  const letters = Array.from(text, (letter) => letter.codePointAt(0) ?? none)
  const reached_at = new Int32Array(inst.length).fill(none)
  /** The instructions that wait for the next letter. */
  let waiting: Instruction[] = []
  for (let at = 0; at <= letters.length; at += 1) {
    if (at % letters_in_a_row === 0) await letOthersRun()
    const [before = none, after = none] = [letters[at - 1], letters[at]]
    const here = bordersBetween(before, after)
    const reached = [start]
    for (const one of waiting) if (one.matchRune(before)) reached.push(one.out)
    waiting = []
    for (let index = reached.pop(); index !== undefined; index = reached.pop()) {
      const one = inst[index]
      if (!one || reached_at[index] === at) continue
      reached_at[index] = at
      if (one.op === ops.match) return true
      if (one.op === ops.choice || one.op === ops.choice_of_match) reached.push(one.out, one.arg)
      else if (one.op === ops.group || one.op === ops.nothing) reached.push(one.out)
      else if (one.op === ops.border) {
        if ((one.arg & ~here) === 0) reached.push(one.out)
      } else if (one.op !== ops.fail) waiting.push(one)
    }
  }
  return false
}

function bordersBetween(before: number, after: number): number {
  const begins =
    before === none ? borders.text_begins | borders.line_begins : before === line_break ? borders.line_begins : 0
  const ends = after === none ? borders.text_ends | borders.line_ends : after === line_break ? borders.line_ends : 0
  return begins | ends | (isOfWord(before) === isOfWord(after) ? borders.no_word : borders.word)
}

const line_break = 10

const isOfWord = (letter: number): boolean => letter !== none && /\w/.test(String.fromCodePoint(letter))
