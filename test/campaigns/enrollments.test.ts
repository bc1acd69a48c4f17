import assert from 'node:assert/strict'
import { test } from 'node:test'
import { count } from '../../server/campaigns/counts.ts'
import type { EnrollmentStatus } from '../../server/campaigns/schema.ts'
import * as clock from '../../server/kit/clock.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { assertCounted, createCampaign, createContacts, enroll, getCampaign } from '../support/campaigns.ts'
import { type Answer, serve, type Tenant } from '../support/harness.ts'
import { newContact } from '../support/samples.ts'

const server = await serve()
const { workspace, pool } = server

const stateOf = ({ status, body }: Answer) => [status, body.error?.code, body.error?.details.status]

async function enrolled(tenant: Tenant, count = 1) {
  const campaign = await createCampaign(tenant)
  const contact_ids = await createContacts(tenant, count)
  await enroll(tenant, campaign.id, { contact_ids })
  const enrollments = (await tenant.call('GET', `/campaigns/${campaign.id}/enrollments`)).body.data
  return { campaign, contact_ids, enrollments }
}

/** As the dialer does. */
async function setStatus(tenant: Tenant, id: string, status: EnrollmentStatus): Promise<void> {
  const before = (await tenant.call('GET', `/enrollments/${id}`)).body.data
  await count(server.at(tenant.id), [
    { campaign_id: before.campaign_id, counted: 'status', from: before.status, to: status },
  ])
  await pool.run(
    sql`update enrollments set status = ${status}, reason = 'no_answer', attempts = 3, outcomes = '{"no_answer": 3}',
        last_outcome = 'no_answer', due_at = null
      where workspace_id = ${tenant.id} and id = ${id}`,
  )
}

const dueAt = async (id: string) =>
  (await pool.one<{ due_at: string | null }>(sql`select due_at from enrollments where id = ${id}`)).due_at

test('a new enrollment is pending, and due before all others', async () => {
  const tenant = await workspace()
  const { campaign, contact_ids, enrollments } = await enrolled(tenant)
  const { id, created_at, updated_at, ...rest } = enrollments[0]
  assert.equal(created_at, updated_at)
  assert.deepEqual(rest, {
    campaign_id: campaign.id,
    contact_id: contact_ids[0],
    status: 'pending',
    reason: null,
    attempts: 0,
    last_outcome: null,
    last_call_id: null,
    last_conversation_id: null,
    next_attempt_at: null,
    variables: {},
  })
  assert.equal(await dueAt(id), '1970-01-01T00:00:00.000Z')
  assert.deepEqual((await tenant.call('GET', `/enrollments/${id}`)).body.data, enrollments[0])
})

test('enrollments are listed by status and contact, with exact totals', async () => {
  const tenant = await workspace()
  const { call } = tenant
  const { campaign, contact_ids, enrollments } = await enrolled(tenant, 5)
  await call('POST', `/enrollments/${enrollments[0].id}/skip`)
  const totalOf = async (query: string) => {
    const { data, pagination } = (await call('GET', `/campaigns/${campaign.id}/enrollments?${query}`)).body
    return [data.length, pagination.total]
  }
  assert.deepEqual(await totalOf('limit=2'), [2, 5])
  assert.deepEqual(await totalOf('limit=2&status=pending'), [2, 4])
  assert.deepEqual(await totalOf('status=skipped'), [1, 1])
  assert.deepEqual(await totalOf('status=failed'), [0, 0])
  assert.deepEqual(await totalOf(`contact_id=${contact_ids[1]}`), [1, 1])
  assert.deepEqual(await totalOf(`contact_id=${contact_ids[1]}&status=failed`), [0, 0])
  assert.deepEqual(await totalOf('contact_id=none'), [0, 0])
  const of_contact = await call('GET', `/contacts/${contact_ids[1]}/enrollments`)
  assert.deepEqual([of_contact.body.pagination.total, of_contact.body.data[0].contact_id], [1, contact_ids[1]])
  assert.equal((await call('GET', `/contacts/${campaign.id}/enrollments`)).status, 404)
})

test('an enrollment that waits can be skipped, and others not', async () => {
  const tenant = await workspace()
  const { campaign, enrollments } = await enrolled(tenant)
  const [{ id }] = enrollments
  const skip = () => tenant.call('POST', `/enrollments/${id}/skip`)
  const skipped = await skip()
  assert.deepEqual([skipped.status, skipped.body.data.status, skipped.body.data.reason], [200, 'skipped', 'skipped'])
  assert.equal(await dueAt(id), null)
  assert.deepEqual(stateOf(await skip()), [409, 'INVALID_STATE', 'skipped'])
  await assertCounted(tenant, campaign.id)
  await setStatus(tenant, id, 'dialing')
  assert.deepEqual(stateOf(await skip()), [409, 'INVALID_STATE', 'dialing'])
})

