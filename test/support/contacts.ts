import assert from 'node:assert/strict'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import type { Tenant } from './harness.ts'
import { newContact } from './samples.ts'

/** An id that no contact has. */
export const unknown_id = '019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa'

export const profile = {
  first_name: 'Ada',
  last_name: 'Lovelace',
  display_name: 'Countess',
  email: 'Ada@Example.com',
  company: 'Analytical Engines',
  time_zone: 'Europe/London',
  notes: 'first line\n\tsecond line',
  tags: ['vip', 'London'],
}

export const unset = {
  first_name: null,
  last_name: null,
  display_name: null,
  email: null,
  company: null,
  time_zone: null,
  notes: null,
}

/** What the answer of a create leaves out, and a get shows. */
export const not_in_create = { custom_fields: {}, first_contact_at: null, last_contact_at: null }

export async function create({ call }: Tenant, fields: object = {}) {
  const { status, body } = await call('POST', '/contacts', newContact(fields))
  assert.equal(status, 201)
  return body.data
}

export async function get({ call }: Tenant, id: string) {
  const { status, body } = await call('GET', `/contacts/${id}`)
  assert.equal(status, 200)
  return body.data
}

export interface Event {
  type: string
  resource_id: string
  // biome-ignore lint/suspicious/noExplicitAny: a test may look into any event
  data: any
  previous: object | null
  /** The transaction that last wrote the row. */
  written_by: string
}

/** The events of the workspace, without those of the keys that the harness creates. */
export const eventsOf = (pool: Pool, { id }: Tenant): Promise<Event[]> =>
  pool.many<Event>(sql`select type, resource_id, data, previous, xmin::text as written_by from events
    where workspace_id = ${id} and type not like 'api_key.%'
    order by id`)
