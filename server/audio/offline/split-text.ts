/**
 * Flite takes more time and memory for each second of a long text than of a short one, so pieces have at most this many
 * characters.
 */
const characters_max = 300

/** Splits a text between words. A longer word is cut. */
export function splitText(text: string): string[] {
  const pieces: string[] = []
  for (const word of text.split(/\s+/).filter((one) => one !== '')) {
    const short = word.slice(0, characters_max)
    const last = pieces.at(-1)
    if (last !== undefined && last.length + 1 + short.length <= characters_max)
      pieces[pieces.length - 1] = `${last} ${short}`
    else pieces.push(short)
  }
  return pieces
}
