import { type AST, parseRegExpLiteral } from '@eslint-community/regexpp'
import type { Language } from './language.ts'
import type { Phrase } from './wish.ts'

export interface KnownPhrase extends Phrase {
  language: Language
  /** Finds the phrase where it begins. */
  at: RegExp
}

/** Longer beginnings tell more phrases apart, and there are more of them. */
const beginning_max = 6
const beginnings_max = 200
/** A class of more characters ends a beginning. */
const class_max = 30

/** The phrases that may begin at a place in a sentence. */
export type PhraseIndex = Map<string, Beginning[]>

interface Beginning {
  text: string
  phrases: KnownPhrase[]
}

/** To try each phrase at each word would take too long, and one pattern of them all is too large for the engine. */
export function indexOf(languages: Language[]): PhraseIndex {
  const by_text = new Map<string, KnownPhrase[]>()
  for (const language of languages)
    for (const phrase of language.opt_outs.phrases) {
      const known = { ...phrase, language, at: new RegExp(phrase.says.source, 'uy') }
      for (const text of beginningsOf(phrase.says)) {
        const others = by_text.get(text)
        if (others) others.push(known)
        else by_text.set(text, [known])
      }
    }
  const beginnings = [...by_text].map(([text, phrases]) => ({ text, phrases }))
  return Map.groupBy(beginnings, ({ text }) => text.slice(0, key_length))
}

/** Few beginnings share so many characters. Shorter ones are found by all of theirs. */
const key_length = 3

export function phrasesAt(index: PhraseIndex, sentence: string, start: number): KnownPhrase[] {
  const found: KnownPhrase[] = []
  for (let length = 1; length <= key_length; length += 1) {
    const beginnings = index.get(sentence.slice(start, start + length))
    if (beginnings)
      for (const { text, phrases } of beginnings)
        if (text.length <= length || sentence.startsWith(text, start)) found.push(...phrases)
  }
  return found
}

/** What texts that match begin with: as many characters as tell the most phrases apart. */
export function beginningsOf(pattern: RegExp): Set<string> {
  const { alternatives } = parseRegExpLiteral(pattern).pattern
  let beginnings = new Set([''])
  for (let length = 1; length <= beginning_max; length += 1) {
    const found = new Beginnings(length)
    const { open, ended } = found.ofAlternatives({ open: new Set(['']), ended: new Set() }, alternatives)
    if (found.are_too_many) break
    beginnings = open.union(ended)
  }
  return beginnings
}

interface Texts {
  /** They go on. */
  open: Set<string>
  /** They are long enough, or what follows them may be anything. */
  ended: Set<string>
}

class Beginnings {
  readonly #length: number
  are_too_many = false

  constructor(length: number) {
    this.#length = length
  }

  ofAlternatives(before: Texts, alternatives: AST.Alternative[]): Texts {
    return alternatives
      .map(({ elements }) => elements.reduce<Texts>((texts, element) => this.#add(texts, element), before))
      .reduce((one, other) => this.#union(one, other))
  }

  #add(before: Texts, element: AST.Element): Texts {
    if (before.open.size === 0 || this.are_too_many) return before
    switch (element.type) {
      case 'Assertion':
        return before
      case 'Character':
        return this.#append(before, [String.fromCodePoint(element.value)])
      case 'CharacterClass':
        return this.#append(before, charactersOf(element))
      case 'Group':
      case 'CapturingGroup':
        return this.ofAlternatives(before, element.alternatives)
      case 'Quantifier':
        return this.#repeat(before, element)
      default:
        return this.#append(before, undefined)
    }
  }

  #repeat(before: Texts, { element, min, max }: AST.Quantifier): Texts {
    let repeated = before
    let all: Texts = min === 0 ? before : { open: new Set(), ended: before.ended }
    for (let times = 1; times <= Math.min(max, this.#length) && repeated.open.size > 0; times += 1) {
      repeated = this.#add(repeated, element)
      if (times >= min) all = this.#union(all, repeated)
    }
    return all
  }

  #union(one: Texts, other: Texts): Texts {
    const texts = { open: one.open.union(other.open), ended: one.ended.union(other.ended) }
    if (texts.open.size + texts.ended.size > beginnings_max) this.are_too_many = true
    return texts
  }

  /** Without characters anything may follow. */
  #append({ open, ended }: Texts, characters: string[] | undefined): Texts {
    if (!characters) return { open: new Set(), ended: ended.union(open) }
    const longer: Texts = { open: new Set(), ended: new Set(ended) }
    for (const text of open)
      for (const character of characters) {
        const all = (text + character).slice(0, this.#length)
        if (all.length === this.#length) longer.ended.add(all)
        else longer.open.add(all)
      }
    if (longer.open.size + longer.ended.size > beginnings_max) this.are_too_many = true
    return longer
  }
}

/** Those of a small class. */
function charactersOf({ negate, elements }: AST.CharacterClass): string[] | undefined {
  if (negate) return undefined
  const characters: string[] = []
  for (const element of elements) {
    if (element.type !== 'Character' && element.type !== 'CharacterClassRange') return undefined
    const [min, max] = element.type === 'Character' ? [element, element] : [element.min, element.max]
    if (characters.length + max.value - min.value >= class_max) return undefined
    for (let code = min.value; code <= max.value; code += 1) characters.push(String.fromCodePoint(code))
  }
  return characters
}
