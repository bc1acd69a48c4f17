const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }
const special = /[\\\n\r\t]/
const all_special = /[\\\n\r\t]/g

/** A row as COPY reads it from text. */
export function copyLine(cells: readonly (string | number | null)[]): string {
  let line = ''
  for (const cell of cells) line += `${cell === null ? '\\N' : typeof cell === 'number' ? cell : escaped(cell)}\t`
  return `${line.slice(0, -1)}\n`
}

/** A list of texts as PostgreSQL writes it. */
export const copyList = (texts: string[]): string =>
  texts.length === 0 ? '{}' : `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`

const escaped = (text: string): string =>
  special.test(text) ? text.replace(all_special, (character) => escapes[character] ?? character) : text
