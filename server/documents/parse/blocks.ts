/** A part of a text that is read from a file: a heading, or the text between headings. */
export type Block = { type: 'heading'; level: number; text: string } | { type: 'text'; text: string }

/** Says why a file can't be read, in words for the person who uploaded it. */
export class UnreadableError extends Error {}

/** Limits all text of a file. A file of 20 MB can hardly have more. */
const characters_max = 20 * 1024 * 1024

/** A longer block becomes several, because cleaning a text takes many times its length. */
const block_length_max = 256 * 1024

/** Collects blocks, and stops when there is too much text. */
export class Blocks {
  readonly all: Block[] = []
  #characters = 0
  #text = ''

  add(block: Block): void {
    this.#addCleaned({ ...block, text: this.#addFull(block) })
  }

  /** Adds text to the block that `end` adds. A block of level 0 is no heading. */
  write(text: string, level = 0): void {
    this.#text = this.#addFull(blockOf(this.#text + text, level))
  }

  end(level = 0): void {
    this.#addCleaned(blockOf(this.#text, level))
    this.#text = ''
  }

  /** Adds the blocks that are full, and returns what is left. They end between words, if they can. */
  #addFull(block: Block): string {
    let rest = block.text
    while (rest.length > block_length_max) {
      const full = rest.slice(0, block_length_max)
      const end = Math.max(full.lastIndexOf(' '), full.lastIndexOf('\n')) + 1 || full.length
      this.#addCleaned({ ...block, text: full.slice(0, end) })
      rest = rest.slice(end)
    }
    return rest
  }

  #addCleaned(block: Block): void {
    const text = clean(block.text)
    if (text === '') return
    this.#characters += text.length
    if (this.#characters > characters_max) throw new UnreadableError('The file has more than 20 million characters.')
    this.all.push({ ...block, text })
  }
}

const blockOf = (text: string, level: number): Block =>
  level > 0 ? { type: 'heading', level, text } : { type: 'text', text }

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are taken out
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b\ufeff]/g

/** Removes control characters and repeated blanks. Line breaks stay. */
const clean = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(control, '')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
