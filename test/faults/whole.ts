import assert from 'node:assert/strict'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import type { Tenant } from '../support/harness.ts'

const page_size = 100

/** The ids of all contacts, or of those that a filter finds, page by page, as a client lists them. */
export async function listed({ call }: Tenant, filter = ''): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const address = `/contacts?limit=${page_size}${filter}${cursor && `&cursor=${cursor}`}`
    const { status, text, body } = await call('GET', address)
    assert.equal(status, 200, text)
    ids.push(...body.data.map(({ id }: { id: string }) => id))
    cursor = body.pagination.next_cursor
  }
  return ids
}

/** No contact is half there: what is counted, listed and kept agrees, and CRM ids are where their contact is. */
export async function assertWhole(pool: Pool, tenant: Tenant): Promise<void> {
  const ids = await listed(tenant)
  const { total } = (await tenant.call('GET', '/contacts?limit=1')).body.pagination
  const kept = await pool.many<{ id: string }>(sql`select id from contacts where workspace_id = ${tenant.id}`)
  assert.equal(total, ids.length, 'the count agrees with what is listed')
  assert.deepEqual(ids.toSorted(), kept.map(({ id }) => id).sort(), 'each is listed once')
  const shown = await pool.many<object>(
    sql`select id, system, crm_id from contacts, jsonb_each_text(crm_ids) as one (system, crm_id)
      where workspace_id = ${tenant.id} order by id, system`,
  )
  const found = await pool.many<object>(
    sql`select contact_id as id, system, crm_id from contact_crm_ids
      where workspace_id = ${tenant.id} order by contact_id, system`,
  )
  assert.deepEqual(found, shown, 'the CRM ids that are found are those that are shown')
}

/** Nothing of the person is left: no row, no CRM id, and in the event log only the id. */
export async function assertGone(pool: Pool, tenant: Tenant, id: string): Promise<void> {
  assert.equal((await tenant.call('GET', `/contacts/${id}`)).status, 404)
  const { rows, crm_ids, events } = await pool.one<{ rows: number; crm_ids: number; events: object[] }>(
    sql`select (select count(*) from contacts where workspace_id = ${tenant.id} and id = ${id}) as rows,
      (select count(*) from contact_crm_ids where workspace_id = ${tenant.id} and contact_id = ${id}) as crm_ids,
      (select json_agg(data) from events where workspace_id = ${tenant.id} and resource_id = ${id}) as events`,
  )
  assert.deepEqual([rows, crm_ids], [0, 0], 'neither its row nor its CRM ids are left')
  for (const event of events) assert.deepEqual(event, { id }, 'the log holds its id only')
}
