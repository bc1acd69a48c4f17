import { Marked } from 'marked'
import type { Blocks } from './blocks.ts'
import { readHtml } from './html.ts'
import { readText } from './text.ts'

/** By way of HTML, because Markdown may contain it. What is nested too deep to be understood is read as plain text. */
export function readMarkdown(text: string): Blocks {
  const without_front_matter = text.replace(/^\ufeff?---\n[\s\S]{0,10000}?\n---\n/, '')
  let html: string
  try {
    html = new Marked({ async: false }).parse(without_front_matter) as string
  } catch {
    return readText(text)
  }
  return readHtml(html)
}
