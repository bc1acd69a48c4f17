import { once } from 'node:events'
import net from 'node:net'
import type { Db } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { waitUntil } from '../faults/client.ts'

/** Says nothing about speed: what takes so long never comes. */
const hang_ms = 60_000

/** What exports read, and nothing beside it: a row of at least so many bytes for each. */
export const addLargeContacts = (db: Db, workspace: string, count: number, notes_bytes = 2_000): Promise<number> =>
  db.run(
    sql`insert into contacts (workspace_id, id, phone_number, notes, tags, source, created_at, updated_at)
      select ${workspace}, gen_random_uuid(), '+1' || (2000000000 + number), repeat('x', ${notes_bytes}::int), '{}', 'import', now(), now()
      from generate_series(1, ${count}::int) as number`,
  )

/** Asks, and reads nothing until it is told to. */
export function askWithoutReading(url: string, key: string, path: string, version = '1.1'): net.Socket {
  const { hostname, port } = new URL(url)
  const socket = net.connect(Number(port), hostname).pause()
  socket.on('error', () => {})
  socket.write(`GET /api/v1${path} HTTP/${version}\r\nHost: parley.test\r\nAuthorization: Bearer ${key}\r\n\r\n`)
  return socket
}

/** Until something of the answer has come. */
export async function begins(socket: net.Socket): Promise<void> {
  if (socket.readableLength === 0) await once(socket, 'readable', { signal: AbortSignal.timeout(hang_ms) })
}

/** The first that comes: a refusal is all in it. */
export async function beginningOf(socket: net.Socket): Promise<string> {
  await begins(socket)
  return String(socket.read())
}

/** How its connection ended, once the client reads what there is. */
export async function endOf(socket: net.Socket): Promise<string | undefined> {
  socket.resume()
  await waitUntil('its connection ends', () => socket.closed)
  return Object(socket.errored).code
}
