import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../server/kit/postgres/sql.ts'
import { advance } from './support/calls.ts'
import {
  always,
  enrollmentsOf,
  newCampaign,
  newClaimed,
  newContacts,
  request,
  start,
  workUntil,
} from './support/dialing.ts'
import { serve } from './support/harness.ts'

const { workspace, pool } = await serve()

test('a call that was not dialled in time is not dialled: the campaign takes it back, and calls anew', async () => {
  const tenant = await workspace()
  const campaign = await newClaimed(tenant, ['01'], { kind: 'voice' })
  const [claimed] = await request(tenant, 'GET', `/calls?campaign_id=${campaign.id}`)
  await pool.run(
    sql`update calls set dial_before = '2020-01-01T00:00:00Z' where workspace_id = ${tenant.id} and id = ${claimed.id}`,
  )
  const calls = () => request(tenant, 'GET', `/calls?campaign_id=${campaign.id}`)
  await workUntil(tenant, async () => (await calls()).every(({ id }: { id: string }) => id !== claimed.id))
  await workUntil(tenant, async () => (await calls()).some(({ started_at }: { started_at: string }) => started_at))
  assert.equal((await calls()).length, 1)
  const [enrollment] = await enrollmentsOf(tenant, campaign)
  assert.equal(enrollment.attempts, 1)
})

test('a message that has waited until the hours are over goes out when they begin again', async () => {
  const tenant = await workspace()
  const campaign = await newClaimed(tenant, ['50'], { kind: 'sms' })
  const { last_conversation_id } = (await enrollmentsOf(tenant, campaign))[0]
  const today = new Intl.DateTimeFormat('en', { weekday: 'short', timeZone: 'America/New_York' }).format().toLowerCase()
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].filter((day) => day !== today)
  const windows = [{ days, start: '00:00', end: '24:00' }]
  await request(tenant, 'PATCH', `/campaigns/${campaign.id}`, { windows })
  const turns = () => request(tenant, 'GET', `/conversations/${last_conversation_id}/turns`)
  await workUntil(tenant, async () => (await turns()).length > 0)
  await tenant.work()
  const [{ message }] = await turns()
  assert.equal(message.status, 'queued')
  const { due_at } = await pool.one<{ due_at: string }>(
    sql`select due_at from messages where workspace_id = ${tenant.id} and conversation_id = ${last_conversation_id}`,
  )
  assert.match(due_at, /T0[45]:00:00\.000Z$/, 'at midnight in New York')
})

test('contacts who wait for the end of quiet hours are reached when these are changed', async () => {
  const tenant = await workspace()
  await tenant.addTestClock(Date.parse('2027-03-02T03:00:00.000Z'))
  const campaign = await newCampaign(tenant, await newContacts(tenant, ['00']), { windows: always })
  await start(tenant, campaign)
  await advance(tenant, 60)
  assert.equal((await enrollmentsOf(tenant, campaign))[0].next_attempt_at, '2027-03-02T13:00:00.000Z')
  await request(tenant, 'PATCH', '/workspace', { settings: { quiet_hours: { start: '00:00', end: '24:00' } } })
  await advance(tenant, 600)
  assert.equal((await enrollmentsOf(tenant, campaign))[0].status, 'completed')
})
