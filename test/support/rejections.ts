import assert from 'node:assert/strict'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { create, profile } from './contacts.ts'
import type { Answer, Server, Tenant } from './harness.ts'

/** The rows of the workspace, to compare before and after. */
export const workspaceRows = (pool: Pool, { id }: Tenant) =>
  pool.one<object>(
    sql`select (select json_agg(row order by row.id) from contacts as row where workspace_id = ${id}) as contacts,
      (select json_agg(row order by row.system) from contact_crm_ids as row where workspace_id = ${id}) as crm_ids,
      (select json_agg(row order by row.id) from contact_texts as row where workspace_id = ${id}) as texts,
      (select json_agg(row order by row.id, row.tag) from contact_tags as row where workspace_id = ${id}) as tags,
      (select json_agg(row order by row.id) from agents as row where workspace_id = ${id}) as agents,
      (select json_agg(row order by row.id) from events as row where workspace_id = ${id}) as events,
      (select json_agg(row order by row.key) from idempotency_keys as row where workspace_id = ${id}) as keys,
      (select sum(total) from contact_counts where workspace_id = ${id}) as total`,
  )

/** Returns a check that sends each body as a create and as an update: all are rejected, and nothing changes. */
export function createRejectionCheck({ workspace, pool }: Server) {
  return async (
    bodies: unknown[],
    summarize: (answer: Answer) => unknown,
    expected: unknown,
    headers: Record<string, string> = {},
  ): Promise<void> => {
    const tenant = await workspace()
    const { id } = await create(tenant, profile)
    const before = await workspaceRows(pool, tenant)
    for (const body of bodies) {
      const raw = typeof body === 'string' || body instanceof Buffer ? body : JSON.stringify(body)
      for (const [method, path] of [
        ['POST', '/contacts'],
        ['PATCH', `/contacts/${id}`],
      ] as const) {
        const sent_headers = { 'content-type': 'application/json', 'idempotency-key': 'k', ...headers }
        const answer = await tenant.call(method, path, raw, sent_headers)
        assert.deepEqual(summarize(answer), expected, `${method} ${raw.toString().slice(0, 200)}`)
        assert.deepEqual(await workspaceRows(pool, tenant), before)
      }
    }
  }
}

export const statusAndCode = ({ status, body }: Answer) => [status, body?.error?.code]

/** The status, and the path and code of the first fault. */
export function statusAndFault({ status, body }: Answer) {
  const [first] = body?.error?.details.fields ?? []
  return [status, first?.path, first?.code]
}
