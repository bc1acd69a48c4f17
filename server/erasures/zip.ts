import { promisify } from 'node:util'
import { constants, crc32, deflateRaw } from 'node:zlib'
import * as clock from '../kit/clock.ts'

/** Writes ZIP archives of files whose sizes are not known before. */

export interface ZipEntry {
  name: string
  /** It is read before the next entry is asked for. Each piece is packed on its own, so it should have some kilobytes. */
  content: AsyncIterable<Buffer> | Iterable<Buffer>
}

interface Written {
  name: Buffer
  offset: number
  crc: number
  size: number
  packed_size: number
}

/** The sizes in front of and behind a file have 32 bits here. */
const entry_bytes_max = 0xff_ff_ff_fe
const is_in_extra = 0xff_ff_ff_ff
/** What the end of a small archive can say. A larger one has another end, too. */
const small_max = { entries: 0xff_fe, bytes: 0xff_ff_ff_fe }
const version = { needed: 20, needed_for_zip64: 45 }
/** The sizes follow the file, and its name is UTF-8. */
const flags = 0x08_08
const method_deflate = 8
/** An empty block that is the last one. */
const last_block = Buffer.from([3, 0])

const deflate = promisify<Buffer, { finishFlush: number }, Buffer>(deflateRaw)
/** A whole number of bytes that others can follow. */
const pack = (bytes: Buffer): Promise<Buffer> => deflate(bytes, { finishFlush: constants.Z_SYNC_FLUSH })

/** Archives and their positions may have more than 4 GB, and each file less. An empty piece of a file gives an empty piece. */
export async function* writeZip(
  entries: AsyncIterable<ZipEntry>,
  { mtime_ms, small = small_max }: { mtime_ms: number; small?: typeof small_max },
): AsyncGenerator<Buffer> {
  const time = dosTimeOf(mtime_ms)
  const all: Written[] = []
  let offset = 0
  const counted = (bytes: Buffer): Buffer => {
    offset += bytes.length
    return bytes
  }
  for await (const { name, content } of entries) {
    const entry = { name: Buffer.from(name), offset, crc: 0, size: 0, packed_size: 0 }
    yield counted(localHeader(entry, time))
    const start = offset
    for await (const bytes of content) {
      entry.crc = crc32(bytes, entry.crc)
      entry.size += bytes.length
      yield counted(bytes.length === 0 ? bytes : await pack(bytes))
    }
    yield counted(last_block)
    entry.packed_size = offset - start
    if (Math.max(entry.size, entry.packed_size) > entry_bytes_max)
      throw new Error(`${name} is too large for a ZIP file`)
    yield counted(sizesAfter(entry))
    all.push(entry)
  }
  const directory = Buffer.concat(all.map((entry) => directoryEntry(entry, time, small)))
  yield directory
  yield archiveEnd({ count: all.length, size: directory.length, offset }, small)
}

const localHeader = ({ name }: Written, time: number): Buffer =>
  Buffer.concat([
    numbers([4, 0x04034b50], [2, version.needed], [2, flags], [2, method_deflate], [4, time]),
    numbers([4, 0], [4, 0], [4, 0], [2, name.length], [2, 0]),
    name,
  ])

const sizesAfter = ({ crc, size, packed_size }: Written): Buffer =>
  numbers([4, 0x08074b50], [4, crc], [4, packed_size], [4, size])

function directoryEntry(
  { name, offset, crc, size, packed_size }: Written,
  time: number,
  small: typeof small_max,
): Buffer {
  const is_far = offset > small.bytes
  const extra = is_far ? numbers([2, 1], [2, 8], [8, offset]) : Buffer.alloc(0)
  const needed = is_far ? version.needed_for_zip64 : version.needed
  return Buffer.concat([
    numbers([4, 0x02014b50], [2, needed], [2, needed], [2, flags], [2, method_deflate], [4, time]),
    numbers([4, crc], [4, packed_size], [4, size], [2, name.length], [2, extra.length], [2, 0], [2, 0], [2, 0], [4, 0]),
    numbers([4, is_far ? is_in_extra : offset]),
    name,
    extra,
  ])
}

function archiveEnd(
  { count, size, offset }: { count: number; size: number; offset: number },
  small: typeof small_max,
): Buffer {
  const is_large = count > small.entries || offset + size > small.bytes
  const { needed_for_zip64: needed } = version
  const large_end = numbers(
    ...([
      [4, 0x06064b50],
      [8, 44],
      [2, needed],
      [2, needed],
      [4, 0],
      [4, 0],
    ] satisfies Field[]),
    ...([
      [8, count],
      [8, count],
      [8, size],
      [8, offset],
    ] satisfies Field[]),
    ...([
      [4, 0x07064b50],
      [4, 0],
      [8, offset + size],
      [4, 1],
    ] satisfies Field[]),
  )
  const shown_count = is_large ? 0xff_ff : count
  return Buffer.concat([
    is_large ? large_end : Buffer.alloc(0),
    numbers([4, 0x06054b50], [2, 0], [2, 0], [2, shown_count], [2, shown_count]),
    numbers([4, is_large ? is_in_extra : size], [4, is_large ? is_in_extra : offset], [2, 0]),
  ])
}

/** Two-second steps, without a time zone: UTC. The date is in the upper half. */
function dosTimeOf(time_ms: number): number {
  // The format begins in 1980.
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = formatted(time_ms).split(/\D/).map(Number)
  const date = ((year - 1980) << 9) | (month << 5) | day
  return date * 0x1_00_00 + ((hour << 11) | (minute << 5) | (second >> 1))
}

const formatted = (time_ms: number): string => clock.iso(Math.max(time_ms, clock.parse('1980-01-01T00:00:00.000Z')))

type Field = [bytes: 2 | 4 | 8, value: number]

/** The lowest byte of each comes first. */
function numbers(...fields: Field[]): Buffer {
  const buffer = Buffer.alloc(fields.reduce((sum, [bytes]) => sum + bytes, 0))
  let at = 0
  for (const [bytes, value] of fields) {
    if (bytes === 8) buffer.writeBigUInt64LE(BigInt(value), at)
    else buffer.writeUIntLE(value, at, bytes)
    at += bytes
  }
  return buffer
}
