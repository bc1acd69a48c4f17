import assert from 'node:assert/strict'
import { test } from 'node:test'
import { advance, newCaller } from '../support/calls.ts'
import {
  campaign_start,
  enrollmentsOf,
  getCampaign,
  newCampaign,
  newContacts,
  request,
  start,
} from '../support/dialing.ts'
import { serve, type Tenant } from '../support/harness.ts'

const { workspace } = await serve()
const hour = 3_600
const day = 24 * hour

/** Asks the contact to wait for a callback at the time in `callback_at`, and is content when there is none. */
const script = {
  start: 'promise',
  nodes: {
    promise: { tool: 'schedule_callback', with: { at: '{{callback_at}}' }, ok: 'promised', failed: 'content' },
    promised: { say: 'I will call you back. Goodbye.', go: '@end' },
    content: { say: 'Thank you for your time. Goodbye.', go: '@end' },
  },
}

// biome-ignore lint/suspicious/noExplicitAny: tests read any field
type Data = any

/** Someone has asked to be called at this time, in the first call of a campaign. */
async function newPromise(callback_at: string, ending = '00', fields: object = {}) {
  const tenant = await workspace()
  await tenant.addTestClock(campaign_start)
  const contacts = await newContacts(tenant, [ending])
  const agent_id = await newCaller(tenant, { script })
  const campaign = await newCampaign(tenant, contacts, { agent_id, variables: { callback_at }, ...fields })
  await start(tenant, campaign)
  await advance(tenant, 300)
  return { tenant, campaign }
}

const callsOf = async (tenant: Tenant, { id }: Data): Promise<Data[]> =>
  (await request(tenant, 'GET', `/calls?campaign_id=${id}&limit=100`)).reverse()

test('a campaign calls back at the time that the contact has asked for, also outside of its windows', async () => {
  // The windows end at five in New York, which is 22:00 in UTC.
  const callback_at = '2027-03-02T00:30:00.000Z'
  const { tenant, campaign } = await newPromise(callback_at)
  const [waiting] = await enrollmentsOf(tenant, campaign)
  assert.deepEqual(
    [waiting.status, waiting.attempts, waiting.last_outcome, waiting.next_attempt_at],
    ['waiting', 1, 'answered', callback_at],
  )
  assert.equal((await request(tenant, 'GET', '/calls?limit=100')).length, 1)
  await advance(tenant, day)
  const calls = await callsOf(tenant, campaign)
  assert.deepEqual(
    calls.map(({ started_at, outcome, attempt }) => [started_at, outcome, attempt]),
    [
      [calls[0].started_at, 'answered', 1],
      [callback_at, 'answered', 2],
    ],
  )
  const [done] = await enrollmentsOf(tenant, campaign)
  assert.deepEqual([done.status, done.reason, done.attempts], ['completed', null, 2])
  assert.equal((await getCampaign(tenant, campaign)).status, 'completed')
})

test('a callback waits for the end of the quiet hours', async () => {
  // Four in the morning in New York.
  const { tenant, campaign } = await newPromise('2027-03-02T09:00:00.000Z')
  await advance(tenant, day)
  const [, back] = await callsOf(tenant, campaign)
  assert.equal(back.started_at, '2027-03-02T13:00:00.000Z')
})

test('a callback does not count the attempts of the campaign', async () => {
  const { tenant, campaign } = await newPromise('2027-03-01T15:00:00.000Z', '00', { attempts_max: 1 })
  await advance(tenant, 2 * hour)
  const calls = await callsOf(tenant, campaign)
  assert.deepEqual(
    calls.map(({ outcome }) => outcome),
    ['answered', 'answered'],
  )
})

test('someone who has opted out before the callback is not called', async () => {
  const { tenant, campaign } = await newPromise('2027-03-01T15:00:00.000Z')
  const [{ contact_id }] = await enrollmentsOf(tenant, campaign)
  await request(tenant, 'POST', `/contacts/${contact_id}/consents`, { kind: 'voice', status: 'revoked' })
  await advance(tenant, 2 * hour)
  const [skipped] = await enrollmentsOf(tenant, campaign)
  assert.deepEqual([skipped.status, skipped.reason, skipped.attempts], ['skipped', 'opted_out', 1])
  assert.equal((await callsOf(tenant, campaign)).length, 1)
})

test('a callback is kept while the campaign is paused', async () => {
  const { tenant, campaign } = await newPromise('2027-03-01T15:00:00.000Z')
  await request(tenant, 'POST', `/campaigns/${campaign.id}/pause`)
  await advance(tenant, 2 * hour)
  assert.equal((await callsOf(tenant, campaign)).length, 1)
  await request(tenant, 'POST', `/campaigns/${campaign.id}/resume`)
  await advance(tenant, hour)
  const [, back] = await callsOf(tenant, campaign)
  assert.equal(back.outcome, 'answered')
})

test('someone who was promised a call comes before people who were not called yet', async () => {
  const callback_at = '2027-03-01T14:10:00.000Z'
  const { tenant, campaign } = await newPromise(callback_at, '00', { pacing: { starts_per_second: 0.02 } })
  const [{ contact_id }] = await enrollmentsOf(tenant, campaign)
  const others = (await newContacts(tenant, Array(21).fill('01'))).slice(1)
  const contact_ids = others.map(({ id }: Data) => id)
  await request(tenant, 'POST', `/campaigns/${campaign.id}/enrollments`, { contact_ids })
  await advance(tenant, 600)
  const again = (await callsOf(tenant, campaign)).find((call) => call.contact_id === contact_id && call.attempt === 2)
  // At one start in 50 seconds, the others would take a quarter of an hour.
  assert.ok(again && Date.parse(again.started_at) <= Date.parse(callback_at) + 50_000)
})
