import net from 'node:net'
import type { Db } from '../server/kit/db.ts'
import { sql } from '../server/kit/sql.ts'

/** What exports read, and nothing beside it: a row of 2 kB for each. */
export const addLargeContacts = (db: Db, workspace: string, count: number): Promise<number> =>
  db.run(
    sql`insert into contacts (workspace_id, id, phone_number, notes, tags, source, created_at, updated_at)
      select ${workspace}, gen_random_uuid(), '+1' || (2000000000 + number), repeat('x', 2000), '{}', 'import', now(), now()
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

/** How its connection ended, once the client reads what there is. */
export async function endOf(socket: net.Socket): Promise<string | undefined> {
  socket.resume()
  if (!socket.closed) await new Promise<void>((resolve) => socket.once('close', () => resolve()))
  return Object(socket.errored).code
}
