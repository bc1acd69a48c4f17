import type { Language } from './language.ts'
import { PatternSteps } from './pattern-steps.ts'
import { type Phrase, word_start } from './wish.ts'

export interface KnownPhrase extends Phrase {
  language: Language
  /** Matches the phrase where it begins. */
  at: RegExp
}

/** A phrase that a text may have begun. */
interface PossiblePhrase {
  phrase: KnownPhrase
  rank: number
}

/** What the same first characters begin. */
interface Branch {
  begun: readonly PossiblePhrase[]
  /**
   * For the next character: its branch, or what the branch is made of, which are phrases and places in their patterns,
   * each as one number.
   */
  nexts: Map<number, Branch | number[]>
}

/** How long the beginnings are by which phrases are found. Longer beginnings tell more phrases apart. */
const beginning_max = 12
/**
 * How many characters rank phrases. Of equal wishes the first is kept: the one whose phrase is known after fewer of
 * these characters, then the one of the first language.
 */
const ranked_max = 3
/**
 * Bounds the memory to 40 MB, whatever people write. Beginnings longer than `ranked_max` are not told apart when there
 * are more branches.
 */
const branches_max = 20_000
/** Every pattern is shorter than this. */
const pattern_max = 2 ** 20
const space = ' '.charCodeAt(0)

/**
 * Finds the phrases that may begin at a place in a sentence. To try each at each word would take too long, and one pattern of
 * them all is too large for the engine. A branch is made when a text first leads there.
 */
export class PhraseIndex {
  readonly #phrases: { phrase: KnownPhrase; order: number; steps: PatternSteps }[]
  readonly #at_words: Branch
  readonly #in_words: Branch
  #branches = 0

  constructor(languages: Language[]) {
    this.#phrases = languages
      .flatMap((language) => language.opt_outs.phrases.map((phrase) => ({ ...phrase, language })))
      .map((phrase, order) => {
        const at = new RegExp(phrase.says.source, 'uy')
        return { phrase: { ...phrase, at }, order, steps: new PatternSteps(phrase.says) }
      })
    const in_words = this.#phrases.filter(({ phrase }) => !phrase.says.source.startsWith(word_start))
    this.#at_words = this.#grow(this.#phrases.map(startOf), [], 0)
    this.#in_words = this.#grow(in_words.map(startOf), [], 0)
  }

  *patterns(): Generator<RegExp> {
    for (const { phrase } of this.#phrases) {
      yield phrase.at
      for (const [pattern] of [...phrase.before, ...phrase.after]) yield pattern
    }
  }

  /** Returns the phrases in an order that doesn't depend on what was read before. */
  phrasesAt(sentence: string, start: number): readonly PossiblePhrase[] {
    let branch = start === 0 || sentence.charCodeAt(start - 1) === space ? this.#at_words : this.#in_words
    for (let length = 1; ; length += 1) {
      const end = start + length
      const character = end <= sentence.length ? sentence.charCodeAt(end - 1) : space
      let next = branch.nexts.get(character)
      if (!next) return branch.begun
      if (Array.isArray(next)) {
        next = this.#grow(next, branch.begun, length)
        branch.nexts.set(character, next)
      }
      branch = next
    }
  }

  #grow(places: number[], before: readonly PossiblePhrase[], length: number): Branch {
    this.#branches += 1
    const is_end = length === beginning_max || (length >= ranked_max && this.#branches > branches_max)
    const begun = new Map(before.map((one) => [one.phrase, one]))
    const nexts = new Map<number, number[]>()
    for (const place of new Set(places)) {
      const known = this.#phrases[Math.floor(place / pattern_max)]
      if (!known || begun.has(known.phrase)) continue
      const { phrase, order } = known
      const start = startOf(known)
      const steps = is_end ? undefined : known.steps.from(place - start)
      if (!steps) begun.set(phrase, { phrase, rank: Math.min(length, ranked_max) * this.#phrases.length + order })
      for (const { characters, next } of steps ?? [])
        for (let index = 0; index < characters.length; index += 1) {
          const character = characters.charCodeAt(index)
          const others = nexts.get(character)
          if (others) others.push(start + next)
          else nexts.set(character, [start + next])
        }
    }
    return { begun: [...begun.values()].sort((one, other) => one.rank - other.rank), nexts }
  }
}

const startOf = ({ order }: { order: number }): number => order * pattern_max
