import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import { sql } from '../kit/postgres/sql.ts'
import { uploadsIn } from '../kit/postgres/uploads.ts'
import { invalid, notFound } from '../kit/problem.ts'

export const { remove, discard, removeUnused } = uploadsIn({ files: 'document_files', users: 'documents' })

const chunk_bytes = 256 * 1024
const head_bytes = 1_024

export interface StoredFile {
  bytes: number
  head: Buffer
}

/** Stores a file while it arrives. */
export async function store(at: At, bytes: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<string> {
  const id = newId()
  const { db, workspace, now } = at
  try {
    await db.run(
      sql`insert into document_files (workspace_id, id, created_at) values (${workspace}, ${id}, ${clock.iso(now)})`,
    )
    const { length, head } = await storeChunks(at, id, bytes)
    if (length === 0) throw invalid([{ path: 'file', code: 'required', message: 'The file is empty.' }])
    await db.run(
      sql`update document_files set bytes = ${length}, head = ${head} where workspace_id = ${workspace} and id = ${id}`,
    )
    return id
  } catch (error) {
    // A file that can't be deleted now is deleted by retention. The client gets the first error.
    await Promise.allSettled([remove(at, id)])
    throw error
  }
}

async function storeChunks({ db, workspace }: At, id: string, bytes: AsyncIterable<Buffer> | Iterable<Buffer>) {
  let head = Buffer.alloc(0)
  let length = 0
  let position = 0
  let pending: Buffer[] = []
  let pending_length = 0
  const write = async (): Promise<void> => {
    if (pending_length === 0) return
    const chunk = Buffer.concat(pending)
    pending = []
    pending_length = 0
    await db.run(
      sql`insert into document_chunks (workspace_id, file_id, position, bytes)
        values (${workspace}, ${id}, ${position}, ${chunk})`,
    )
    position += 1
  }
  for await (const piece of bytes) {
    if (head.length < head_bytes) head = Buffer.concat([head, piece.subarray(0, head_bytes - head.length)])
    length += piece.length
    pending.push(piece)
    pending_length += piece.length
    if (pending_length >= chunk_bytes) await write()
  }
  await write()
  return { length, head }
}

/** Reads a file, which nobody can delete before the transaction ends. */
export async function get({ db, workspace }: At, id: string): Promise<StoredFile> {
  const file = await db.maybe<StoredFile>(
    sql`select bytes, head from document_files
      where workspace_id = ${workspace} and id = ${id} and bytes is not null for share`,
  )
  if (!file) throw notFound()
  return file
}

/** Reads all of a file, chunk by chunk. */
export async function read({ db, workspace }: At, id: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  for (;;) {
    const next = await db.maybe<{ bytes: Buffer }>(
      sql`select bytes from document_chunks
        where workspace_id = ${workspace} and file_id = ${id} and position = ${chunks.length}`,
    )
    if (!next) return Buffer.concat(chunks)
    chunks.push(next.bytes)
  }
}
