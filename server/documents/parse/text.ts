import { Blocks } from './blocks.ts'

/** Reads a text, whose paragraphs are separated by empty lines. */
export function readText(text: string): Blocks {
  const blocks = new Blocks()
  for (const paragraph of text.replace(/\r\n?/g, '\n').split(/\n[^\S\n]*\n/))
    blocks.add({ type: 'text', text: paragraph })
  return blocks
}
