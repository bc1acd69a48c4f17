import { Tokenizer } from 'htmlparser2'
import { Blocks, UnreadableError } from './blocks.ts'
import { openZip } from './zip.ts'

const part_bytes_max = 64 * 1024 * 1024
const relations_bytes_max = 1024 * 1024

/** Reads the text of a Word file (.docx): an archive with XML, whose paragraphs name their style. */
export function readWord(file: Buffer): Blocks {
  const read = openZip(file)
  const relations = read('_rels/.rels', relations_bytes_max)?.toString() ?? ''
  const main = mainPart(relations)
  const xml = read(main, part_bytes_max)
  if (!xml) throw new UnreadableError('The file is damaged: it has no Word document in it.')
  const styles = read(main.replace(/[^/]*$/, 'styles.xml'), part_bytes_max)?.toString() ?? ''
  return readParagraphs(xml.toString(), headingStyles(styles))
}

function mainPart(relations: string): string {
  for (const [relation] of relations.matchAll(/<Relationship\b[^>]{0,2000}>/g)) {
    const target = /\bTarget="\/?([^"]{1,200})"/.exec(relation)?.[1]
    if (target && /\/officeDocument"/.test(relation)) return target
  }
  return 'word/document.xml'
}

/** Returns the level of each style that is one of headings, by the style's id. */
function headingStyles(xml: string): Map<string, number> {
  const levels = new Map<string, number>()
  let style = ''
  readXml(xml, {
    open: (name, attributes) => {
      if (name === 'w:style') style = attributes['w:styleId'] ?? ''
      const value = attributes['w:val'] ?? ''
      const level = name === 'w:name' ? /^(?:heading (\d)|(title))$/i.exec(value) : null
      if (level) levels.set(style, Number(level[1] ?? 1))
      if (name === 'w:outlineLvl' && style !== '' && !levels.has(style) && Number(value) < 9)
        levels.set(style, Number(value) + 1)
    },
  })
  return levels
}

function readParagraphs(xml: string, heading_styles: Map<string, number>): Blocks {
  const blocks = new Blocks()
  let pieces: string[] = []
  let level = 0
  let is_text = false
  let table_depth = 0
  /** A second rendering of the same text, for older programs. */
  let fallback_depth = 0
  const end = (): void => {
    const text = pieces.join('')
    pieces = []
    blocks.add(level > 0 ? { type: 'heading', level, text } : { type: 'text', text })
    level = 0
  }
  readXml(xml, {
    open: (name, attributes) => {
      if (name === 'mc:Fallback') fallback_depth += 1
      else if (name === 'w:t') is_text = true
      else if (name === 'w:tbl') {
        if (table_depth === 0) end()
        table_depth += 1
      } else if (name === 'w:pStyle') level = table_depth > 0 ? 0 : (heading_styles.get(attributes['w:val'] ?? '') ?? 0)
      else if (name === 'w:br' || name === 'w:cr') pieces.push('\n')
      else if (name === 'w:tab') pieces.push(' ')
    },
    close: (name) => {
      if (name === 'mc:Fallback') fallback_depth -= 1
      else if (name === 'w:t') is_text = false
      else if (name === 'w:tbl') {
        table_depth -= 1
        if (table_depth === 0) end()
      } else if (name === 'w:tr') pieces.push('\n')
      else if (name === 'w:tc') pieces.push(' | ')
      else if (name === 'w:p') {
        if (table_depth === 0) end()
        else pieces.push(' ')
      }
    },
    text: (text) => {
      if (is_text && fallback_depth === 0) pieces.push(text)
    },
  })
  end()
  return blocks
}

interface Handlers {
  open: (name: string, attributes: Record<string, string>) => void
  close?: (name: string) => void
  text?: (text: string) => void
}

const attribute_length_max = 1_000

/** Reads XML from its start to its end, without a memory of what is open. */
function readXml(xml: string, { open, close, text }: Handlers): void {
  let name = ''
  let attribute = ''
  let attributes: Record<string, string> = {}
  const nothing = (): void => {}
  const tokenizer = new Tokenizer(
    { xmlMode: true, decodeEntities: true },
    {
      onopentagname: (start, end) => {
        name = xml.slice(start, end)
        attributes = {}
      },
      onattribname: (start, end) => {
        attribute = xml.slice(start, end)
      },
      onattribdata: (start, end) => {
        attributes[attribute] =
          (attributes[attribute] ?? '') + xml.slice(start, Math.min(end, start + attribute_length_max))
      },
      onopentagend: () => open(name, attributes),
      onselfclosingtag: () => {
        open(name, attributes)
        close?.(name)
      },
      onclosetag: (start, end) => close?.(xml.slice(start, end)),
      ontext: (start, end) => text?.(xml.slice(start, end)),
      ontextentity: (codepoint) => text?.(String.fromCodePoint(codepoint)),
      oncdata: (start, end, end_offset) => text?.(xml.slice(start, end - end_offset)),
      onattribentity: nothing,
      onattribend: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onend: nothing,
      onprocessinginstruction: nothing,
    },
  )
  tokenizer.write(xml)
  tokenizer.end()
}
