import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as clock from '../../server/kit/clock.ts'
import { advance, newCaller } from '../support/calls.ts'
import { campaign_start, getCampaign, newCampaign, newContacts, request, start } from '../support/dialing.ts'
import { serve, type Tenant } from '../support/harness.ts'

const { workspace } = await serve()
const pacing = { starts_per_second: 5, in_flight_max: 100 }

// biome-ignore lint/suspicious/noExplicitAny: tests read any field
type Data = any

const says_hello = { start: 'hello', nodes: { hello: { say: 'Hello. Goodbye.', go: '@end' } } }
/** The same for the contact. Campaigns of agents with tools don't run ahead. */
const with_tool = {
  start: 'promise',
  nodes: {
    promise: { tool: 'schedule_callback', with: { at: 'never' }, ok: 'hello', failed: 'hello' },
    hello: { say: 'Hello. Goodbye.', go: '@end' },
  },
}

async function newBroken(script: object, endings: string[], fields: object = {}) {
  const tenant = await workspace()
  await tenant.addTestClock(campaign_start)
  const contacts = await newContacts(tenant, endings)
  const agent_id = await newCaller(tenant, { script })
  const campaign = await newCampaign(tenant, contacts, { agent_id, pacing, ...fields })
  await start(tenant, campaign)
  return { tenant, campaign }
}

const callsOf = async (tenant: Tenant, { id }: Data): Promise<Data[]> =>
  (await request(tenant, 'GET', `/calls?campaign_id=${id}&limit=100`)).toSorted((left: Data, right: Data) =>
    left.started_at < right.started_at ? -1 : 1,
  )

const firstEvent = async (tenant: Tenant, type: string): Promise<Data> =>
  (await request(tenant, 'GET', `/events?type=${type}&limit=100`)).at(-1)

const resumed_at = '2027-03-01T14:05:02.000Z'

for (const [name, script] of Object.entries({ 'that runs ahead': says_hello, 'with tools': with_tool }))
  test(`a campaign ${name} pauses after ten errors, and goes on with one attempt at a time`, async () => {
    const { tenant, campaign } = await newBroken(script, [
      ...Array<string>(24).fill('16'),
      ...Array<string>(4).fill('00'),
    ])
    await advance(tenant, 60)
    const paused = await getCampaign(tenant, campaign)
    assert.deepEqual([paused.status, paused.pause_reason], ['paused', 'circuit_breaker'])
    const before = await callsOf(tenant, campaign)
    assert.ok(before.length >= 10 && before.length <= 20, `${before.length}`)
    await advance(tenant, 600)
    const after = (await callsOf(tenant, campaign)).slice(before.length)
    assert.ok(after.length > 0)
    const [{ started_at: first_at }] = after
    assert.ok(clock.parse(first_at) >= clock.parse(before.at(-1).ended_at) + 290_000, first_at)
    const recovered_at = after.find(({ outcome }) => outcome === 'answered')?.ended_at ?? 'z'
    const probes = after.filter(({ started_at }) => started_at < recovered_at)
    for (const [index, { started_at }] of probes.entries())
      assert.ok(index === 0 || started_at >= probes[index - 1].ended_at, started_at)
    const stopped = await firstEvent(tenant, 'campaign.paused')
    const resumed = await firstEvent(tenant, 'campaign.resumed')
    assert.deepEqual([stopped.data.pause_reason, resumed.data.pause_reason], ['circuit_breaker', null])
    assert.equal(clock.parse(resumed.created_at), clock.parse(stopped.created_at) + 300_000)
  })

test('a campaign that runs ahead and one with tools make the same attempts', async () => {
  const endings = [...Array<string>(18).fill('16'), ...Array<string>(6).fill('00')]
  const [ahead, stepwise] = await Promise.all(
    [says_hello, with_tool].map(async (script) => {
      const { tenant, campaign } = await newBroken(script, endings)
      await advance(tenant, 1_200)
      return (await callsOf(tenant, campaign)).map(({ to, started_at, outcome }) => `${started_at} ${to} ${outcome}`)
    }),
  )
  assert.deepEqual(ahead?.sort(), stepwise?.sort())
})

test('a forecast counts the same attempts, also after the circuit breaker has opened', async () => {
  const endings = [...Array<string>(18).fill('16'), ...Array<string>(6).fill('00')]
  const { tenant, campaign } = await newBroken(says_hello, endings)
  const forecast = await request(tenant, 'POST', `/campaigns/${campaign.id}/forecast`, {})
  await advance(tenant, 7 * 86_400)
  const ended = await getCampaign(tenant, campaign)
  assert.equal(ended.status, 'completed')
  const { by_outcome } = await request(tenant, 'GET', `/campaigns/${campaign.id}/progress`)
  assert.deepEqual(forecast.by_outcome, by_outcome)
  const calls = await callsOf(tenant, campaign)
  const last = calls
    .map(({ ended_at }) => ended_at)
    .toSorted()
    .at(-1)
  assert.equal(forecast.expected_end_at, last)
})

test('after an attempt that succeeds, several begin at a time again', async () => {
  const { tenant, campaign } = await newBroken(says_hello, Array<string>(12).fill('16'))
  await advance(tenant, 60)
  assert.equal((await getCampaign(tenant, campaign)).status, 'paused')
  const contacts = await newContacts(tenant, Array<string>(10).fill('00'), { time_zone: 'America/New_York' })
  const contact_ids = contacts.map(({ id }) => id)
  await request(tenant, 'POST', `/campaigns/${campaign.id}/enrollments`, { contact_ids })
  await advance(tenant, 600)
  const after = (await callsOf(tenant, campaign)).filter(({ outcome }) => outcome === 'answered')
  const starts = after.map(({ started_at }) => started_at)
  assert.equal(starts.length, 10)
  assert.ok(starts[0] >= resumed_at, starts[0])
  assert.ok(starts[1] >= after[0].ended_at)
  assert.ok(new Set(starts).size < 6, starts.join(' '))
})

test('a campaign that the circuit breaker has paused can be resumed before, and canceled', async () => {
  const { tenant, campaign } = await newBroken(says_hello, Array<string>(20).fill('16'))
  await advance(tenant, 60)
  const path = `/campaigns/${campaign.id}`
  assert.equal((await request(tenant, 'POST', `${path}/resume`)).status, 'running')
  await advance(tenant, 1)
  const { counts } = await request(tenant, 'POST', `${path}/cancel`)
  await advance(tenant, 600)
  const ended = await getCampaign(tenant, campaign)
  assert.equal(ended.status, 'canceled')
  assert.equal(ended.counts.by_status.canceled, counts.enrolled)
})
