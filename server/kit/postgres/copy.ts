import { Readable } from 'node:stream'
import pg from 'pg'
import { quoteName } from './sql.ts'

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

  constructor(text: string, lines: string | Buffer, callback: (error: Error | undefined) => void) {
    super(text, undefined, callback)
    // The text is encoded here and not in `submit`, which may run in a listener of the connection: an error there would
    // end the process.
    this.#lines = typeof lines === 'string' ? Buffer.from(lines) : lines
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

const chunk_bytes = 1024 * 1024
/** This limit is never reached, because a backup may take hours: the driver can't turn off the limit of one query. */
const copy_out_timeout_ms = 24 * 60 * 60 * 1000

interface CopyData {
  chunk: Buffer
}

/**
 * Reads what COPY ... TO STDOUT sends: chunks of whole rows, of about one MiB. The connection is paused while nobody reads, and
 * closed when reading is given up.
 */
class CopyOutQuery extends pg.Query {
  /** The driver reads this member, but its types don't have it. */
  readonly query_timeout = copy_out_timeout_ms
  readonly chunks = new Readable({
    objectMode: true,
    highWaterMark: 1,
    read: () => void this.#socket?.resume(),
    destroy: (error, callback) => {
      if (!this.#is_done) this.#socket?.destroy()
      callback(error)
    },
  })
  #socket: pg.Connection['stream'] | undefined
  #rows: Buffer[] = []
  #bytes = 0
  #is_done = false

  override submit = (connection: pg.Connection): void => {
    this.#socket = connection.stream
    pg.Query.prototype.submit.call(this, connection)
  }

  handleCopyData({ chunk }: CopyData): void {
    // The chunk is copied, because the driver uses its buffer again.
    this.#rows.push(Buffer.from(chunk))
    this.#bytes += chunk.length
    if (this.#bytes >= chunk_bytes && !this.#flush()) this.#socket?.pause()
  }

  #flush(): boolean {
    const rows = Buffer.concat(this.#rows)
    this.#rows = []
    this.#bytes = 0
    return this.chunks.push(rows)
  }

  end(error: Error | undefined): void {
    this.#is_done = true
    if (error) return void this.chunks.destroy(error)
    if (this.#bytes > 0) this.#flush()
    this.chunks.push(null)
  }
}

/** Use a connection that is closed afterwards: a reader that gives up closes it. */
export function copyOut(client: pg.PoolClient, table: string, columns: readonly string[]): Readable {
  const text = `copy ${quoteName(table)} (${columns.map(quoteName).join(', ')}) to stdout`
  const query = new CopyOutQuery(text, undefined, (error: Error | undefined) => query.end(error))
  // The reader gets the error too. Without this listener it would end the process.
  query.chunks.on('error', () => {})
  client.query(query)
  return query.chunks
}
