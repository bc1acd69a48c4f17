import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { invalid, malformedRequest, Problem, payloadTooLarge, requestTimeout } from '../../problem.ts'
import { cut } from '../../text.ts'
import { hasControlCharacters } from '../validate-text.ts'
import { readPieces } from './chunks.ts'
import { readParts } from './multipart.ts'

/** An upload may take as long as it takes, but not stand still. */
const silence_max_ms = 30_000
const options_bytes_max = 64 * 1024
const name_length_max = 255
const shown_length_max = 100
/** What stands around the file: the boundaries, the parts' heads and the options. */
const around_bytes_max = options_bytes_max + 48 * 1024

/** The parts of a form: the file is given on while it arrives, and only what `keep` made of it is held. */
export interface Form {
  kept: string
  file_name: string | null
  options: Buffer | undefined
  /** SHA-256 of each part, by its name. */
  hashes: Record<string, string>
}

interface Limits {
  bytes_max: number
  keep: (bytes: AsyncIterable<Buffer>) => Promise<string>
  /** Must not fail: it would hide why the form was refused. */
  letGo: (kept: string) => Promise<void>
}

export const isForm = (content_type: string | undefined): boolean =>
  /^multipart\/form-data\s*;.*boundary=/i.test((content_type ?? '').slice(0, name_length_max))

export const isTooLong = (content_length: string | undefined, bytes_max: number): boolean =>
  Number(content_length ?? 0) > bytes_max + around_bytes_max

/** Reads a form with the part `file` and perhaps a part `options`, in any order. Leaves the rest of a body that it refuses. */
export async function readForm(headers: IncomingHttpHeaders, body: Readable, limits: Limits): Promise<Form> {
  const { bytes_max, keep, letGo } = limits
  const hashes: Record<string, string> = {}
  let options: Buffer | undefined
  let file: { kept: string; name: string | null } | undefined
  try {
    const arriving = watched(body, bytes_max)
    for await (const part of readParts(headers['content-type'] ?? '', arriving)) {
      const { name = '', bytes } = part
      const is_repeated = Object.hasOwn(hashes, name)
      if (is_repeated || !['file', 'options'].includes(name)) throw unexpectedPart(name, is_repeated)
      const hash = createHash('sha256')
      if (name === 'options') options = await readOptions(hashed(bytes, hash, options_bytes_max))
      else {
        const file_name = fileNameOf(part.file_name)
        file = { kept: await keep(hashed(bytes, hash, bytes_max)), name: file_name }
      }
      hashes[name] = hash.digest('base64')
    }
    if (!file) throw invalid([{ path: 'file', code: 'required', message: 'file is required.' }])
    return { kept: file.kept, file_name: file.name, options, hashes }
  } catch (error) {
    if (file) await letGo(file.kept)
    throw error
  }
}

async function* hashed(
  bytes: AsyncIterable<Buffer>,
  hash: ReturnType<typeof createHash>,
  bytes_max: number,
): AsyncGenerator<Buffer> {
  let length = 0
  for await (const piece of bytes) {
    length += piece.length
    if (length > bytes_max) throw payloadTooLarge(bytes_max)
    hash.update(piece)
    yield piece
  }
}

async function readOptions(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of bytes) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** The body, which is left open for the answer when it is read no further. */
async function* watched(body: Readable, bytes_max: number): AsyncGenerator<Buffer> {
  const pieces = readPieces(body)
  let length = 0
  try {
    for (;;) {
      const { done, value } = await inTime(pieces.next())
      if (done) return
      length += value.length
      if (length > bytes_max + around_bytes_max) throw payloadTooLarge(bytes_max)
      yield value
    }
  } catch (error) {
    // The connection broke off: nobody will hear it.
    throw error instanceof Problem ? error : malformedRequest()
  } finally {
    void pieces.return(undefined).catch(() => {})
  }
}

/** Only the sender is waited for here, not what is done with the piece before. */
function inTime<T>(next: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(requestTimeout()), silence_max_ms)
    next.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function fileNameOf(said: string | undefined): string | null {
  if (!said) return null
  if (!hasControlCharacters(said)) return cut(said, name_length_max)
  const message = 'The name of the file may not hold control characters.'
  throw invalid([{ path: 'file', code: 'invalid_characters', message }])
}

function unexpectedPart(name: string, is_repeated: boolean): Problem {
  const path = cut(name, shown_length_max)
  if (is_repeated) return invalid([{ path, code: 'repeated', message: `${path} may be sent only once.` }])
  const said = path === '' ? 'A part has no name' : `${path} is not known here`
  return invalid([{ path, code: 'unknown', message: `${said}. Send one part "file" and one part "options".` }])
}
