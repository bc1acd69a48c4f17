import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { decide } from '../../server/campaigns/dial/decide.ts'
import { forecastSlots } from '../../server/campaigns/forecast-slots.ts'
import { forecast } from '../../server/campaigns/simulate/forecast.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { advance, appointment_script, newCaller } from '../support/calls.ts'
import {
  always,
  campaign_start,
  enrollmentsOf,
  getCampaign,
  newCampaign,
  newContacts,
  request,
  start,
} from '../support/dialing.ts'
import { serve } from '../support/harness.ts'
import { byForm } from '../support/property-runs.ts'
import { newProvider } from '../support/samples.ts'

const { workspace, pool, at } = await serve()
const day = 86_400

test('a dialer that leased the campaign before it was paused does not run it again', async () => {
  const tenant = await workspace()
  const channel = await tenant.addChannel({ kind: 'voice', name: 'Voice' })
  const campaign = await newCampaign(tenant, await newContacts(tenant, ['00']), { channel_ids: [channel.id] })
  await start(tenant, campaign)
  const lease = { workspace: tenant.id, id: campaign.id, token: randomUUID(), due_at: '' }
  await pool.run(sql`update campaigns set lease_token = ${lease.token} where workspace_id = ${tenant.id}`)
  await request(tenant, 'POST', `/campaigns/${campaign.id}/pause`)
  await decide(at(tenant.id), lease)
  assert.equal((await getCampaign(tenant, campaign)).status, 'paused')
})

test('a campaign keeps the only channel that there was when it started', async () => {
  const tenant = await workspace()
  await tenant.addTestClock(campaign_start)
  const campaign = await newCampaign(tenant, await newContacts(tenant, ['00']))
  assert.deepEqual(campaign.channel_ids, [])
  const { channel_ids } = await start(tenant, campaign)
  assert.equal(channel_ids.length, 1)
  await tenant.addChannel({ kind: 'voice', name: 'Another' })
  await advance(tenant, 60)
  const [call] = await request(tenant, 'GET', `/calls?campaign_id=${campaign.id}`)
  assert.equal(call.channel_id, channel_ids[0])
})

test('a campaign is not expected to end before the last contact who waits is due', async () => {
  const tenant = await workspace()
  await tenant.addTestClock(campaign_start)
  const campaign = await newCampaign(tenant, await newContacts(tenant, ['00', '01']))
  await start(tenant, campaign)
  await advance(tenant, 600)
  const waiting = (await enrollmentsOf(tenant, campaign)).filter(({ status }) => status === 'waiting')
  const { expected_end_at } = await request(tenant, 'GET', `/campaigns/${campaign.id}/progress`)
  assert.equal(waiting.length, 1)
  const late_ms = Date.parse(expected_end_at) - Date.parse(waiting[0].next_attempt_at)
  assert.ok(late_ms >= 0 && late_ms < 60_000, `${late_ms}`)
})

/** What a forecast says of a campaign, and what then happens. */
async function forecastAndRun(seed: number, endings: string[], fields: object) {
  const tenant = await workspace()
  await tenant.addTestClock(campaign_start, seed)
  const campaign = await newCampaign(tenant, await newContacts(tenant, endings), fields)
  const forecast = await request(tenant, 'POST', `/campaigns/${campaign.id}/forecast`)
  await start(tenant, campaign)
  await advance(tenant, 14 * day)
  const { status, counts } = await getCampaign(tenant, campaign)
  assert.equal(status, 'completed')
  const { by_outcome } = await request(tenant, 'GET', `/campaigns/${campaign.id}/progress`)
  const calls = await request(tenant, 'GET', `/calls?campaign_id=${campaign.id}&limit=100`)
  const last_end = calls
    .map(({ ended_at }: { ended_at: string }) => ended_at)
    .sort()
    .at(-1)
  return { forecast, run: { by_outcome, by_status: counts.by_status, expected_end_at: last_end, starts: calls.length } }
}

test('a forecast equals the run with the same seed, and another seed differs', async () => {
  const some = ['00', '05', '11', '16', '17', '20', '38', '63', '80', '98']
  const more = ['14', '18', '27', '31', '44', '52', '77', '86', '91']
  const endings = byForm({ short: some, long: [...some, ...more] })
  const fields = { pacing: { in_flight_max: 2, starts_per_second: 0.2, ramp_minutes: 2 } }
  const ends: string[] = []
  for (const seed of [3, 4]) {
    const { forecast, run } = await forecastAndRun(seed, endings, fields)
    const starts = forecast.timeline.reduce((sum: number, interval: { starts: number }) => sum + interval.starts, 0)
    const { by_outcome, by_status, expected_end_at } = forecast
    assert.deepEqual({ by_outcome, by_status, expected_end_at, starts }, run)
    assert.deepEqual([forecast.is_sampled, forecast.simulated, forecast.warnings], [false, endings.length, []])
    ends.push(expected_end_at)
  }
  assert.notEqual(ends[0], ends[1])
})

