import { createHash, type Hash } from 'node:crypto'
import fs from 'node:fs'
import { pipeline } from 'node:stream/promises'
import zlib from 'node:zlib'
import { isObject } from '../kit/json.ts'
import { SetupError } from '../kit/postgres/embedded/embedded.ts'
import type { Table } from '../kit/postgres/tables.ts'
import { errorCode, errorMessage } from '../kit/problem.ts'
import { product } from '../product.ts'
import { readTar, type TarEntry, TarError, writeTar } from './tar.ts'

/*
 * A backup is a tar archive, compressed with zstd:
 *
 *   manifest.json              what the backup is, and of which release
 *   tables/NAME/00000001.copy  rows in the text format of COPY, about one MiB each, in an order that foreign keys allow
 *   secrets-key                the keys that are files in DATA_DIR
 *   recordings/KEY             the files of DATA_DIR/recordings
 *   contents.json              how much there is of each, with checksums: a file without it is not complete
 */

const format = 1
/** The buffers of zstd. With the 16 KiB of Node it takes half as long again. */
const buffer_bytes = 64 * 1024
/** Limits a chunk. No row is as large. */
const chunk_bytes_max = 1024 ** 3
const [manifest_name, contents_name] = ['manifest.json', 'contents.json']
const recordings_prefix = 'recordings/'
const unreadable = ['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'EPERM', 'EIO']

export interface Manifest {
  /** The format of this file. */
  format: number
  /** The version of the release that has made the file. */
  version: string
  migrations: { last: string; sha256: string }
  created_at: string
  tables: Table[]
  recordings: 'files' | 'bucket'
  /** The ids of the current and the previous key, and whether both are part of the backup. */
  secrets_keys: { ids: string[]; are_included: boolean }
}

export interface Contents {
  tables: { name: string; rows: number; sha256: string }[]
  recordings: { files: number; bytes: number; sha256: string }
}

export type Part =
  | { kind: 'rows'; table: string; rows: Buffer }
  | { kind: 'key'; name: string; key: string }
  | { kind: 'recording'; key: string; size: number; content: TarEntry['content'] }

/** Writes a backup. Rows of a table come together, and in the order of the manifest. */
export async function writeBackup(
  target: fs.promises.FileHandle,
  manifest: Manifest,
  parts: AsyncIterable<Part>,
  { mtime_ms, signal }: { mtime_ms: number; signal: AbortSignal },
): Promise<Contents> {
  const sums = openSums(manifest)
  let chunk = 0
  async function* entries(): AsyncGenerator<TarEntry> {
    yield jsonEntry(manifest_name, manifest)
    for await (const part of parts) {
      if (part.kind === 'rows') {
        chunk += 1
        sums.addRows(part.table, part.rows)
        yield entryOf(`tables/${part.table}/${String(chunk).padStart(8, '0')}.copy`, part.rows)
      } else if (part.kind === 'key') yield entryOf(part.name, Buffer.from(part.key))
      else yield { name: `${recordings_prefix}${part.key}`, size: part.size, content: sums.addRecording(part) }
    }
    yield jsonEntry(contents_name, sums.contents())
  }
  const compress = zlib.createZstdCompress({
    chunkSize: buffer_bytes,
    params: { [zlib.constants.ZSTD_c_checksumFlag]: 1 },
  })
  await pipeline(writeTar(entries(), { mtime_ms }), compress, (bytes) => target.writeFile(bytes), {
    signal,
  })
  return sums.contents()
}

const entryOf = (name: string, bytes: Buffer): TarEntry => ({ name, size: bytes.length, content: [bytes] })

const jsonEntry = (name: string, value: object): TarEntry =>
  entryOf(name, Buffer.from(`${JSON.stringify(value, null, 2)}\n`))

export async function readManifest(file: string): Promise<Manifest> {
  return reading(file, async () => {
    for await (const entry of openArchive(file)) return parseManifest(file, entry)
    throw new TarError('it is empty')
  })
}

/** Parses JSON. The message of `JSON.parse` is replaced, because it quotes the text with its line breaks. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new TarError('it has no valid JSON')
  }
}

async function parseManifest(file: string, { name, size, content }: TarEntry): Promise<Manifest> {
  if (name !== manifest_name) throw new SetupError(`${file} is not a backup`)
  const manifest = parseJson((await readAll(size, content)).toString())
  if (!isObject(manifest) || !Array.isArray(manifest.tables)) throw new TarError('the manifest is damaged')
  if (manifest.format !== format)
    throw new SetupError(`${file} was made by another release: its format is ${manifest.format}, expected ${format}`)
  // This format has these fields.
  return manifest as object as Manifest
}

/**
 * Reads a backup. Fails at the end if anything is damaged or missing, so nothing that was read is certain until then.
 */
export async function readBackup(file: string, take: (part: Part) => Promise<void>): Promise<Contents> {
  return reading(file, async () => {
    let sums: Sums | undefined
    let contents: string | undefined
    for await (const entry of openArchive(file)) {
      if (!sums) {
        sums = openSums(await parseManifest(file, entry))
        continue
      }
      if (contents !== undefined) throw new TarError('it has more than its contents')
      const { name, size, content } = entry
      const [, table] = /^tables\/(.+)\/\d+\.copy$/.exec(name) ?? []
      if (name === contents_name) contents = (await readAll(size, content)).toString()
      else if (table !== undefined) {
        const rows = await readAll(size, content)
        sums.addRows(table, rows)
        await take({ kind: 'rows', table, rows })
      } else if (name.startsWith(recordings_prefix)) {
        const recording = { kind: 'recording', key: keyOf(name), size, content } as const
        const summed = sums.addRecording(recording)
        await take({ ...recording, content: summed })
        for await (const _rest of summed);
      } else await take({ kind: 'key', name, key: (await readAll(size, content)).toString() })
    }
    const found = sums?.contents()
    if (!found || contents === undefined) throw new TarError('the file is not complete')
    if (JSON.stringify(parseJson(contents)) !== JSON.stringify(found)) throw new TarError('a checksum is wrong')
    return found
  })
}

/** Returns the key of a recording. It becomes a path, which must not lead out of the folder. */
function keyOf(name: string): string {
  const key = name.slice(recordings_prefix.length)
  if (!key.split('/').every((part) => /^[^.\\][^\\]*$/.test(part)))
    throw new TarError(`a recording has the name ${key}`)
  return key
}

async function* openArchive(file: string): AsyncGenerator<TarEntry> {
  const source = fs.createReadStream(file)
  const decompress = zlib.createZstdDecompress({ chunkSize: buffer_bytes })
  // `decompress` is destroyed with the error, which the reader then gets.
  pipeline(source, decompress).catch(() => {})
  yield* readTar(decompress)
  // zstd ignores what comes after the end of the compressed data.
  const { size } = await fs.promises.stat(file)
  if (decompress.bytesWritten !== size) throw new TarError('it has bytes after its end')
}

/** Runs the work, and turns its errors into one line that names the file. */
async function reading<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const code = errorCode(error) ?? ''
    if (unreadable.includes(code)) throw new SetupError(`${file} can't be read: ${errorMessage(error)}`)
    if (code === 'ZSTD_error_prefix_unknown') throw new SetupError(`${file} is not a backup of ${product.name}`)
    if (error instanceof TarError || /^(ZSTD|Z)_/.test(code))
      throw new SetupError(`${file} is damaged: ${errorMessage(error)}`)
    throw error
  }
}

