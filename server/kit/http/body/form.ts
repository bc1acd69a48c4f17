import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { invalid, malformedRequest, Problem, payloadTooLarge, requestTimeout } from '../../problem.ts'
import { truncate } from '../../text.ts'
import { hasControlCharacters } from '../validate-text.ts'
import { readChunks } from './chunks.ts'
import { readFormParts } from './multipart.ts'

/** An upload has no time limit, but it may not pause for longer than this. */
const pause_max_ms = 30_000
const options_bytes_max = 64 * 1024
const file_name_length_max = 255
const content_type_length_max = 255
const part_name_length_max = 100
/** A form may have this many bytes beside its file, for boundaries, part headers and options. */
const overhead_bytes_max = options_bytes_max + 48 * 1024

/** A form that was read. Its file was passed to `store` while it arrived and is not in memory. */
export interface Form {
  /** The ID that `store` returned. */
  stored_id: string
  file_name: string | null
  options: Buffer | undefined
  /** SHA-256 of each part, by part name. */
  hashes: Record<string, string>
}

interface FormOptions {
  bytes_max: number
  store: (bytes: AsyncIterable<Buffer>) => Promise<string>
  /** Must not fail: its error would hide why the form was rejected. */
  discard: (stored_id: string) => Promise<void>
}

export const isFormType = (content_type: string | undefined): boolean =>
  /^multipart\/form-data\s*;.*boundary=/i.test((content_type ?? '').slice(0, content_type_length_max))

export const isFormTooLong = (content_length: string | undefined, bytes_max: number): boolean =>
  Number(content_length ?? 0) > bytes_max + overhead_bytes_max

/** Reads a form with the part `file` and optionally the part `options`, in any order. Doesn't read the rest of a form that it rejects. */
export async function readForm(headers: IncomingHttpHeaders, body: Readable, form_options: FormOptions): Promise<Form> {
  const { bytes_max, store, discard } = form_options
  const hashes: Record<string, string> = {}
  let options: Buffer | undefined
  let file: { stored_id: string; name: string | null } | undefined
  try {
    const chunks = readWithLimits(body, bytes_max)
    for await (const part of readFormParts(headers['content-type'] ?? '', chunks)) {
      const { name = '', bytes } = part
      if (Object.hasOwn(hashes, name)) throw repeatedPart(name)
      if (!['file', 'options'].includes(name)) throw unknownPart(name)
      const hash = createHash('sha256')
      if (name === 'options') options = await readAll(hashWhileReading(bytes, hash, options_bytes_max))
      else {
        const file_name = checkFileName(part.file_name)
        file = { stored_id: await store(hashWhileReading(bytes, hash, bytes_max)), name: file_name }
      }
      hashes[name] = hash.digest('base64')
    }
    if (!file) throw invalid([{ path: 'file', code: 'required', message: 'file is required.' }])
    return { stored_id: file.stored_id, file_name: file.name, options, hashes }
  } catch (error) {
    if (file) await discard(file.stored_id)
    throw error
  }
}

async function* hashWhileReading(
  bytes: AsyncIterable<Buffer>,
  hash: ReturnType<typeof createHash>,
  bytes_max: number,
): AsyncGenerator<Buffer> {
  let length = 0
  for await (const chunk of bytes) {
    length += chunk.length
    if (length > bytes_max) throw payloadTooLarge(bytes_max)
    hash.update(chunk)
    yield chunk
  }
}

async function readAll(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Rejects a body that is too long or pauses too long. Leaves it open for the response if the reader stops early. */
async function* readWithLimits(body: Readable, bytes_max: number): AsyncGenerator<Buffer> {
  const chunks = readChunks(body)
  let length = 0
  try {
    for (;;) {
      const { done, value } = await withTimeout(chunks.next())
      if (done) return
      length += value.length
      if (length > bytes_max + overhead_bytes_max) throw payloadTooLarge(bytes_max)
      yield value
    }
  } catch (error) {
    // Any other error means that the connection was lost.
    throw error instanceof Problem ? error : malformedRequest()
  } finally {
    void chunks.return(undefined).catch(() => {})
  }
}

/** Limits the wait for the client only, not the time to process the previous chunk. */
function withTimeout<T>(next: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(requestTimeout()), pause_max_ms)
    next.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function checkFileName(file_name: string | undefined): string | null {
  if (!file_name) return null
  if (!hasControlCharacters(file_name)) return truncate(file_name, file_name_length_max)
  const message = 'The file name must not contain control characters.'
  throw invalid([{ path: 'file', code: 'invalid_characters', message }])
}

function repeatedPart(name: string): Problem {
  return invalid([{ path: name, code: 'repeated', message: `${name} must be sent only once.` }])
}

function unknownPart(name: string): Problem {
  const path = truncate(name, part_name_length_max)
  const reason = path === '' ? 'A part has no name' : `${path} is unknown`
  return invalid([{ path, code: 'unknown', message: `${reason}. Send one part "file" and one part "options".` }])
}
