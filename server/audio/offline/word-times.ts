import type { WordTime } from '../speech.ts'

/** The letters that can spell each phoneme of Flite. */
const spellings: Record<string, string> = {
  aa: 'aoeh',
  ae: 'a',
  ah: 'uoa',
  ao: 'oau',
  aw: 'ouw',
  ax: 'aeiou',
  ay: 'iyeg',
  b: 'b',
  ch: 'cht',
  d: 'd',
  dh: 'th',
  eh: 'ea',
  er: 'eiuor',
  ey: 'aeyi',
  f: 'fph',
  g: 'gx',
  hh: 'hw',
  ih: 'iey',
  iy: 'eiy',
  jh: 'jgd',
  k: 'kcqxh',
  l: 'l',
  m: 'm',
  n: 'nk',
  ng: 'ng',
  ow: 'owa',
  oy: 'oyi',
  p: 'p',
  r: 'r',
  s: 'scxz',
  sh: 'shct',
  t: 'td',
  th: 'th',
  uh: 'uo',
  uw: 'uowe',
  v: 'vf',
  w: 'wuo',
  y: 'yu',
  z: 'zsx',
  zh: 'szg',
}
const pause = 'pau'
const vowels = /^[aeiou]/
const digit_names = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']

const score = { consonant: 3, vowel: 2, other_vowel: 0, mismatch: -2, letter_alone: -0.5, phoneme_alone: -1, pause: 2 }

export interface Phoneme {
  name: string
  end_ms: number
}

/** Reads what Flite's -psdur prints: `pau:0.195 hh:0.259 ...`. */
export const parsePhonemes = (printed: string): Phoneme[] =>
  printed
    .trim()
    .split(/\s+/)
    .map((one) => one.split(':'))
    .map(([name = '', end = '']) => ({ name, end_ms: Math.round(1_000 * Number(end)) }))
    .filter(({ name, end_ms }) => name !== '' && Number.isFinite(end_ms))

interface Letter {
  letter: string
  word: number
}

/**
 * Returns the times of the words of a text, from the times of its phonemes. Flite doesn't print which phonemes belong
 * to which word, so the letters are aligned with the phonemes as texts are compared: with the fewest and least unlikely
 * differences.
 */
export function timeWords(text: string, phonemes: Phoneme[]): WordTime[] {
  const words = text.split(/\s+/).filter((word) => word !== '')
  const letters = words.flatMap(spell)
  const word_of_phoneme = align(letters, phonemes)
  const times = new Map<number, { start_ms: number; end_ms: number }>()
  let before_ms = 0
  for (const [index, { name, end_ms }] of phonemes.entries()) {
    const word = word_of_phoneme[index] ?? 0
    if (name !== pause) times.set(word, { start_ms: times.get(word)?.start_ms ?? before_ms, end_ms })
    before_ms = end_ms
  }
  let last_ms = 0
  return words.map((word, index) => {
    // A word without phonemes, such as a dash, takes no time.
    const { start_ms, end_ms } = times.get(index) ?? { start_ms: last_ms, end_ms: last_ms }
    last_ms = end_ms
    return { text: word, start_ms, end_ms }
  })
}

/** Returns the letters of a word, and a place for the pause before it. */
function spell(word: string, index: number): Letter[] {
  const spelled = word
    .toLowerCase()
    .normalize('NFD')
    .replace(/\d/g, (digit) => digit_names[Number(digit)] ?? '')
    .replace(/[^a-z]/g, '')
  const mark = index > 0 ? ' ' : '^'
  return [mark, ...spelled].map((letter) => ({ letter, word: index }))
}

/** Returns the word of each phoneme. A pause belongs to the word before it. */
function align(letters: Letter[], phonemes: Phoneme[]): number[] {
  const width = phonemes.length + 1
  const best = new Float64Array((letters.length + 1) * width)
  /** How each cell was reached. 0: by both, 1: by the letter alone, 2: by the phoneme alone. */
  const steps = new Uint8Array(best.length)
  for (let column = 1; column < width; column += 1) {
    best[column] = column * score.phoneme_alone
    steps[column] = 2
  }
  for (let row = 1; row <= letters.length; row += 1) {
    const letter = letters[row - 1]?.letter ?? ''
    const alone = isMark(letter) ? 0 : score.letter_alone
    for (let column = 0; column < width; column += 1) {
      const at = row * width + column
      best[at] = (best[at - width] ?? 0) + alone
      steps[at] = 1
      if (column === 0) continue
      const name = phonemes[column - 1]?.name ?? ''
      const both = (best[at - width - 1] ?? 0) + scoreOf(letter, name)
      const phoneme = (best[at - 1] ?? 0) + score.phoneme_alone
      if (both >= (best[at] ?? 0)) {
        best[at] = both
        steps[at] = 0
      }
      if (phoneme > (best[at] ?? 0)) {
        best[at] = phoneme
        steps[at] = 2
      }
    }
  }
  const result = new Array<number>(phonemes.length).fill(0)
  let row = letters.length
  let column = phonemes.length
  while (column > 0) {
    const step = row === 0 ? 2 : steps[row * width + column]
    if (step !== 1) {
      const { letter = '', word = 0 } = letters[row - 1] ?? {}
      // A phoneme that is alone before the first letter of a word belongs to the word before.
      const is_before = isMark(letter)
      result[column - 1] = Math.max(0, is_before ? word - 1 : word)
      column -= 1
    }
    if (step !== 2) row -= 1
  }
  return result
}

const isMark = (letter: string): boolean => letter === ' ' || letter === '^'

function scoreOf(letter: string, phoneme: string): number {
  if (isMark(letter) || phoneme === pause)
    return isMark(letter) && phoneme === pause ? score.pause : Number.NEGATIVE_INFINITY
  if (spellings[phoneme]?.includes(letter)) return vowels.test(phoneme) ? score.vowel : score.consonant
  return vowels.test(phoneme) && vowels.test(letter) ? score.other_vowel : score.mismatch
}
