import assert from 'node:assert/strict'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import type { Tenant } from '../support/harness.ts'

const page_size = 100

/** Lists the ids of all contacts, or of those that match a filter, page by page. */
export async function listIds({ call }: Tenant, filter = ''): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path = `/contacts?limit=${page_size}${filter}${cursor && `&cursor=${cursor}`}`
    const { status, text, body } = await call('GET', path)
    assert.equal(status, 200, text)
    ids.push(...body.data.map(({ id }: { id: string }) => id))
    cursor = body.pagination.next_cursor
  }
  return ids
}

/** Asserts that the total, the list and the table agree, and that the CRM ids match their contacts. */
export async function assertConsistent(pool: Pool, tenant: Tenant): Promise<void> {
  const ids = await listIds(tenant)
  const { total } = (await tenant.call('GET', '/contacts?limit=1')).body.pagination
  const stored = await pool.many<{ id: string }>(sql`select id from contacts where workspace_id = ${tenant.id}`)
  assert.equal(total, ids.length, 'the total matches the list')
  assert.deepEqual(ids.toSorted(), stored.map(({ id }) => id).sort(), 'each contact is listed once')
  const shown = await pool.many<object>(
    sql`select id, system, crm_id from contacts, jsonb_each_text(crm_ids) as one (system, crm_id)
      where workspace_id = ${tenant.id} order by id, system`,
  )
  const found = await pool.many<object>(
    sql`select contact_id as id, system, crm_id from contact_crm_ids
      where workspace_id = ${tenant.id} order by contact_id, system`,
  )
  assert.deepEqual(found, shown, 'the CRM ids of the search table match those of the contacts')
}

/** Asserts that nothing of a deleted contact is left: no row, no CRM id, and only the id in its events. */
export async function assertDeleted(pool: Pool, tenant: Tenant, id: string): Promise<void> {
  assert.equal((await tenant.call('GET', `/contacts/${id}`)).status, 404)
  const { rows, crm_ids, events } = await pool.one<{ rows: number; crm_ids: number; events: object[] }>(
    sql`select (select count(*) from contacts where workspace_id = ${tenant.id} and id = ${id}) as rows,
      (select count(*) from contact_crm_ids where workspace_id = ${tenant.id} and contact_id = ${id}) as crm_ids,
      (select json_agg(data) from events where workspace_id = ${tenant.id} and resource_id = ${id}) as events`,
  )
  assert.deepEqual([rows, crm_ids], [0, 0], 'no row and no CRM id is left')
  for (const event of events) assert.deepEqual(event, { id }, 'events contain only the id')
}
