/** What PostgreSQL calls the languages whose words it knows in all their forms. */
const configurations: Record<string, string> = {
  ar: 'arabic',
  ca: 'catalan',
  da: 'danish',
  de: 'german',
  el: 'greek',
  en: 'english',
  es: 'spanish',
  et: 'estonian',
  eu: 'basque',
  fi: 'finnish',
  fr: 'french',
  ga: 'irish',
  hi: 'hindi',
  hu: 'hungarian',
  hy: 'armenian',
  id: 'indonesian',
  it: 'italian',
  lt: 'lithuanian',
  nb: 'norwegian',
  ne: 'nepali',
  nl: 'dutch',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sr: 'serbian',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
  yi: 'yiddish',
}

/** Other languages are found by the words as they are written. */
export const configurationOf = (language: string): string =>
  configurations[language.split('-')[0]?.toLowerCase() ?? ''] ?? 'simple'

const no_word = /[^\p{L}\p{M}\p{N}]+/gu
/** Where a name such as `readFile` or `HTTPServer` has another word. */
const inner_borders = /(?<=\p{Ll}|\p{N})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u
const inner_border = /\p{Ll}\p{Lu}|\p{N}\p{Lu}|\p{Lu}{2}\p{Ll}/u
/** Longer ones are keys or encoded files. */
const word_length_max = 40

/**
 * Prepares a text for `to_tsvector`: words only, because PostgreSQL takes paths and host names for one word. What is joined as in
 * `readFile` is there as a whole and in parts.
 */
export function plainWords(text: string): string {
  const words: string[] = []
  for (const word of text.replace(/['’]/g, '').split(no_word)) {
    if (word === '' || word.length > word_length_max) continue
    words.push(word)
    if (inner_border.test(word)) words.push(...word.split(inner_borders))
  }
  return words.join(' ')
}
