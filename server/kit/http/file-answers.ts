import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { letOthersRun } from '../let-others-run.ts'
import { preconditionFailed, rangeNotSatisfiable } from '../problem.ts'
import type { Answer, StreamedAnswer } from './envelope.ts'
import { formatEtag, matchesStrongly, matchesWeakly } from './etag.ts'
import type { PiecedContent, StoredContent } from './file-content.ts'
import { readHeader } from './headers.ts'

const chunk_characters = 64 * 1024

export const fileHeaders = ({ content_type, name }: { content_type: string; name: string }) => ({
  'content-type': content_type,
  'content-disposition': `attachment; filename="${name}"`,
})

/** Generates the whole content, because the ETag is sent before it. */
export async function piecedAnswer({ file, pieces }: PiecedContent): Promise<StreamedAnswer> {
  const hash = createHash('sha1')
  const chunks: Buffer[] = []
  let size = 0
  let text = ''
  const addChunk = () => {
    const chunk = Buffer.from(text)
    chunks.push(chunk)
    hash.update(chunk)
    size += chunk.length
    text = ''
  }
  for (const piece of pieces) {
    text += piece
    if (text.length >= chunk_characters) addChunk()
    await letOthersRun({ is_urgent: true })
  }
  addChunk()
  const etag = formatEtag(hash.digest('base64url'))
  return {
    status: 200,
    headers: { ...(file && fileHeaders(file)), etag, 'content-length': String(size) },
    body: Readable.from(chunks),
  }
}

/** Answers GET and HEAD with a file or one range of it, as RFC 9110 describes. */
export async function storedFileAnswer(
  request: IncomingMessage,
  file_headers: Record<string, string>,
  { size, version, read }: StoredContent,
): Promise<Answer | StreamedAnswer> {
  const etag = formatEtag(version)
  const if_match = readHeader(request, 'if-match')
  if (if_match !== undefined && !matchesStrongly(if_match, etag)) throw preconditionFailed()
  const headers = { ...file_headers, etag, 'accept-ranges': 'bytes' }
  const if_none_match = readHeader(request, 'if-none-match')
  if (if_none_match !== undefined && matchesWeakly(if_none_match, etag)) return { status: 304, headers, body: '' }
  const whole = { ...headers, 'content-length': String(size) }
  if (request.method === 'HEAD') return { status: 200, headers: whole, body: Readable.from([]) }
  const if_range = readHeader(request, 'if-range')
  const is_same = if_range === undefined || if_range.trim() === etag
  const range = is_same ? parseRange(readHeader(request, 'range'), size) : undefined
  if (!range) return { status: 200, headers: whole, body: await read() }
  const { start, end } = range
  return {
    status: 206,
    headers: {
      ...headers,
      'content-length': String(end - start + 1),
      'content-range': `bytes ${start}-${end}/${size}`,
    },
    body: await read(range),
  }
}

/** Undefined means the whole file: there is no range, several ones, units other than bytes, or one that is not valid. */
function parseRange(header: string | undefined, size: number): { start: number; end: number } | undefined {
  const [match, first, last = '', suffix] = one_range.exec(header?.trim() ?? '') ?? []
  if (match === undefined || (first !== undefined && last !== '' && Number(last) < Number(first))) return undefined
  const start = first === undefined ? Math.max(0, size - Number(suffix)) : Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (start > end) throw rangeNotSatisfiable(size)
  return { start, end }
}

/** Matches positions of the first and the last byte, or a number of bytes at the end. */
const one_range = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/i