test('a forecast of some contacts is about all, and what happens to all lies in its intervals', async () => {
  const tenant = await workspace()
  const channel = await tenant.addChannel({ kind: 'voice', name: 'Voice' })
  const endings = Array.from({ length: 200 }, (_, index) => String(index % 100))
  const fields = {
    channel_ids: [channel.id],
    windows: always,
    pacing: { in_flight_max: 5, starts_per_second: 1, ramp_minutes: 0 },
  }
  const { id } = await newCampaign(tenant, await newContacts(tenant, endings), fields)
  const { signal } = new AbortController()
  const make = (limits: { simulated_max?: number }) => forecast(at(tenant.id), { id, input: {}, signal, ...limits })
  const sampled = await make({ simulated_max: 80 })
  const whole = await make({})
  assert.deepEqual([sampled.is_sampled, sampled.simulated], [true, 80])
  assert.deepEqual([whole.is_sampled, whole.simulated], [false, endings.length])
  const contacts = Object.values(sampled.by_status).reduce((sum, count) => sum + count, 0)
  assert.ok(Math.abs(contacts - endings.length) < 5, `${contacts} contacts`)
  for (const { by_outcome, expected_end_at } of [sampled, whole]) {
    const { low, high } = sampled.expected_end ?? assert.fail('it does not end')
    assert.ok(
      expected_end_at && low <= expected_end_at && expected_end_at <= high,
      `${low}, ${expected_end_at}, ${high}`,
    )
    for (const [outcome, interval] of Object.entries(sampled.by_outcome_interval)) {
      const count = by_outcome[outcome] ?? 0
      assert.ok(interval.low <= count && count <= interval.high, `${count} ${outcome}, ${JSON.stringify(interval)}`)
    }
  }
})

test('a forecast warns if people who are called can opt out neither by words nor by a key', async () => {
  const tenant = await workspace()
  await tenant.addTestClock(campaign_start)
  const [contact] = await newContacts(tenant, ['00'])
  const warning =
    "People can't opt out in a call: the agent doesn't hear the language that it speaks, and has no key that ends calls for good."
  await request(tenant, 'POST', '/providers', newProvider({ name: 'Ears', kind: 'deepgram' }))
  const heard = { speak: null, listen: { provider: 'Ears', model: null, language: null } }
  const script = appointment_script
  const warningsFor = async (configuration: object, kind = 'voice') => {
    const agent_id = await newCaller(tenant, { script, ...configuration })
    const campaign = await newCampaign(tenant, [contact], { agent_id, kind })
    return (await request(tenant, 'POST', `/campaigns/${campaign.id}/forecast`)).warnings
  }
  const silent = { language: 'de', opt_out_key: null }
  assert.deepEqual(await warningsFor(silent), [warning])
  assert.deepEqual(await warningsFor({ ...silent, opt_out_notice: true }), [warning])
  assert.deepEqual(await warningsFor({ language: 'de' }), [])
  assert.deepEqual(await warningsFor({ ...silent, language: 'en-GB' }), [])
  assert.deepEqual(await warningsFor({ ...silent, speech: heard }), [])
  assert.deepEqual(await warningsFor(silent, 'sms'), [])
})

test('a forecast counts calls that go on, and waits until the workspace has room', async () => {
  const tenant = await workspace()
  await tenant.addTestClock(campaign_start)
  await request(tenant, 'PATCH', '/workspace', { settings: { calls_in_flight_max: 1 } })
  const first = await newCampaign(tenant, await newContacts(tenant, ['00']))
  await start(tenant, first)
  await advance(tenant, 1)
  const second = await newCampaign(tenant, await newContacts(tenant, ['01']), { attempts_max: 1 })
  const ends: number[] = []
  for (const calls_in_flight_max of [1, 100]) {
    await request(tenant, 'PATCH', '/workspace', { settings: { calls_in_flight_max } })
    const { expected_end_at } = await request(tenant, 'POST', `/campaigns/${second.id}/forecast`)
    ends.push(Date.parse(expected_end_at))
  }
  const [full = 0, free = 0] = ends
  assert.ok(full > free, `${full - free} ms later`)
})

test('a forecast ends with its client, and one that takes too long is 503', async () => {
  const tenant = await workspace()
  const channel = await tenant.addChannel({ kind: 'voice', name: 'Voice' })
  const { id } = await newCampaign(tenant, await newContacts(tenant, ['00']), { channel_ids: [channel.id] })
  const there = at(tenant.id)
  const client = new AbortController()
  const left = forecast(there, { id, input: {}, signal: client.signal })
  assert.ok(forecastSlots.of(there).has(tenant.id))
  client.abort(new Error('left'))
  await assert.rejects(left, /left/)
  assert.ok(!forecastSlots.of(there).has(tenant.id))
  const too_long = { code: 'SERVICE_UNAVAILABLE', headers: { 'retry-after': '60' } }
  const { signal } = new AbortController()
  await assert.rejects(forecast(there, { id, input: {}, signal, run_max_ms: 1 }), too_long)
})

