import { setImmediate } from 'node:timers/promises'
import { invalid, type Problem } from '../kit/problem.ts'
import { cut } from '../kit/text.ts'

/** So much is looked at to know how the rest is written. */
const probe_bytes = 4096
const probe_characters = 64 * 1024
/** Rows are parsed in steps of so much new text: the beginning of a long row is read again with each step. */
const step_characters = 64 * 1024
/** And no more of them in one turn of the event loop. */
const step_rows = 4_000
const record_length_max = 256 * 1024
/** Of a row. One with more has an empty cell after these, and no further ones. */
export const cells_max = 200
/** Of the text that an error shows. */
const quoted_length_max = 40
const delimiters = [',', ';', '\t']

/**
 * Reads CSV, a list of rows for each step of text that arrives. Encoding and delimiter are found by themselves; a quoted
 * cell may hold line breaks, delimiters and doubled quotes; rows without any text are left out.
 */
export async function* readRows(bytes: AsyncIterable<Buffer>): AsyncGenerator<string[][]> {
  let delimiter: string | undefined
  let text = ''
  let left = 0
  for await (const { piece, is_last } of withLast(decoded(bytes))) {
    text += piece
    if (!is_last && text.length - left < step_characters) continue
    if (delimiter === undefined) {
      const said = /^sep=(.)\r?\n/.exec(text)
      delimiter = said?.[1] ?? delimiterOf(text)
      text = text.slice(said?.[0].length ?? 0)
    }
    for (let is_more = true; is_more; ) {
      const { rows, read } = parse(text, delimiter, is_last)
      text = text.slice(read)
      is_more = rows.length === step_rows
      yield rows
      // Many reads of a socket may follow each other in one turn of the event loop: others come in between.
      await setImmediate()
    }
    left = text.length
    if (left > record_length_max) throw tooLong()
  }
}

/** The whole rows in the text, and how much of it they take. What is cut off is read again with the next step. */
function parse(text: string, delimiter: string, is_last: boolean): { rows: string[][]; read: number } {
  const separator = delimiter.charCodeAt(0)
  const rows: string[][] = []
  let read = 0
  while (read < text.length && rows.length < step_rows) {
    // Between rows: lines without anything in them.
    if (isLineBreak(text.charCodeAt(read))) {
      read += 1
      continue
    }
    const row = parseRow(text, read, separator, is_last)
    if (!row) break
    if (row.end - read > record_length_max) throw tooLong()
    if (row.has_text) rows.push(row.cells)
    read = row.end
  }
  return { rows, read }
}

/** The row that begins here, up to its line break; undefined when the text ends before it does. */
function parseRow(
  text: string,
  from: number,
  separator: number,
  is_last: boolean,
): { cells: string[]; has_text: boolean; end: number } | undefined {
  const cells: string[] = []
  let has_text = false
  for (let at = from; ; at += 1) {
    let quoted = ''
    if (text.charCodeAt(at) === quote) {
      const closing = closingQuote(text, at + 1)
      if (closing === -1 && is_last) throw neverClosed(text, at)
      if (closing === -1 || (closing + 1 === text.length && !is_last)) return undefined
      if (cells.length <= cells_max || !has_text) quoted = text.slice(at + 1, closing).replaceAll('""', '"')
      at = closing + 1
    }
    const end = cellEnd(text, at, separator)
    if (end === text.length && !is_last) return undefined
    const cell = end > at ? quoted + text.slice(at, end) : quoted
    has_text ||= cell.trim() !== ''
    if (cells.length <= cells_max) cells.push(cells.length < cells_max ? cell : '')
    at = end
    if (text.charCodeAt(end) !== separator) return { cells, has_text, end }
  }
}

const quote = 34
const line_feed = 10
const carriage_return = 13

const isLineBreak = (unit: number): boolean => unit === line_feed || unit === carriage_return

function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from)
  while (at !== -1 && text.charCodeAt(at + 1) === quote) at = text.indexOf('"', at + 2)
  return at
}

function cellEnd(text: string, from: number, separator: number): number {
  let at = from
  for (; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit === separator || isLineBreak(unit)) break
  }
  return at
}

/** The one that stands in the first row most often, outside of quotes. */
function delimiterOf(text: string): string {
  const outside = text
    .slice(0, probe_characters)
    .replace(/"[^"]*"/g, '')
    .trimStart()
  const [first_row = ''] = /^.*/.exec(outside) ?? []
  const counts = delimiters.map((delimiter) => first_row.split(delimiter).length)
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ','
}

async function* decoded(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let probe: Buffer | undefined = Buffer.alloc(0)
  let decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (piece?: Buffer): string => {
    const text = decodeWith(decoder, piece)
    // UTF-16 explains zeros among the bytes, nothing explains them among the characters.
    if (text.includes('\0'))
      throw unreadable('The file is not text: it holds the character NUL. Save it as "CSV UTF-8".')
    return text
  }
  for await (const piece of bytes) {
    if (!probe) {
      yield decode(piece)
      continue
    }
    probe = Buffer.concat([probe, piece])
    if (probe.length < probe_bytes) continue
    decoder = new TextDecoder(encodingOf(probe), { fatal: true })
    yield decode(probe)
    probe = undefined
  }
  if (probe) {
    decoder = new TextDecoder(encodingOf(probe), { fatal: true })
    yield decode(probe)
  }
  yield decode()
}

function decodeWith(decoder: TextDecoder, piece: Buffer | undefined): string {
  try {
    return decoder.decode(piece, { stream: piece !== undefined })
  } catch {
    throw unreadable('The file is neither UTF-8 nor UTF-16. Save it as "CSV UTF-8".')
  }
}

/** By the byte order mark, or by where the zeros are that every second byte of most UTF-16 is. */
function encodingOf(probe: Buffer): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (probe[0] === 0xff && probe[1] === 0xfe) return 'utf-16le'
  if (probe[0] === 0xfe && probe[1] === 0xff) return 'utf-16be'
  const zerosAt = (parity: number) => probe.filter((byte, index) => byte === 0 && index % 2 === parity).length
  const [even, odd] = [zerosAt(0), zerosAt(1)]
  if (Math.max(even, odd) < probe.length / 8) return 'utf-8'
  return odd > even ? 'utf-16le' : 'utf-16be'
}

async function* withLast(pieces: AsyncIterable<string>): AsyncGenerator<{ piece: string; is_last: boolean }> {
  for await (const piece of pieces) yield { piece, is_last: false }
  yield { piece: '', is_last: true }
}

const unreadable = (message: string): Problem => invalid([{ path: 'file', code: 'format', message }])

/** With what follows the quote, so that it can be searched for. */
const neverClosed = (text: string, at: number): Problem => {
  const [line = ''] = cut(text.slice(at + 1), quoted_length_max).split(/[\r\n]/)
  return unreadable(`A quote is never closed${line && `: the one before ${line}`}.`)
}

const tooLong = (): Problem => unreadable('A row is too long, or a quote is never closed.')
