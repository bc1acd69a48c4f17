import { Blocks, UnreadableError } from './blocks.ts'

const columns_max = 200

/** Reads CSV. Each row becomes a paragraph, with the name of its column before each value. */
export function readCsv(text: string): Blocks {
  const blocks = new Blocks()
  let header: string[] | undefined
  for (const cells of readRows(text, delimiterOf(text))) {
    if (cells.length > columns_max) throw new UnreadableError(`The file has more than ${columns_max} columns.`)
    if (!header) {
      header = cells.map((name) => name.trim())
      continue
    }
    const named = cells.flatMap((cell, index) => {
      const value = cell.trim()
      if (value === '') return []
      const name = header?.[index]
      return [name ? `${name}: ${value}` : value]
    })
    blocks.add({ type: 'text', text: named.join('\n') })
  }
  // A single row has no columns to name.
  if (header && blocks.all.length === 0) blocks.add({ type: 'text', text: header.join('\n') })
  return blocks
}

/** Returns the character that separates most cells in the first line. */
function delimiterOf(text: string): string {
  const line = text.slice(0, 10_000).split('\n')[0] ?? ''
  const counts = [',', ';', '\t'].map((character) => ({ character, count: line.split(character).length }))
  return counts.reduce((best, one) => (one.count > best.count ? one : best)).character
}

function* readRows(text: string, delimiter: string): Generator<string[]> {
  const special = delimiter === '\t' ? /["\t\n]/g : delimiter === ';' ? /[";\n]/g : /[",\n]/g
  let cells: string[] = []
  let cell = ''
  let index = 0
  while (index < text.length) {
    special.lastIndex = index
    const found = special.exec(text)
    const at = found?.index ?? text.length
    cell += text.slice(index, at)
    index = at + 1
    const character = found?.[0]
    if (character === '"' && cell.trim() === '') {
      const quoted = readQuoted(text, index)
      cell = quoted.value
      index = quoted.end
    } else if (character === '"') cell += '"'
    else {
      cells.push(cell)
      cell = ''
      if (character === delimiter) continue
      if (cells.some((one) => one.trim() !== '')) yield cells
      cells = []
    }
  }
  if (cell !== '') cells.push(cell)
  if (cells.some((one) => one.trim() !== '')) yield cells
}

/** Reads up to the closing quote. Two quotes are one. */
function readQuoted(text: string, start: number): { value: string; end: number } {
  let value = ''
  let from = start
  for (;;) {
    const at = text.indexOf('"', from)
    if (at === -1) return { value: value + text.slice(from), end: text.length }
    value += text.slice(from, at)
    if (text[at + 1] !== '"') return { value, end: at + 1 }
    value += '"'
    from = at + 2
  }
}
