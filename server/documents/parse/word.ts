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
  const styles = headingStyles(read(main.replace(/[^/]*$/, 'styles.xml'), part_bytes_max)?.toString() ?? '')
  const xml = read(main, part_bytes_max)?.toString()
  if (xml === undefined) throw new UnreadableError('The file is damaged: it has no Word document in it.')
  return readParagraphs(xml, styles)
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
  let level = 0
  let is_text = false
  let table_depth = 0
  /** Whether the text is a second rendering of the same text, for older programs. */
  let fallback_depth = 0
  const add = (text: string): void => blocks.write(text, level)
  const end = (): void => {
    blocks.end(level)
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
      else if (name === 'w:br' || name === 'w:cr') add('\n')
      else if (name === 'w:tab') add(' ')
    },
    close: (name) => {
      if (name === 'mc:Fallback') fallback_depth -= 1
      else if (name === 'w:t') is_text = false
      else if (name === 'w:tbl') {
        table_depth -= 1
        if (table_depth === 0) end()
      } else if (name === 'w:tr') add('\n')
      else if (name === 'w:tc') add(' | ')
      else if (name === 'w:p') {
        if (table_depth === 0) end()
        else add(' ')
      }
    },
    text: (text) => {
      if (is_text && fallback_depth === 0) add(text)
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
