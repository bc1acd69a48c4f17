/** A text as it is read from a file: headings, and what is between them. */
export type Block = { type: 'heading'; level: number; text: string } | { type: 'text'; text: string }

/** Why a file can't be read, in words for the person who uploaded it. */
export class UnreadableError extends Error {}

/** All text of a file. A file of 20 MB can hardly have more. */
export const characters_max = 20 * 1024 * 1024

/** Collects blocks, and stops when there is too much text. */
export class Blocks {
  readonly all: Block[] = []
  #characters = 0

  add(block: Block): void {
    const text = clean(block.text)
    if (text === '') return
    this.#characters += text.length
    if (this.#characters > characters_max) throw new UnreadableError('The file has more than 20 million characters.')
    this.all.push({ ...block, text })
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are taken out
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b\ufeff]/g

/** Without control characters, and with single blanks. Lines stay. */
const clean = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(control, '')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
