import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as contacts from '../../server/contacts/store.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { advance } from '../support/calls.ts'
import {
  always,
  enrollmentsOf,
  newCampaign,
  newClaimed,
  newContacts,
  request,
  start,
  workUntil,
} from '../support/dialing.ts'
import { serve } from '../support/harness.ts'
import { holdTransaction } from '../support/held-transaction.ts'

const { workspace, pool, at } = await serve()

test('a call that was not dialled in time is not dialled: the campaign takes it back, and calls anew', async () => {
  const tenant = await workspace()
  // Busy: the call is over soon, and the next attempt is later.
  const campaign = await newClaimed(tenant, ['02'], { kind: 'voice' })
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

const contact_changes: Record<string, object> = {
  'time zone': { time_zone: 'Asia/Tokyo' },
  number: { phone_number: '+81312345600', time_zone: null },
}

for (const [name, change] of Object.entries(contact_changes))
  test(`a contact who waits is reached at once when it gets a ${name} where it is day`, async () => {
    const tenant = await workspace()
    // Noon in Tokyo.
    await tenant.addTestClock(Date.parse('2027-03-02T03:00:00.000Z'))
    const [contact, other] = await newContacts(tenant, ['00', '00'])
    const campaign = await newCampaign(tenant, [contact, other], { windows: always })
    await start(tenant, campaign)
    await advance(tenant, 60)
    const next = async () => {
      const enrollments = await enrollmentsOf(tenant, campaign)
      return enrollments.map(({ next_attempt_at }: { next_attempt_at: string }) => next_attempt_at)
    }
    assert.deepEqual(await next(), ['2027-03-02T13:00:00.000Z', '2027-03-02T13:00:00.000Z'])
    await request(tenant, 'PATCH', `/contacts/${contact.id}`, change)
    await advance(tenant, 600)
    const calls = await request(tenant, 'GET', '/calls')
    assert.deepEqual(
      calls.map(({ contact_id, started_at }: Record<string, string>) => [contact_id, started_at]),
      [[contact.id, '2027-03-02T03:01:00.000Z']],
    )
  })

test('a contact who waits for the day is called later when it moves to where the day begins later', async () => {
  const tenant = await workspace()
  await tenant.addTestClock(Date.parse('2027-03-02T03:00:00.000Z'))
  const [contact] = await newContacts(tenant, ['00'])
  const campaign = await newCampaign(tenant, [contact], { windows: always })
  await start(tenant, campaign)
  await advance(tenant, 60)
  await request(tenant, 'POST', `/campaigns/${campaign.id}/pause`)
  await request(tenant, 'PATCH', `/contacts/${contact.id}`, { time_zone: 'America/Chicago' })
  await request(tenant, 'POST', `/campaigns/${campaign.id}/resume`)
  await advance(tenant, 60)
  const [{ next_attempt_at }] = await enrollmentsOf(tenant, campaign)
  assert.equal(next_attempt_at, '2027-03-02T14:00:00.000Z')
})

test('the dialer never waits for a contact that is being changed: it is called afterwards', async () => {
  const tenant = await workspace()
  await request(tenant, 'PATCH', '/workspace', { settings: { quiet_hours: { start: '00:00', end: '24:00' } } })
  const channel = await tenant.addChannel({ kind: 'voice', provider: 'simulator', address: '+14155550100' })
  const [changing, other] = await newContacts(tenant, ['00', '00'])
  const fields = { channel_ids: [channel.id], windows: always, pacing: { starts_per_second: 100 } }
  const campaign = await newCampaign(tenant, [changing, other], fields)
  await start(tenant, campaign)
  const isDialed = async ({ id }: { id: string }) =>
    (await enrollmentsOf(tenant, campaign)).some(({ contact_id, attempts }) => contact_id === id && attempts > 0)
  // A change of a time zone locks the contact, and then the campaign.
  await using held = await holdTransaction(pool, (db) => contacts.lock({ ...at(tenant.id), db }, [changing.id]))
  const working = workUntil(tenant, () => isDialed(other))
  await held.waitUntilBlocking(working)
  assert.deepEqual([await isDialed(other), await isDialed(changing)], [true, false])
  await held.end()
  await working
  const [call] = await request(tenant, 'GET', `/calls?campaign_id=${campaign.id}`)
  await request(tenant, 'POST', `/calls/${call.id}/cancel`)
  await workUntil(tenant, () => isDialed(changing))
})

test('other changes of a contact leave its next attempt alone', async () => {
  const tenant = await workspace()
  await tenant.addTestClock(Date.parse('2027-03-02T03:00:00.000Z'))
  const [contact] = await newContacts(tenant, ['00'])
  const campaign = await newCampaign(tenant, [contact], { windows: always })
  await start(tenant, campaign)
  await advance(tenant, 60)
  const before = await enrollmentsOf(tenant, campaign)
  await request(tenant, 'PATCH', `/contacts/${contact.id}`, { first_name: 'Ada', time_zone: 'America/New_York' })
  assert.deepEqual(await enrollmentsOf(tenant, campaign), before)
})
