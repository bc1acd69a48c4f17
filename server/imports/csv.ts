import { invalid, type Problem } from '../kit/problem.ts'

/** So much is looked at to know how the rest is written. */
const probe_bytes = 4096
const probe_characters = 64 * 1024
const record_length_max = 256 * 1024
const delimiters = [',', ';', '\t']

/**
 * Reads CSV, a list of rows for each piece that arrives. Encoding and delimiter are found by themselves; a quoted cell
 * may hold line breaks, delimiters and doubled quotes; rows without any text are left out.
 */
export async function* readRows(bytes: AsyncIterable<Buffer>): AsyncGenerator<string[][]> {
  let delimiter: string | undefined
  let text = ''
  for await (const { piece, is_last } of withLast(decoded(bytes))) {
    text += piece
    if (delimiter === undefined) {
      if (!is_last && text.length < probe_characters) continue
      const said = /^sep=(.)\r?\n/.exec(text)
      delimiter = said?.[1] ?? delimiterOf(text)
      text = text.slice(said?.[0].length ?? 0)
    }
    const { rows, read } = parse(text, delimiter, is_last)
    text = text.slice(read)
    if (text.length > record_length_max) throw unreadable('A row is too long, or a quote is never closed.')
    yield rows.filter((cells) => cells.some((cell) => cell.trim() !== ''))
  }
}

/** All whole rows in the text, and how much of it they take. What is cut off is read again with the next piece. */
export function parse(text: string, delimiter: string, is_last: boolean): { rows: string[][]; read: number } {
  const separator = delimiter.charCodeAt(0)
  const rows: string[][] = []
  let cells: string[] = []
  let read = 0
  let at = 0
  while (at < text.length || (cells.length > 0 && is_last)) {
    let cell = ''
    if (text.charCodeAt(at) === quote) {
      const closing = closingQuote(text, at + 1)
      if (closing === -1 && is_last) throw unreadable('A quote is never closed.')
      if (closing === -1 || (closing + 1 === text.length && !is_last)) break
      cell = text.slice(at + 1, closing).replaceAll('""', '"')
      at = closing + 1
    }
    const end = cellEnd(text, at, separator)
    if (end === text.length && !is_last) break
    cells.push(cell + text.slice(at, end))
    at = end + 1
    if (text.charCodeAt(end) === separator) continue
    if (text.charCodeAt(end) === carriage_return) {
      if (at === text.length && !is_last) break
      if (text.charCodeAt(at) === line_feed) at += 1
    }
    rows.push(cells)
    cells = []
    read = Math.min(at, text.length)
  }
  return { rows, read }
}

const quote = 34
const line_feed = 10
const carriage_return = 13

function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from)
  while (at !== -1 && text.charCodeAt(at + 1) === quote) at = text.indexOf('"', at + 2)
  return at
}

function cellEnd(text: string, from: number, separator: number): number {
  let at = from
  for (; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit === separator || unit === line_feed || unit === carriage_return) break
  }
  return at
}

/** The one that stands in the first row most often, outside of quotes. */
function delimiterOf(text: string): string {
  const outside = text.replace(/"[^"]*"/g, '').trimStart()
  const [first_row = ''] = /^.*/.exec(outside) ?? []
  const countOf = (delimiter: string) => first_row.split(delimiter).length
  return delimiters.toSorted((left, right) => countOf(right) - countOf(left))[0] ?? ','
}

async function* decoded(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let probe: Buffer | undefined = Buffer.alloc(0)
  let decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (piece?: Buffer): string => {
    try {
      // No text of the database can hold the character 0, and no person misses it.
      return decoder.decode(piece, { stream: piece !== undefined }).replaceAll('\0', '')
    } catch {
      throw unreadable('The file is neither UTF-8 nor UTF-16. Save it as "CSV UTF-8".')
    }
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
