import pg from 'pg'

const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }
const special = /[\\\n\r\t]/
const all_special = /[\\\n\r\t]/g

/** Formats a row in the text format of COPY. */
export function copyLine(cells: readonly (string | number | boolean | null)[]): string {
  let line = ''
  for (const cell of cells) line += `${cell === null ? '\\N' : typeof cell === 'string' ? escaped(cell) : cell}\t`
  return `${line.slice(0, -1)}\n`
}

/** Formats a text array for a cell of `copyLine`. */
export const copyTextArray = (texts: string[]): string =>
  texts.length === 0 ? '{}' : `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`

const escaped = (text: string): string =>
  special.test(text) ? text.replace(all_special, (character) => escapes[character] ?? character) : text

/** Sends the lines right after the statement, without waiting for its answer. If it fails, the server skips them. */
export class CopyQuery extends pg.Query {
  readonly #lines: Buffer

  constructor(text: string, lines: string, callback: (error: Error | undefined) => void) {
    super(text, undefined, callback)
    // Not in `submit`, which may run in a listener of the connection: an error there would end the process.
    this.#lines = Buffer.from(lines)
  }

  override submit = (connection: pg.Connection): void => {
    pg.Query.prototype.submit.call(this, connection)
    // The driver has these methods, but its types don't.
    const wire = connection as pg.Connection & { sendCopyFromChunk(bytes: Buffer): void; endCopyFrom(): void }
    wire.sendCopyFromChunk(this.#lines)
    wire.endCopyFrom()
  }

  handleCopyInResponse(): void {}
}