test('a retry begins again, and its attempts get new numbers', async () => {
  const tenant = await workspace()
  const { call } = tenant
  const { campaign, enrollments } = await enrolled(tenant)
  const [{ id }] = enrollments
  const retry = () => call('POST', `/enrollments/${id}/retry`)
  assert.deepEqual(stateOf(await retry()), [409, 'INVALID_STATE', 'pending'])
  await setStatus(tenant, id, 'in_progress')
  assert.deepEqual(stateOf(await retry()), [409, 'INVALID_STATE', 'in_progress'])
  await setStatus(tenant, id, 'failed')
  const before = (await call('GET', `/enrollments/${id}`)).body.data
  const { status, body } = await retry()
  assert.equal(status, 200)
  const { updated_at, ...rest } = body.data
  assert.deepEqual({ ...rest, updated_at: before.updated_at }, { ...enrollments[0], updated_at: before.updated_at })
  assert.ok(updated_at > before.updated_at)
  const stored = await pool.one(
    sql`select earlier_attempts, attempts, outcomes, due_at from enrollments where id = ${id}`,
  )
  assert.deepEqual(stored, { earlier_attempts: 3, attempts: 0, outcomes: {}, due_at: '1970-01-01T00:00:00.000Z' })
  await assertCounted(tenant, campaign.id)
  await setStatus(tenant, id, 'failed')
  await call('POST', `/campaigns/${campaign.id}/cancel`)
  assert.deepEqual(stateOf(await retry()), [409, 'INVALID_STATE', 'failed'])
})

test('an enrollment is deleted, but not while an attempt is in progress', async () => {
  const tenant = await workspace()
  const { call } = tenant
  const { campaign, contact_ids, enrollments } = await enrolled(tenant)
  const [{ id }] = enrollments
  const remove = () => call('DELETE', `/enrollments/${id}`)
  await setStatus(tenant, id, 'dialing')
  assert.deepEqual(stateOf(await remove()), [409, 'INVALID_STATE', 'dialing'])
  await setStatus(tenant, id, 'completed')
  assert.equal((await remove()).status, 200)
  assert.equal((await remove()).status, 404)
  assert.deepEqual((await getCampaign(tenant, campaign.id)).counts, { enrolled: 0, by_status: {} })
  assert.equal((await enroll(tenant, campaign.id, { contact_ids })).body.data.enrolled, 1)
})

test('a change wakes a running campaign', async () => {
  const tenant = await workspace()
  const { call } = tenant
  const { campaign, enrollments } = await enrolled(tenant, 2)
  const [first, second] = enrollments
  const wakes = async (change: () => Promise<unknown>) => {
    await pool.run(sql`update campaigns set due_at = null where id = ${campaign.id}`)
    await change()
    const { due_at } = await pool.one<{ due_at: string | null }>(
      sql`select due_at from campaigns where id = ${campaign.id}`,
    )
    return due_at !== null && clock.parse(due_at) <= clock.wall()
  }
  const newOne = async () => ({ contact_ids: [(await call('POST', '/contacts', newContact())).body.data.id] })
  assert.equal(await wakes(async () => enroll(tenant, campaign.id, await newOne())), false, 'a draft')
  await call('POST', `/campaigns/${campaign.id}/start`)
  assert.equal(await wakes(async () => enroll(tenant, campaign.id, await newOne())), true)
  assert.equal(await wakes(() => call('POST', `/enrollments/${first.id}/skip`)), true)
  assert.equal(await wakes(() => call('POST', `/enrollments/${first.id}/retry`)), true)
  assert.equal(await wakes(() => call('DELETE', `/enrollments/${second.id}`)), true)
  assert.equal(await wakes(() => call('PATCH', `/campaigns/${campaign.id}`, { name: 'B' })), true)
})

test('a deleted contact takes its enrollments with it', async () => {
  const tenant = await workspace()
  const { call } = tenant
  const { campaign, contact_ids, enrollments } = await enrolled(tenant, 2)
  const other = await createCampaign(tenant)
  await enroll(tenant, other.id, { contact_ids })
  assert.equal((await call('DELETE', `/contacts/${contact_ids[0]}`)).status, 200)
  for (const { id } of [campaign, other]) {
    assert.equal((await getCampaign(tenant, id)).counts.enrolled, 1)
    await assertCounted(tenant, id)
  }
  const gone = enrollments.find(({ contact_id }: { contact_id: string }) => contact_id === contact_ids[0])
  assert.equal((await call('GET', `/enrollments/${gone.id}`)).status, 404)
})

test('the ETag of a campaign changes with its counts', async () => {
  const tenant = await workspace()
  const { call } = tenant
  const { campaign, enrollments } = await enrolled(tenant)
  const etag = async () => (await call('GET', `/campaigns/${campaign.id}`)).headers.get('etag')
  const before = await etag()
  await call('POST', `/enrollments/${enrollments[0].id}/skip`)
  assert.notEqual(await etag(), before)
})