async function readAll(size: number, content: TarEntry['content']): Promise<Buffer> {
  if (size > chunk_bytes_max) throw new TarError('an entry is too large')
  return Buffer.concat(await Array.fromAsync(content))
}

type Sums = ReturnType<typeof openSums>

/** Counts and hashes the parts that are written or read. */
function openSums({ tables }: Manifest) {
  const by_table = new Map(tables.map(({ name }) => [name, { rows: 0, hash: createHash('sha256') }]))
  const recordings = { files: 0, bytes: 0, hash: createHash('sha256') }
  return {
    addRows(table: string, rows: Buffer): void {
      const sum = by_table.get(table)
      if (!sum) throw new TarError(`the table ${table} is not in the manifest`)
      sum.hash.update(rows)
      sum.rows += countLines(rows)
    },
    /** Counts a recording. Returns its content, which is hashed while it is read. */
    addRecording({ key, size, content }: { key: string; size: number; content: TarEntry['content'] }) {
      recordings.files += 1
      recordings.bytes += size
      recordings.hash.update(`${key} ${size}\n`)
      return hashed(content, recordings.hash)
    },
    contents: (): Contents => ({
      tables: Array.from(by_table, ([name, { rows, hash }]) => ({ name, rows, sha256: digestOf(hash) })),
      recordings: { files: recordings.files, bytes: recordings.bytes, sha256: digestOf(recordings.hash) },
    }),
  }
}

const digestOf = (hash: Hash): string => hash.copy().digest('hex')

async function* hashed(content: TarEntry['content'], hash: Hash): AsyncGenerator<Buffer> {
  for await (const bytes of content) {
    hash.update(bytes)
    yield bytes
  }
}

/** Counts rows by their line breaks. A line break inside of a value is escaped. */
function countLines(rows: Buffer): number {
  let count = 0
  for (let index = rows.indexOf(10); index >= 0; index = rows.indexOf(10, index + 1)) count += 1
  return count
}
