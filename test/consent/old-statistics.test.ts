import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Db, openPool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { createDatabase, openServer } from '../support/harness.ts'
import { rowsRead } from '../support/readers.ts'
import { importFile } from '../support/uploads.ts'

test('the consents of an import are found by number, also in a workspace newer than the statistics', async () => {
  const { url } = await createDatabase('old_statistics')
  /** One connection, so that its counters can be flushed and read. Its errors are ignored: the database is dropped first. */
  const pool = openPool({ url, size: 1, onError: () => {} })
  const server = await openServer(pool)
  after(server.close)
  await pool.script('alter table consents set (autovacuum_enabled = false)')
  // A connection that has sent a statement a few times has a plan for any workspace.
  await pool.script('set plan_cache_mode = force_custom_plan')
  const count = 1_500
  const numbers = Array.from({ length: count }, (_, index) => `+4930${1_000_000 + index}\n`)
  const file = `phone\n${numbers.join('')}`
  for (let times = 0; times < 3; times += 1) await addConsents(pool, (await server.workspace()).id)
  await pool.script('analyze consents')
  const tenant = await server.workspace()
  await importFile(tenant, file, { consent: 'all' })

  const before = await rowsRead(pool, 'consents')
  const { import: done } = await importFile(tenant, file, { consent: 'all' })
  assert.equal(done.skipped, count)
  const read = (await rowsRead(pool, 'consents')) - before
  assert.ok(read >= count && read <= 10 * count, `${read} consents were read`)
})

/** Not hashed: nobody verifies them. */
const addConsents = (db: Db, workspace: string): Promise<number> =>
  db.run(
    sql`insert into consents (workspace_id, seq, id, phone_hmac, kind, status, source, created_at, hash)
      select ${workspace}, number, gen_random_uuid(), sha256(gen_random_uuid()::text::bytea), 'all', 'granted', 'import', now(), ''
      from generate_series(1, 5000) as number`,
  )
