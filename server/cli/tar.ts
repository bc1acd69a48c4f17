/** Reads and writes tar archives (ustar) with regular files. */

export interface TarEntry {
  name: string
  /** In bytes. */
  size: number
  /** Read it before the next entry. */
  content: AsyncIterable<Buffer> | Iterable<Buffer>
}

/** The archive is damaged, or is none. */
export class TarError extends Error {}

const block_bytes = 512
const name_bytes_max = 100
const prefix_bytes_max = 155
/** Eleven octal digits. */
const size_max = 8 ** 11 - 1
const magic = 'ustar\u000000'
/** The sum of the header's bytes, which are counted as if this field were spaces. */
const sum_field = { start: 148, end: 156 }

/** Fails when an entry has more or fewer bytes than its size. */
export async function* writeTar(
  entries: AsyncIterable<TarEntry>,
  { mtime_ms }: { mtime_ms: number },
): AsyncGenerator<Buffer> {
  for await (const { name, size, content } of entries) {
    yield formatHeader(name, size, mtime_ms)
    let written = 0
    for await (const bytes of content) {
      written += bytes.length
      yield bytes
    }
    if (written !== size) throw new TarError(`${name} has ${written} bytes instead of ${size}`)
    yield Buffer.alloc(paddingOf(size))
  }
  yield Buffer.alloc(2 * block_bytes)
}

/** Reads until the end of the source. Fails when the archive is not complete, or has more after its end. */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const reader = openReader(source)
  for (;;) {
    const header = await reader.read(block_bytes)
    if (header.every((byte) => byte === 0)) break
    const { name, size } = parseHeader(header)
    const content = reader.stream(size)
    yield { name, size, content }
    for await (const _rest of content);
    await reader.read(paddingOf(size))
  }
  const end = await reader.read(block_bytes)
  if (end.some((byte) => byte !== 0)) throw new TarError('its end is damaged')
  for await (const _rest of reader.stream(Number.POSITIVE_INFINITY)) throw new TarError('it has bytes after its end')
}

const paddingOf = (size: number): number => (block_bytes - (size % block_bytes)) % block_bytes

function formatHeader(name: string, size: number, mtime_ms: number): Buffer {
  if (size > size_max) throw new TarError(`${name} is too large: ${size} bytes`)
  const [prefix, rest] = splitName(name)
  const header = Buffer.alloc(block_bytes)
  header.write(rest, 0)
  header.write('0000600\u00000000000\u00000000000\u0000', 100)
  header.write(`${octal(size, 11)}\u0000${octal(Math.floor(mtime_ms / 1000), 11)}\u0000`, 124)
  header.write('0', 156)
  header.write(magic, 257)
  header.write(prefix, 345)
  header.write(`${octal(sumOf(header), 6)}\u0000 `, sum_field.start)
  return header
}

const octal = (number: number, digits: number): string => number.toString(8).padStart(digits, '0')

/** Long names are stored in two parts, without the slash between them. */
function splitName(name: string): [prefix: string, rest: string] {
  if (Buffer.byteLength(name) <= name_bytes_max) return ['', name]
  for (let slash = name.indexOf('/'); slash > 0; slash = name.indexOf('/', slash + 1)) {
    const [prefix, rest] = [name.slice(0, slash), name.slice(slash + 1)]
    if (Buffer.byteLength(rest) <= name_bytes_max && Buffer.byteLength(prefix) <= prefix_bytes_max)
      return [prefix, rest]
  }
  throw new TarError(`the name is too long: ${name}`)
}

function parseHeader(header: Buffer): { name: string; size: number } {
  const text = (start: number, end: number): string => header.toString('utf8', start, end).split('\u0000')[0] ?? ''
  const number = (start: number, end: number): number => Number.parseInt(text(start, end), 8)
  const is_file = header.toString('latin1', 257, 265) === magic && text(156, 157) === '0'
  if (!is_file || number(sum_field.start, sum_field.end) !== sumOf(header)) throw new TarError('a header is damaged')
  const [prefix, rest] = [text(345, 500), text(0, name_bytes_max)]
  return { name: prefix === '' ? rest : `${prefix}/${rest}`, size: number(124, 136) }
}

function sumOf(header: Buffer): number {
  const { start, end } = sum_field
  return header.reduce((sum, byte, index) => sum + (index >= start && index < end ? 0x20 : byte), 0)
}

/** Reads exact numbers of bytes from a source. */
function openReader(source: AsyncIterable<Buffer>) {
  const chunks = source[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)

  /** At most `bytes_max`, and nothing only at the end of the source. */
  async function readSome(bytes_max: number): Promise<Buffer | undefined> {
    while (rest.length === 0) {
      const { value, done } = await chunks.next()
      if (done) return undefined
      rest = value
    }
    const some = rest.subarray(0, bytes_max)
    rest = rest.subarray(some.length)
    return some
  }

  /** The content can be iterated again: it then goes on where the last iteration has ended. */
  function stream(size: number): AsyncIterable<Buffer> {
    let left = size
    return {
      async *[Symbol.asyncIterator]() {
        while (left > 0) {
          const some = await readSome(left)
          if (!some && left === Number.POSITIVE_INFINITY) return
          if (!some) throw new TarError('the archive is not complete')
          left -= some.length
          yield some
        }
      },
    }
  }

  return {
    stream,
    async read(bytes: number): Promise<Buffer> {
      return Buffer.concat(await Array.fromAsync(stream(bytes)))
    },
  }
}
