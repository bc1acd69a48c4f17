import assert from 'node:assert/strict'
import { newId } from '../../server/kit/id.ts'
import { copyLine } from '../../server/kit/postgres/copy.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import type { Server, Tenant } from './harness.ts'
import { newAgent, newContact, phoneNumber } from './samples.ts'

/** Creates a campaign with an agent and a channel of its own. */
export async function createCampaign({ call, addChannel }: Tenant, fields: object = {}) {
  const agent = await call('POST', '/agents', newAgent())
  const channel = await addChannel({ kind: 'voice' })
  const created = await call('POST', '/campaigns', {
    name: 'Spring appointments',
    kind: 'voice',
    agent_id: agent.body.data.id,
    channel_ids: [channel.id],
    ...fields,
  })
  assert.equal(created.status, 201, created.text)
  return created.body.data
}

export async function createContacts({ call }: Tenant, count: number, fields: object = {}): Promise<string[]> {
  const created = await Promise.all(Array.from({ length: count }, () => call('POST', '/contacts', newContact(fields))))
  return created.map(({ body }) => body.data.id)
}

/** Adds thousands of contacts, which are not in searches. */
export async function addContacts({ pool }: Pick<Server, 'pool'>, workspace: string, count: number): Promise<void> {
  const time = '2026-11-01T00:00:00.000Z'
  const lines = Array.from({ length: count }, () =>
    copyLine([workspace, newId(), phoneNumber(), '{}', 'api', time, time]),
  )
  const columns = ['workspace_id', 'id', 'phone_number', 'tags', 'source', 'created_at', 'updated_at']
  await pool.copy('contacts', columns, lines.join(''))
}

export async function enroll({ call }: Tenant, campaign_id: string, body: object) {
  const answer = await call('POST', `/campaigns/${campaign_id}/enrollments`, body)
  assert.ok(answer.status === 201 || answer.status === 202, answer.text)
  return answer
}

export const getCampaign = async ({ call }: Tenant, id: string) => (await call('GET', `/campaigns/${id}`)).body.data

/** Compares the kept counts with the rows. */
export async function assertCounted({ call }: Tenant, id: string): Promise<void> {
  const counts = (await call('GET', `/campaigns/${id}`)).body.data.counts
  const listed: Record<string, number> = {}
  let cursor = ''
  do {
    const page = (await call('GET', `/campaigns/${id}/enrollments?limit=100${cursor && `&cursor=${cursor}`}`)).body
    for (const { status } of page.data) listed[status] = (listed[status] ?? 0) + 1
    cursor = page.pagination.next_cursor ?? ''
  } while (cursor)
  assert.deepEqual(counts.by_status, listed)
  assert.equal(
    counts.enrolled,
    Object.values(listed).reduce((sum, total) => sum + total, 0),
  )
}

/** Makes the campaign count this many contacts. They are in no list. */
export async function fill(
  { pool }: Pick<Server, 'pool'>,
  { id }: Pick<Tenant, 'id'>,
  campaign_id: string,
  count: number,
) {
  await pool.run(
    sql`insert into campaign_counts (workspace_id, campaign_id, counted, value, slot, total)
      values (${id}, ${campaign_id}, 'status', 'completed', 0, ${count})`,
  )
}