test('explain says what the dialer then does, at any time', async () => {
  const tenant = await workspace()
  await tenant.addTestClock(campaign_start, 11)
  const endings = ['01', '05', '41', '66', '88', '02', '20', '55', '70', '97']
  const contacts = await newContacts(tenant, endings.slice(0, byForm({ short: 5, long: 10 })))
  const windows = [{ days: ['mon', 'wed', 'thu'], start: '09:30', end: '16:00' }]
  const campaign = await newCampaign(tenant, contacts, { windows })
  await start(tenant, campaign)
  for (const seconds of [60, 1_000, 900, 7_200, 20_000, 3_600, 50_000, 86_400, 100_000, 40_000]) {
    const time = Date.parse((await request(tenant, 'GET', '/test_clock')).now) + seconds * 1_000
    const due = (await enrollmentsOf(tenant, campaign)).filter(
      ({ status }) => status === 'pending' || status === 'waiting',
    )
    const before = new Map<string, { verdict: string; next_attempt_at: string | null }>()
    for (const { id } of due) before.set(id, await request(tenant, 'GET', `/enrollments/${id}/explain`))
    await advance(tenant, seconds)
    for (const enrollment of await enrollmentsOf(tenant, campaign)) {
      const explained = before.get(enrollment.id)
      if (!explained) continue
      const { attempts } = await request(tenant, 'GET', `/enrollments/${enrollment.id}/explain`)
      const next = attempts
        .map(({ at }: { at: string }) => Date.parse(at))
        .find((at: number) => at >= time - seconds * 1_000)
      const expected = explained.next_attempt_at === null ? undefined : Date.parse(explained.next_attempt_at)
      if (expected !== undefined && expected < time)
        assert.ok(next !== undefined && next >= expected, JSON.stringify({ explained, attempts }))
      else assert.equal(next, undefined, JSON.stringify({ explained, attempts, time }))
    }
  }
})

test('contacts who wait for their next attempt are expired when the campaign ends', async () => {
  const tenant = await workspace()
  await tenant.addTestClock(campaign_start)
  const ends_at = new Date(campaign_start + 3_600_000).toISOString()
  const campaign = await newCampaign(tenant, await newContacts(tenant, ['01', '01']), { ends_at })
  await start(tenant, campaign)
  await advance(tenant, 3_599)
  assert.deepEqual((await getCampaign(tenant, campaign)).counts.by_status, { waiting: 2 })
  await advance(tenant, 1)
  const { status, counts } = await getCampaign(tenant, campaign)
  assert.deepEqual([status, counts.by_status], ['completed', { expired: 2 }])
  const enrollments = await enrollmentsOf(tenant, campaign)
  assert.deepEqual(
    enrollments.map(({ reason, next_attempt_at }) => [reason, next_attempt_at]),
    Array(2).fill(['ended', null]),
  )
})

test('a campaign calls each contact in its hours, retries by outcome, and completes by itself', async () => {
  const tenant = await workspace()
  await tenant.addTestClock(campaign_start)
  const contacts = await newContacts(tenant, ['00', '01', '02', '03', '04', '05', '11', '16'])
  const campaign = await newCampaign(tenant, contacts)
  const started = await start(tenant, campaign)
  assert.equal(started.status, 'running')
  await advance(tenant, 14 * day)
  const ended = await getCampaign(tenant, campaign)
  assert.equal(ended.status, 'completed', JSON.stringify(ended))
  const by_contact = new Map((await enrollmentsOf(tenant, campaign)).map((one) => [one.contact_id, one]))
  const outcomes = contacts.map(({ id }) => {
    const { status, reason, attempts, last_outcome } = by_contact.get(id)
    return [status, reason, attempts, last_outcome]
  })
  assert.deepEqual(outcomes, [
    ['completed', null, 1, 'answered'],
    ['failed', 'no_answer', 3, 'no_answer'],
    ['failed', 'busy', 3, 'busy'],
    ['failed', 'rejected', 1, 'rejected'],
    ['failed', 'invalid_number', 1, 'invalid_number'],
    ['failed', 'voicemail', 2, 'voicemail'],
    ['completed', 'opted_out', 1, 'answered'],
    ['completed', null, 2, 'answered'],
  ])
  const calls = await request(tenant, 'GET', `/calls?campaign_id=${campaign.id}&limit=100`)
  assert.equal(calls.length, 14)
  assert.deepEqual(ended.counts, { enrolled: 8, by_status: { completed: 3, failed: 5 } })
})
