import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openPool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { createDatabase, openServer } from '../support/harness.ts'
import { addLargeContacts, rowsRead } from '../support/readers.ts'
import { importFile } from '../support/uploads.ts'

/** PostgreSQL has statistics of one workspace and assumes that any other is empty. */
const { url } = await createDatabase('new_workspaces')
/** One connection, so that its counters can be flushed and read. Its errors are ignored: the database is dropped first. */
const pool = openPool({ url, size: 1, onError: () => {} })
const server = await openServer(pool)
after(server.close)

const count = 1_500
await pool.script('alter table contacts set (autovacuum_enabled = false)')
await addLargeContacts(pool, (await server.workspace()).id, 5_000)
await pool.script('analyze contacts')
const tenant = await server.workspace()
await addLargeContacts(pool, tenant.id, count)
await pool.run(
  sql`insert into contact_tags (workspace_id, tag, created_at, id)
    select workspace_id, 'vip', created_at, id from contacts where workspace_id = ${tenant.id}`,
)
await pool.run(
  sql`insert into contact_texts (workspace_id, id, created_at, text)
    select workspace_id, id, created_at, phone_number from contacts where workspace_id = ${tenant.id}`,
)
await pool.run(
  sql`insert into contact_counts (workspace_id, source, slot, total) values (${tenant.id}, 'import', 0, ${count})`,
)

async function rowsReadBy(path: string): Promise<number> {
  const before = await rowsRead(pool, 'contacts')
  const { status, text } = await tenant.call('GET', path)
  assert.equal(status, 200, text)
  return (await rowsRead(pool, 'contacts')) - before
}

/** A page may read all contacts once, to sort or filter them, and then its own contacts by key. */
const reads_max = 3 * count

for (const query of ['', 'sort=updated_at', 'sort=last_contact_at', 'source=import', 'tag=vip', 'search=200000']) {
  test(`an export of a new workspace doesn't read all contacts for each contact: ${query || 'everything'}`, async () => {
    const read = await rowsReadBy(`/contacts/export?${query}`)
    assert.ok(read >= count && read <= 2 * reads_max, `${read} contacts were read`)
  })
}

for (const query of ['offset=1000', 'sort=last_contact_at', 'source=import', 'tag=vip', 'search=200000']) {
  test(`a page of a new workspace doesn't read all contacts for each contact: ${query}`, async () => {
    const read = await rowsReadBy(`/contacts?limit=100&${query}`)
    assert.ok(read >= 100 && read <= reads_max, `${read} contacts were read`)
  })
}

test('getting a contact of a new workspace reads one row', async () => {
  const { id } = await pool.one<{ id: string }>(
    sql`select id from contacts where workspace_id = ${tenant.id} order by phone_number offset 700 limit 1`,
  )
  assert.equal(await rowsReadBy(`/contacts/${id}`), 1)
})

test('an import into a new workspace finds existing numbers by the index on numbers', async () => {
  const numbers = Array.from({ length: 100 }, (_, index) => `+1${2_000_000_001 + index}\n`)
  const before = await rowsRead(pool, 'contacts')
  const { import: done } = await importFile(tenant, `phone\n${numbers.join('')}`)
  assert.equal(done.skipped, numbers.length)
  assert.ok((await rowsRead(pool, 'contacts')) - before <= reads_max)
})
