import { malformedForm } from '../../problem.ts'

/** The longest boundary that RFC 2046 allows. */
const boundary_length_max = 70
/** The headers of one part may have this many bytes. */
const part_headers_bytes_max = 16 * 1024

export interface FormPart {
  /** Undefined if its Content-Disposition has no name. */
  name: string | undefined
  file_name: string | undefined
  /** Unread bytes are dropped when the next part is requested. */
  bytes: AsyncIterable<Buffer>
}

/**
 * The parts of a multipart/form-data body (RFC 7578) in order, as they arrive. Reads only on demand: nothing is read ahead,
 * and every error is thrown to the reader.
 */
export async function* readFormParts(content_type: string, body: AsyncIterable<Buffer>): AsyncGenerator<FormPart> {
  const delimiter = Buffer.from(`\r\n--${parseBoundary(content_type)}`, 'latin1')
  const source = body[Symbol.asyncIterator]()
  // The body is read as if it began with a line break, which each boundary has before it, also one at the very start.
  let unread: Buffer = Buffer.from('\r\n')
  /** Whether everything before the last delimiter was taken from `unread`. */
  let is_at_end = false

  async function readMore(): Promise<void> {
    const next = await source.next()
    if (next.done) throw malformedForm('The form ends before its closing boundary.')
    unread = unread.length === 0 ? next.value : Buffer.concat([unread, next.value])
  }

  async function* readToDelimiter(): AsyncGenerator<Buffer> {
    for (;;) {
      const found = unread.indexOf(delimiter)
      // The last bytes may be the start of a delimiter.
      const end = found === -1 ? Math.max(0, unread.length - delimiter.length + 1) : found
      const bytes = unread.subarray(0, end)
      unread = unread.subarray(found === -1 ? end : found + delimiter.length)
      is_at_end = found !== -1
      if (bytes.length > 0) yield bytes
      if (is_at_end) return
      await readMore()
    }
  }

  /** Reads from the end of a boundary to the empty line before the content. */
  async function readPartHeaders(): Promise<string> {
    for (let searched = 0; ; await readMore()) {
      const end = unread.indexOf('\r\n\r\n', searched)
      if ((end === -1 ? unread.length : end) > part_headers_bytes_max)
        throw malformedForm(`The headers of a part must have at most ${part_headers_bytes_max} bytes.`)
      if (end !== -1) {
        const headers = unread.toString('utf8', 0, end)
        unread = unread.subarray(end + 4)
        return headers
      }
      searched = Math.max(0, unread.length - 3)
    }
  }

  try {
    // Skips the preamble.
    for await (const _ of readToDelimiter());
    for (;;) {
      while (unread.length < 2) await readMore()
      if (unread.toString('latin1', 0, 2) === '--') break
      const headers = await readPartHeaders()
      is_at_end = false
      yield { ...parsePartHeaders(headers), bytes: readToDelimiter() }
      // Reads the rest with a new generator: a reader that stopped early has ended the first one.
      if (!is_at_end) for await (const _ of readToDelimiter());
    }
    // Skips the epilogue.
    while (!(await source.next()).done);
  } finally {
    await source.return?.()
  }
}

function parseBoundary(content_type: string): string {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]*)"|([^\s;"]*))/i.exec(content_type) ?? []
  const boundary = quoted ?? bare ?? ''
  if (boundary.length >= 1 && boundary.length <= boundary_length_max) return boundary
  throw malformedForm(`The Content-Type must have a boundary of 1 to ${boundary_length_max} characters.`)
}

function parsePartHeaders(headers: string): Pick<FormPart, 'name' | 'file_name'> {
  const [padding = '', ...lines] = headers.replace(/\r\n[ \t]+/g, ' ').split('\r\n')
  if (padding.trim() !== '') throw malformedForm('A boundary must be followed by a line break or by "--".')
  const findHeader = (header: string) =>
    lines.find((line) => line.toLowerCase().startsWith(`${header}:`))?.slice(header.length + 1)
  const encoding = findHeader('content-transfer-encoding')?.trim()
  if (encoding && !/^(7bit|8bit|binary)$/i.test(encoding))
    throw malformedForm('Content-Transfer-Encoding is not supported. Send the bytes without encoding.')
  const disposition = findHeader('content-disposition') ?? ''
  if (!/^\s*form-data\s*(;|$)/i.test(disposition)) return { name: undefined, file_name: undefined }
  const parameters = new Map<string, string>()
  for (const [, name = '', quoted, bare = ''] of disposition.matchAll(
    /;\s*([^\s;="]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;]*))/g,
  ))
    parameters.set(name.toLowerCase(), quoted?.replace(/\\(["\\])/g, '$1') ?? bare)
  const extended = parameters.get('filename*')
  const file_name = extended === undefined ? parameters.get('filename') : decodeExtendedValue(extended)
  // Some clients send the whole path as the name of a file.
  return { name: parameters.get('name'), file_name: file_name?.replace(/^.*[/\\]/s, '') }
}

/** Decodes a value of RFC 8187: the encoding, optionally a language, and percent-encoded bytes. */
function decodeExtendedValue(value: string): string {
  try {
    const [, text] = /^utf-8'[^']*'(.*)$/i.exec(value) ?? []
    if (text !== undefined) return decodeURIComponent(text)
  } catch {}
  throw malformedForm('The file name is invalid: filename* must be percent-encoded UTF-8.')
}
