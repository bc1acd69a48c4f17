import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Session } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { waitUntil } from '../faults/client.ts'
import { createDatabase } from '../support/harness.ts'

const { pool } = await createDatabase('copy_out')
/** Far more than the sockets and the stream hold. */
const rows = 40_000
await pool.script(
  `create table numbers as select n, repeat(n::text || E'\\n\\t\\\\', 40) as text from generate_series(1, ${rows}) as n`,
)

const pidOf = async (db: Session): Promise<number> =>
  (await db.one<{ pid: number }>(sql`select pg_backend_pid() as pid`)).pid

/** What the connection waits for; undefined when it is closed. */
const waitOf = async (pid: number): Promise<string | null | undefined> =>
  (await pool.maybe<{ wait_event: string | null }>(sql`select wait_event from pg_stat_activity where pid = ${pid}`))
    ?.wait_event

test('all rows are read, in chunks of whole rows', async () => {
  const chunks = await pool.session((db) => Array.fromAsync(db.copyOut('numbers', ['n', 'text'])))
  assert.ok(chunks.length > 2)
  assert.ok(chunks.every((chunk) => chunk.at(-1) === 10 && chunk.length < 2 * 1024 * 1024))
  assert.equal(Buffer.concat(chunks).toString().split('\n').length - 1, rows)
  await pool.script('create table copied (like numbers)')
  for (const chunk of chunks) await pool.copy('copied', ['n', 'text'], chunk)
  const { same } = await pool.one<{ same: number }>(
    sql`select count(*)::integer as same from copied join numbers using (n, text)`,
  )
  assert.equal(same, rows)
})

test('the server waits while nobody reads, and the connection is closed when the reader gives up', async () => {
  const pid = await pool.session(async (db) => {
    const pid = await pidOf(db)
    for await (const _chunk of db.copyOut('numbers', ['n', 'text'])) {
      await waitUntil('the server waits', async () => (await waitOf(pid)) === 'ClientWrite')
      break
    }
    return pid
  })
  await waitUntil('the connection is closed', async () => (await waitOf(pid)) === undefined)
})

test('a lost connection is an error for the reader', async () => {
  const reading = pool.session(async (db) => {
    const pid = await pidOf(db)
    for await (const _chunk of db.copyOut('numbers', ['n', 'text']))
      await pool.maybe(sql`select pg_terminate_backend(${pid})`)
  })
  await assert.rejects(reading, /terminat|ECONNRESET/)
})

test('a table that does not exist is an error for the reader', async () => {
  const reading = pool.session((db) => Array.fromAsync(db.copyOut('nowhere', ['n'])))
  await assert.rejects(reading, /relation "nowhere" does not exist/)
})
