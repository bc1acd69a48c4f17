import { letOthersRun } from '../kit/let-others-run.ts'
import { truncate } from '../kit/text.ts'
import { decodeText, unreadable } from './decode-text.ts'

const delimiter_probe_characters = 64 * 1024
/**
 * Rows are parsed when this much new text has arrived. A row that is incomplete then is parsed again from its
 * beginning.
 */
const step_characters = 64 * 1024
/** This many rows are parsed at a time. */
const step_rows_max = 4_000
const row_length_max = 256 * 1024
/** Limits the cells of a row. Of a longer one, only these and an empty one are returned. */
export const cells_max = 200
const quoted_length_max = 40
const delimiters = [',', ';', '\t']

/**
 * Reads CSV as it arrives: decodes the bytes, detects the delimiter, and yields the rows that are complete. A quoted cell
 * may contain line breaks, delimiters and doubled quotes. Rows without any text are left out.
 */
export async function* readRows(bytes: AsyncIterable<Buffer>): AsyncGenerator<string[][]> {
  let delimiter: string | undefined
  let text = ''
  let incomplete_length = 0
  for await (const { piece, is_last } of withEnd(decodeText(bytes))) {
    text += piece
    if (!is_last && text.length - incomplete_length < step_characters) continue
    if (delimiter === undefined) {
      const declared = /^sep=(.)\r?\n/.exec(text)
      delimiter = declared?.[1] ?? detectDelimiter(text)
      text = text.slice(declared?.[0].length ?? 0)
    }
    for (let has_more = true; has_more; ) {
      const { rows, end } = parseRows(text, { separator: delimiter.charCodeAt(0), is_last })
      text = text.slice(end)
      has_more = rows.length === step_rows_max
      yield rows
      // Many chunks of a socket can arrive in one turn of the event loop.
      await letOthersRun()
    }
    incomplete_length = text.length
    if (incomplete_length > row_length_max) throw rowTooLong()
  }
}

async function* withEnd(pieces: AsyncIterable<string>): AsyncGenerator<{ piece: string; is_last: boolean }> {
  for await (const piece of pieces) yield { piece, is_last: false }
  yield { piece: '', is_last: true }
}

/** Returns the delimiter that is most frequent in the first row, outside of quotes. */
function detectDelimiter(text: string): string {
  const unquoted = text
    .slice(0, delimiter_probe_characters)
    .replace(/"[^"]*"/g, '')
    .trimStart()
  const [first_row = ''] = /^.*/.exec(unquoted) ?? []
  const counts = delimiters.map((delimiter) => first_row.split(delimiter).length)
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ','
}

interface ParseOptions {
  /** The character code of the delimiter. */
  separator: number
  /** Whether the file ends with the text. */
  is_last: boolean
}

/** Returns the complete rows in the text, and where the last of them ends. */
function parseRows(text: string, options: ParseOptions): { rows: string[][]; end: number } {
  const rows: string[][] = []
  let end = 0
  while (end < text.length && rows.length < step_rows_max) {
    if (isLineBreak(text.charCodeAt(end))) {
      end += 1
      continue
    }
    const row = parseRow(text, end, options)
    if (!row) break
    if (row.end - end > row_length_max) throw rowTooLong()
    if (row.has_text) rows.push(row.cells)
    end = row.end
  }
  return { rows, end }
}

/** Reads the row that begins at `from`, up to its line break. Returns undefined if the text ends before the row does. */
function parseRow(
  text: string,
  from: number,
  { separator, is_last }: ParseOptions,
): { cells: string[]; has_text: boolean; end: number } | undefined {
  const cells: string[] = []
  let has_text = false
  for (let position = from; ; position += 1) {
    let quoted = ''
    if (text.charCodeAt(position) === quote) {
      const closing = findClosingQuote(text, position + 1)
      if (closing === -1 && is_last) throw quoteNotClosed(text, position)
      if (closing === -1 || (closing + 1 === text.length && !is_last)) return undefined
      if (cells.length <= cells_max || !has_text) quoted = text.slice(position + 1, closing).replaceAll('""', '"')
      position = closing + 1
    }
    const end = findCellEnd(text, position, separator)
    if (end === text.length && !is_last) return undefined
    const cell = end > position ? quoted + text.slice(position, end) : quoted
    has_text ||= cell.trim() !== ''
    if (cells.length <= cells_max) cells.push(cells.length < cells_max ? cell : '')
    position = end
    if (text.charCodeAt(end) !== separator) return { cells, has_text, end }
  }
}

const quote = 34
const line_feed = 10
const carriage_return = 13

const isLineBreak = (code: number): boolean => code === line_feed || code === carriage_return

function findClosingQuote(text: string, from: number): number {
  let position = text.indexOf('"', from)
  while (position !== -1 && text.charCodeAt(position + 1) === quote) position = text.indexOf('"', position + 2)
  return position
}

function findCellEnd(text: string, from: number, separator: number): number {
  let position = from
  for (; position < text.length; position += 1) {
    const code = text.charCodeAt(position)
    if (code === separator || isLineBreak(code)) break
  }
  return position
}

/** Quotes the text after the quotation mark, so that people can search for it. */
const quoteNotClosed = (text: string, position: number) => {
  const [line = ''] = truncate(text.slice(position + 1), quoted_length_max).split(/[\r\n]/)
  return unreadable(`A quote is never closed${line && `: the one before ${line}`}.`)
}

const rowTooLong = () =>
  unreadable(`A row is too long (more than ${row_length_max} characters), or a quote is never closed.`)
