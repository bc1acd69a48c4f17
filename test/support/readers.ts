import { once } from 'node:events'
import net from 'node:net'
import type { Db } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { waitUntil } from '../faults/client.ts'

/** An answer that takes longer never comes. This is no limit on speed. */
const hang_ms = 60_000

/** Adds contacts without their counts and search index, each with at least this many bytes for an export to read. */
export const addLargeContacts = (db: Db, workspace: string, count: number, notes_bytes = 2_000): Promise<number> =>
  db.run(
    sql`insert into contacts (workspace_id, id, phone_number, notes, tags, source, created_at, updated_at)
      select ${workspace}, gen_random_uuid(), '+1' || (2000000000 + number), repeat('x', ${notes_bytes}::int), '{}', 'import', now(), now()
      from generate_series(1, ${count}::int) as number`,
  )

/** The rows of a table read so far, by scans and by indexes. The pool must have one connection, so that its counters are complete. */
export async function rowsRead(db: Db, table: string): Promise<number> {
  await db.many(sql`select pg_stat_force_next_flush()`)
  const { total } = await db.one<{ total: number }>(
    sql`select seq_tup_read + (select sum(idx_tup_read) from pg_stat_user_indexes where relname = ${table})::bigint as total
      from pg_stat_user_tables where relname = ${table}`,
  )
  return total
}

/** Sends a request and reads nothing of the answer until the socket is resumed. */
export function askWithoutReading(url: string, key: string, path: string, version = '1.1'): net.Socket {
  const { hostname, port } = new URL(url)
  const socket = net.connect(Number(port), hostname).pause()
  socket.on('error', () => {})
  socket.write(`GET /api/v1${path} HTTP/${version}\r\nHost: parley.test\r\nAuthorization: Bearer ${key}\r\n\r\n`)
  return socket
}

/** Waits for the first bytes of the answer. */
export async function begins(socket: net.Socket): Promise<void> {
  if (socket.readableLength === 0) await once(socket, 'readable', { signal: AbortSignal.timeout(hang_ms) })
}

/** Returns the first bytes of the answer. An error answer is complete in them. */
export async function beginningOf(socket: net.Socket): Promise<string> {
  await begins(socket)
  return String(socket.read())
}

/** Reads the rest, and returns the error code with which the connection ended, if any. */
export async function endOf(socket: net.Socket): Promise<string | undefined> {
  socket.resume()
  await waitUntil('the connection ends', () => socket.closed)
  return Object(socket.errored).code
}
