import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { invalid, malformedRequest, Problem, payloadTooLarge, requestTimeout } from './problem.ts'

/** An upload may take as long as it takes, but not stand still. */
const silence_max_ms = 30_000
const options_bytes_max = 64 * 1024
const name_length_max = 255
/** What stands around the file: the boundaries, the parts' heads and the options. */
const around_bytes_max = options_bytes_max + 16 * 1024

/** The parts of a form: the file is given on while it arrives, and only what `keep` made of it is held. */
export interface Form {
  kept: string
  file_name: string | null
  options: string | undefined
  /** SHA-256 of each part, by its name. */
  hashes: Record<string, string>
}

interface Limits {
  bytes_max: number
  keep: (bytes: AsyncIterable<Buffer>) => Promise<string>
  letGo: (kept: string) => Promise<void>
}

export const isForm = (content_type: string | undefined): boolean =>
  /^multipart\/form-data\s*;.*boundary=/i.test((content_type ?? '').slice(0, name_length_max))

export const isTooLong = (content_length: string | undefined, bytes_max: number): boolean =>
  Number(content_length ?? 0) > bytes_max + around_bytes_max

/** Reads a form with the part `file` and perhaps a part `options`, in any order. */
export async function readForm(headers: IncomingHttpHeaders, body: Readable, limits: Limits): Promise<Form> {
  const { bytes_max, keep, letGo } = limits
  const hashes: Record<string, string> = {}
  const faults: Problem[] = []
  let options: string | undefined
  let file: { kept: Promise<string>; name: string | null } | undefined
  const busboy = newBusboy(headers, bytes_max)

  busboy.on('field', (name, value, _is_name_cut, is_cut) => {
    if (name !== 'options' || options !== undefined) return void faults.push(unknownPart(name))
    if (is_cut) faults.push(payloadTooLarge(options_bytes_max))
    options = value
    hashes.options = createHash('sha256').update(value).digest('base64')
  })
  busboy.on('file', (name, stream, file_name) => {
    if (name !== 'file' || file) {
      faults.push(unknownPart(name))
      return void stream.resume()
    }
    const kept = keep(hashed(stream, bytes_max, (hash) => Object.assign(hashes, { file: hash })))
    file = { kept, name: file_name ? file_name.slice(0, name_length_max) : null }
    // Whoever refuses what has come needn't see the rest.
    kept.catch((error: Error) => busboy.destroy(error))
  })

  const arrived = await settled(pipeline(watched(body), busboy))
  const kept = file && (await settled(file.kept))
  const fault = kept?.error ?? faults[0] ?? (arrived.error && unreadable(arrived.error)) ?? missing(file)
  if (!fault && file && kept?.value !== undefined) return { kept: kept.value, file_name: file.name, options, hashes }
  if (kept?.value !== undefined) await letGo(kept.value)
  throw fault
}

function newBusboy(headers: IncomingHttpHeaders, bytes_max: number): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': headers['content-type'] ?? '' },
      limits: { fileSize: bytes_max, files: 2, fields: 4, fieldSize: options_bytes_max, parts: 6 },
    })
  } catch {
    throw malformedRequest()
  }
}

async function* hashed(
  stream: Readable & { truncated?: boolean },
  bytes_max: number,
  tell: (hash: string) => void,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  for await (const bytes of stream) {
    hash.update(bytes)
    yield bytes
  }
  if (stream.truncated) throw payloadTooLarge(bytes_max)
  tell(hash.digest('base64'))
}

async function* watched(body: Readable): AsyncGenerator<Buffer> {
  const timer = setTimeout(() => body.destroy(requestTimeout()), silence_max_ms)
  try {
    for await (const bytes of body) {
      timer.refresh()
      yield bytes
    }
  } finally {
    clearTimeout(timer)
  }
}

async function settled<T>(promise: Promise<T>): Promise<{ value?: T; error?: unknown }> {
  try {
    return { value: await promise }
  } catch (error) {
    return { error }
  }
}

const unreadable = (error: unknown): unknown => (error instanceof Problem ? error : malformedRequest())

const missing = (file: object | undefined): Problem | undefined =>
  file ? undefined : invalid([{ path: 'file', code: 'required', message: 'file is required.' }])

const unknownPart = (name: string): Problem => {
  const shown = name.slice(0, 100)
  const message = `${shown} is not known here. Send one part "file" and one part "options".`
  return invalid([{ path: shown, code: 'unknown', message }])
}
