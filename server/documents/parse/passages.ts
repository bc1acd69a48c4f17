import { truncate } from '../../kit/text.ts'
import { passages_max } from '../schema.ts'
import { type Block, UnreadableError } from './blocks.ts'

/** A part of a document that is found and shown as a whole. */
export interface ParsedPassage {
  /** The headings above the passage, from the highest. */
  heading: string
  text: string
}

/** A passage has about this many characters: enough to answer a question, and few enough to be about one thing. */
const length_wanted = 800
const length_max = 1_200
const heading_length_max = 300
const levels_max = 6

/** Cuts a text at its headings and paragraphs. Fails with an UnreadableError if there are more passages than any workspace may have. */
export function cutPassages(blocks: Block[]): ParsedPassage[] {
  const passages: ParsedPassage[] = []
  const path: string[] = []
  let texts: string[] = []
  let length = 0
  /** Whether nothing is below the last heading yet. */
  let is_bare = false
  const add = (above: string[], text: string): void => {
    if (passages.length === passages_max)
      throw new UnreadableError(`The file has more than ${passages_max.toLocaleString('en')} passages.`)
    const heading = above.filter((one) => one !== '').join(' › ')
    passages.push({ heading: truncate(heading, heading_length_max), text })
  }
  const end = (): void => {
    if (texts.length > 0) add(path, texts.join('\n\n'))
    texts = []
    length = 0
  }
  /** Adds a heading that has nothing below it: it may say all there is, such as "Closed on Sundays". */
  const endBare = (): void => {
    if (is_bare) add(path.slice(0, -1), path.at(-1) ?? '')
    is_bare = false
  }
  for (const block of blocks) {
    if (block.type === 'heading') {
      end()
      const level = Math.min(Math.max(block.level, 1), levels_max)
      if (level <= path.length) endBare()
      is_bare = true
      path.length = Math.min(path.length, level - 1)
      while (path.length < level - 1) path.push('')
      path.push(truncate(block.text.replaceAll('\n', ' '), heading_length_max))
      continue
    }
    is_bare = false
    for (const piece of cutText(block.text)) {
      if (length > 0 && length + piece.length > length_wanted) end()
      texts.push(piece)
      length += piece.length
    }
  }
  end()
  endBare()
  return passages
}

/** Cuts a paragraph that is too long: at lines, else after sentences, else between words. */
function cutText(text: string): string[] {
  if (text.length <= length_max) return [text]
  const pieces: string[] = []
  let rest = text
  while (rest.length > length_max) {
    const at = borderIn(rest.slice(0, length_wanted))
    pieces.push(rest.slice(0, at).trim())
    rest = rest.slice(at)
  }
  pieces.push(rest.trim())
  return pieces.filter((piece) => piece !== '')
}

function borderIn(start: string): number {
  const least = start.length / 2
  for (const border of [/\n(?=[^\n]*$)/, /[.!?][)"”]?\s+(?=[^.!?]*$)/, /\s+(?=\S*$)/]) {
    const found = border.exec(start)
    if (found && found.index >= least) return found.index + found[0].length
  }
  return start.length - (/[\ud800-\udbff]$/.test(start) ? 1 : 0)
}
