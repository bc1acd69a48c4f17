import { also_called } from '../field.ts'
import { isWithinDistance, truncate } from '../text.ts'

const name_length_max = 100
const suggestions_max = 3
/** Shorter words, such as `at` and `id`, are in many names. */
const word_length_min = 4

export type Properties = Record<string, { [also_called]?: string[] }>

/** The message for an unknown name, with the known names that the client may have meant. */
export function unknownNameMessage(name: string, properties: Properties): string {
  if (name.length > name_length_max) return `${truncate(name, name_length_max)}... is unknown.`
  return `${name} is unknown.${didYouMean(name, properties)}`
}

/** Returns a sentence with a space before it, or an empty text if no known name is near. */
export function didYouMean(name: string, properties: Properties): string {
  if (name.length > name_length_max) return ''
  const known = Object.keys(properties)
  const letters = lettersOnly(name)
  const nearest =
    known.find((other) => lettersOnly(other) === letters) ??
    known.find((other) => properties[other]?.[also_called]?.some((alias) => lettersOnly(alias) === letters)) ??
    known.find((other) => isSimilar(name, other))
  const suggestions = nearest === undefined ? withSameWord(name, known) : [nearest]
  return suggestions.length > 0 ? ` Did you mean ${listed(suggestions)}?` : ''
}

/** Finds the names that share a word with this one, such as `time_zone` for `zone`. */
function withSameWord(name: string, known: string[]): string[] {
  const words = wordsIn(name)
  return known.filter((other) => wordsIn(other).some((word) => words.includes(word))).slice(0, suggestions_max)
}

const wordsIn = (name: string): string[] =>
  name
    .toLowerCase()
    .split(/[^a-z0-9]/)
    .filter((word) => word.length >= word_length_min)

const listed = (names: string[]): string =>
  names.length === 1 ? names.join() : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`

const lettersOnly = (name: string): string => name.replace(/[^a-z0-9]/gi, '').toLowerCase()

/** Whether one name may be a misspelling of the other. Short names may differ less. */
const isSimilar = (name: string, other: string): boolean =>
  isWithinDistance(name, other, Math.min(2, Math.floor(other.length / 2.5)))
