import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openPool } from '../server/kit/postgres/pool.ts'
import { sql } from '../server/kit/postgres/sql.ts'
import { createDatabase, openServer } from './support/harness.ts'
import { addLargeContacts } from './support/readers.ts'
import { imported } from './support/uploads.ts'

/** Its statistics know one workspace: PostgreSQL assumes that any other is empty. */
const { url } = await createDatabase('new_workspaces')
/** One connection, so that its counters can be read at once. The database is dropped before it is closed. */
const pool = openPool({ url, size: 1, on_error: () => {} })
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

/** How many contacts were read so far, in whatever way. */
async function contactsRead(): Promise<number> {
  await pool.many(sql`select pg_stat_force_next_flush()`)
  const { total } = await pool.one<{ total: number }>(
    sql`select seq_tup_read + (select sum(idx_tup_read) from pg_stat_user_indexes where relname = 'contacts')::bigint as total
      from pg_stat_user_tables where relname = 'contacts'`,
  )
  return total
}

async function readBy(path: string): Promise<number> {
  const before = await contactsRead()
  const { status, text } = await tenant.call('GET', path)
  assert.equal(status, 200, text)
  return (await contactsRead()) - before
}

/** Each page may look at all contacts once, to sort or filter them, and then reads each of its own by its key. */
const fair = 3 * count

for (const query of ['', 'sort=updated_at', 'sort=last_contact_at', 'source=import', 'tag=vip', 'search=200000']) {
  test(`an export of a new workspace doesn't read it all for each contact: ${query || 'everything'}`, async () => {
    const read = await readBy(`/contacts/export?${query}`)
    assert.ok(read >= count && read <= 2 * fair, `${read} contacts were read`)
  })
}

for (const query of ['offset=1000', 'sort=last_contact_at', 'source=import', 'tag=vip', 'search=200000']) {
  test(`a page of a new workspace doesn't read it all for each contact: ${query}`, async () => {
    const read = await readBy(`/contacts?limit=100&${query}`)
    assert.ok(read >= 100 && read <= fair, `${read} contacts were read`)
  })
}

test('one contact of a new workspace is read alone', async () => {
  const { id } = await pool.one<{ id: string }>(
    sql`select id from contacts where workspace_id = ${tenant.id} order by phone_number offset 700 limit 1`,
  )
  assert.equal(await readBy(`/contacts/${id}`), 1)
})

test('an import into a new workspace looks for known numbers by the numbers', async () => {
  const numbers = Array.from({ length: 100 }, (_, index) => `+1${2_000_000_001 + index}\n`)
  const before = await contactsRead()
  const { import: done } = await imported(tenant, `phone\n${numbers.join('')}`)
  assert.equal(done.skipped, numbers.length)
  assert.ok((await contactsRead()) - before <= fair)
})
