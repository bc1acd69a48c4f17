const capitalized_words = /\p{Lu}[\p{L}\p{M}'’-]+(?: \p{Lu}[\p{L}\p{M}'’-]+)*/gu
const names_max = 50

/** Returns what may be names in a text: words with a capital letter, and several of them in a row. */
export const namesIn = (text: string): string[] => (text.match(capitalized_words) ?? []).slice(0, names_max)
