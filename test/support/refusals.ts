import assert from 'node:assert/strict'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import type { Answer, Server, Tenant } from './harness.ts'
import { create, profile } from './people.ts'

/** All that the database holds of the workspace. */
export const stateOf = (pool: Pool, { id }: Tenant) =>
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

/** Sends each body as a create and as an update: all must be refused so, and nothing may change. */
export function refuser({ workspace, pool }: Server) {
  return async (
    bodies: unknown[],
    says: (answer: Answer) => unknown,
    expected: unknown,
    headers: Record<string, string> = {},
  ): Promise<void> => {
    const tenant = await workspace()
    const { id } = await create(tenant, profile)
    const before = await stateOf(pool, tenant)
    for (const body of bodies) {
      const raw = typeof body === 'string' || body instanceof Buffer ? body : JSON.stringify(body)
      for (const [method, path] of [
        ['POST', '/contacts'],
        ['PATCH', `/contacts/${id}`],
      ] as const) {
        const said = { 'content-type': 'application/json', 'idempotency-key': 'k', ...headers }
        const answer = await tenant.call(method, path, raw, said)
        assert.deepEqual(says(answer), expected, `${method} ${raw.toString().slice(0, 200)}`)
        assert.deepEqual(await stateOf(pool, tenant), before)
      }
    }
  }
}

export const codeOf = ({ status, body }: Answer) => [status, body?.error?.code]

/** Status, and the first fault's path and code. */
export function faultOf({ status, body }: Answer) {
  const [first] = body?.error?.details.fields ?? []
  return [status, first?.path, first?.code]
}
