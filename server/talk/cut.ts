const sentence_end = /[.!?…]["')\]]*(?=\s|$)/g

/** Returns the longest beginning of at most `max` characters that ends with a sentence, or `max` characters if there is none. */
export function cutAtSentence(text: string, max: number): string {
  // A character is a code point, and a text has no more of them than UTF-16 units.
  if (text.length <= max) return text
  const points = Array.from(text)
  if (points.length <= max) return text
  const beginning = points.slice(0, max).join('')
  const last = [...beginning.matchAll(sentence_end)].at(-1)
  return last ? beginning.slice(0, last.index + last[0].length) : beginning
}

/** Returns whether there is something to hear or read: a letter, a number, or a symbol such as an emoji. */
export const isReadable = (text: string): boolean => /[\p{L}\p{N}\p{S}]/u.test(text)
