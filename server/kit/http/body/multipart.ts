import { malformedForm } from '../../problem.ts'

/** The longest boundary that RFC 2046 allows. */
const boundary_length_max = 70
/** The headers of one part. */
const head_bytes_max = 16 * 1024

export interface Part {
  /** Undefined when its Content-Disposition has none. */
  name: string | undefined
  file_name: string | undefined
  /** What is left of it when the next part is asked for is dropped. */
  bytes: AsyncIterable<Buffer>
}

/**
 * The parts of a multipart/form-data body (RFC 7578), in their order, as they arrive. Everything is pulled: what goes
 * wrong is thrown to the reader, and nothing is read ahead of it.
 */
export async function* readParts(content_type: string, body: AsyncIterable<Buffer>): AsyncGenerator<Part> {
  const delimiter = Buffer.from(`\r\n--${boundaryOf(content_type)}`, 'latin1')
  const source = body[Symbol.asyncIterator]()
  // The first boundary may stand at the very beginning.
  let held: Buffer = Buffer.from('\r\n')
  /** Whether all of the content up to the last delimiter was taken from `held`. */
  let is_at_end = false

  async function readMore(): Promise<void> {
    const next = await source.next()
    if (next.done) throw malformedForm('The form ends before its closing boundary.')
    held = held.length === 0 ? next.value : Buffer.concat([held, next.value])
  }

  async function* readToDelimiter(): AsyncGenerator<Buffer> {
    for (;;) {
      const at = held.indexOf(delimiter)
      // The end of what has arrived may be the beginning of a delimiter.
      const sure = at === -1 ? Math.max(0, held.length - delimiter.length + 1) : at
      const bytes = held.subarray(0, sure)
      held = held.subarray(at === -1 ? sure : at + delimiter.length)
      is_at_end = at !== -1
      if (bytes.length > 0) yield bytes
      if (is_at_end) return
      await readMore()
    }
  }

  /** From the end of a boundary to the empty line before the part's content. */
  async function readHead(): Promise<string> {
    for (let searched = 0; ; await readMore()) {
      const end = held.indexOf('\r\n\r\n', searched)
      if ((end === -1 ? held.length : end) > head_bytes_max)
        throw malformedForm(`The head of a part may have at most ${head_bytes_max} bytes.`)
      if (end !== -1) {
        const head = held.toString('utf8', 0, end)
        held = held.subarray(end + 4)
        return head
      }
      searched = Math.max(0, held.length - 3)
    }
  }

  try {
    // A preamble says nothing.
    for await (const _ of readToDelimiter());
    for (;;) {
      while (held.length < 2) await readMore()
      if (held.toString('latin1', 0, 2) === '--') break
      const head = await readHead()
      is_at_end = false
      yield { ...described(head), bytes: readToDelimiter() }
      // Another one: a reader that has stopped midway has ended the first.
      if (!is_at_end) for await (const _ of readToDelimiter());
    }
    // Nor does an epilogue.
    while (!(await source.next()).done);
  } finally {
    await source.return?.()
  }
}

function boundaryOf(content_type: string): string {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]*)"|([^\s;"]*))/i.exec(content_type) ?? []
  const boundary = quoted ?? bare ?? ''
  if (boundary.length >= 1 && boundary.length <= boundary_length_max) return boundary
  throw malformedForm(`The Content-Type must name a boundary of 1 to ${boundary_length_max} characters.`)
}

function described(head: string): Pick<Part, 'name' | 'file_name'> {
  const [padding = '', ...lines] = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')
  if (padding.trim() !== '') throw malformedForm('A boundary must be followed by a line break or by "--".')
  const headerOf = (header: string) =>
    lines.find((line) => line.toLowerCase().startsWith(`${header}:`))?.slice(header.length + 1)
  const encoding = headerOf('content-transfer-encoding')?.trim()
  if (encoding && !/^(7bit|8bit|binary)$/i.test(encoding))
    throw malformedForm('No Content-Transfer-Encoding is supported: send the bytes as they are.')
  const disposition = headerOf('content-disposition') ?? ''
  if (!/^\s*form-data\s*(;|$)/i.test(disposition)) return { name: undefined, file_name: undefined }
  const parameters = new Map<string, string>()
  for (const [, name = '', quoted, bare = ''] of disposition.matchAll(
    /;\s*([^\s;="]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;]*))/g,
  ))
    parameters.set(name.toLowerCase(), quoted?.replace(/\\(["\\])/g, '$1') ?? bare)
  const extended = parameters.get('filename*')
  const file_name = extended === undefined ? parameters.get('filename') : decoded(extended)
  // Some programs send the whole path.
  return { name: parameters.get('name'), file_name: file_name?.replace(/^.*[/\\]/s, '') }
}

/** A value as RFC 8187 writes it: the encoding, perhaps a language, and percent-encoded bytes. */
function decoded(value: string): string {
  try {
    const [, text] = /^utf-8'[^']*'(.*)$/i.exec(value) ?? []
    if (text !== undefined) return decodeURIComponent(text)
  } catch {}
  throw malformedForm("The name of the file can't be read: filename* must be percent-encoded UTF-8.")
}
