import { inflateRawSync } from 'node:zlib'
import { isShortage } from '../../kit/work/shortage.ts'
import { UnreadableError } from './blocks.ts'

const entries_max = 10_000
const end_signature = 0x06054b50
const entry_signature = 0x02014b50
const end_length = 22
const comment_length_max = 65_535

const damaged = () => new UnreadableError('The file is damaged: it is no Word file.')

/** Returns a function that reads an entry of a ZIP archive by its name. An entry that unpacks to more than the limit is refused. */
export function openZip(file: Buffer): (name: string, bytes_max: number) => Buffer | undefined {
  const entries = listEntries(file)
  return (name, bytes_max) => {
    const entry = entries.get(name)
    return entry && unpack(file, entry, bytes_max)
  }
}

interface Entry {
  method: number
  is_encrypted: boolean
  packed_length: number
  offset: number
}

function listEntries(file: Buffer): Map<string, Entry> {
  const end = findEnd(file)
  const count = file.readUInt16LE(end + 10)
  let at = file.readUInt32LE(end + 16)
  if (count > entries_max) throw new UnreadableError('The file has too many parts.')
  const entries = new Map<string, Entry>()
  for (let index = 0; index < count; index += 1) {
    if (at + 46 > file.length || file.readUInt32LE(at) !== entry_signature) throw damaged()
    const name_length = file.readUInt16LE(at + 28)
    const name = file.toString('utf8', at + 46, at + 46 + name_length)
    entries.set(name, {
      method: file.readUInt16LE(at + 10),
      is_encrypted: (file.readUInt16LE(at + 8) & 1) === 1,
      packed_length: file.readUInt32LE(at + 20),
      offset: file.readUInt32LE(at + 42),
    })
    at += 46 + name_length + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32)
  }
  return entries
}

function findEnd(file: Buffer): number {
  for (let at = file.length - end_length; at >= Math.max(0, file.length - end_length - comment_length_max); at -= 1)
    if (file.readUInt32LE(at) === end_signature) return at
  throw damaged()
}

function unpack(file: Buffer, { method, is_encrypted, packed_length, offset }: Entry, bytes_max: number): Buffer {
  if (is_encrypted) throw new UnreadableError('The file has a password. Upload it without one.')
  if (offset + 30 > file.length) throw damaged()
  const start = offset + 30 + file.readUInt16LE(offset + 26) + file.readUInt16LE(offset + 28)
  const packed = file.subarray(start, start + packed_length)
  if (packed.length < packed_length) throw damaged()
  if (method === 0 && packed.length <= bytes_max) return packed
  if (method !== 0 && method !== 8) throw damaged()
  try {
    return inflateRawSync(packed, { maxOutputLength: bytes_max })
  } catch (error) {
    if (isShortage(error)) throw error
    if (!(error instanceof RangeError)) throw damaged()
    throw new UnreadableError(`The file unpacks to more than ${Math.round(bytes_max / 1024 / 1024)} MB.`)
  }
}
