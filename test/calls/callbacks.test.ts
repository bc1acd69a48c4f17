import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as counts from '../../server/calls/change/counts.ts'
import * as clock from '../../server/kit/clock.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { advance, call_start, getCall, newCaller, newTestCalls, placeCall, turnsOf } from '../support/calls.ts'
import { create } from '../support/conversations.ts'
import { request } from '../support/dialing.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { newContact } from '../support/samples.ts'

const server = await serve()

const script = {
  start: 'promise',
  nodes: {
    promise: {
      tool: 'schedule_callback',
      with: { at: '{{callback_at|2027-03-02T09:00}}', reason: 'Asks for a quote.' },
      ok: 'promised',
      failed: 'sorry',
    },
    promised: { say: 'I will call you at {{schedule_callback.at}}. Goodbye.', go: '@end' },
    sorry: { say: 'I can not call you back. Goodbye.', go: '@end' },
  },
}

/** A test workspace in which a friendly person is called by an agent that wants to call back. */
async function newPromise(tenant: Tenant, more: object = {}) {
  await newTestCalls(tenant)
  const agent_id = await newCaller(tenant, { script })
  const contact = await create(tenant, '/contacts', newContact({ phone_number: '+14155550100' }))
  const { id } = await placeCall(tenant, { agent_id, contact_id: contact.id, ...more })
  await advance(tenant, 600)
  return { agent_id, contact_id: contact.id, first: await getCall(tenant, id) }
}

const callsOf = async ({ call }: Tenant) => (await call('GET', '/calls')).body.data

test('a promised callback is a scheduled call to the contact, and happens at its time', async () => {
  const tenant = await server.workspace()
  const { agent_id, contact_id, first } = await newPromise(tenant)
  const [promised, ...others] = (await callsOf(tenant)).filter(({ id }: { id: string }) => id !== first.id)
  assert.deepEqual(others, [])
  assert.partialDeepStrictEqual(promised, {
    status: 'scheduled',
    scheduled_at: '2027-03-02T17:00:00.000Z',
    agent_id,
    contact_id,
    to: '+14155550100',
    channel_id: first.channel_id,
    attempt: 2,
    metadata: { callback_of: first.id },
  })
  await advance(tenant, 32 * 3_600)
  const called = await getCall(tenant, promised.id)
  assert.deepEqual([called.status, called.started_at], ['completed', '2027-03-02T17:00:00.000Z'])
  const { variables } = (await tenant.call('GET', `/conversations/${called.conversation_id}`)).body.data
  assert.deepEqual(variables, { callback_reason: 'Asks for a quote.' })
})

test('a callback stays with the simulated person', async () => {
  const tenant = await server.workspace()
  const { first } = await newPromise(tenant, { simulate: '00' })
  const [promised] = (await callsOf(tenant)).filter(({ id }: { id: string }) => id !== first.id)
  assert.deepEqual([promised.status, promised.channel_id, promised.is_test], ['scheduled', null, true])
})

test('a time in the past is not promised', async () => {
  const tenant = await server.workspace()
  const { first } = await newPromise(tenant, { variables: { callback_at: clock.iso(call_start - 1) } })
  const turns: { role: string; text: string }[] = await turnsOf(tenant, first.conversation_id)
  assert.ok(turns.some(({ role, text }) => role === 'agent' && text.startsWith('I can not call you back.')))
  assert.equal((await callsOf(tenant)).length, 1)
})

interface Wanted {
  at: string
  contact: object
  /** What the agent says. */
  said: string | undefined
  scheduled_at: string | undefined
}

const new_york = { time_zone: 'America/New_York' }
const in_new_york = (digits: string) => ({ phone_number: `+1212555${digits}00` })

/** Everyone is called, and asks for a callback at such a time. */
async function askFor(wanted: Wanted[], settings: object = {}): Promise<void> {
  const tenant = await server.workspace()
  await newTestCalls(tenant)
  await request(tenant, 'PATCH', '/workspace', { settings })
  const agent_id = await newCaller(tenant, { script })
  const placed: string[] = []
  for (const { at: callback_at, contact } of wanted) {
    const { id: contact_id } = await create(tenant, '/contacts', contact)
    placed.push((await placeCall(tenant, { agent_id, contact_id, variables: { callback_at } })).id)
  }
  await advance(tenant, 600)
  const promised: { scheduled_at: string; metadata: { callback_of: string } }[] = await callsOf(tenant)
  for (const [index, id] of placed.entries()) {
    const { conversation_id } = await getCall(tenant, id)
    const turns: { text: string }[] = await turnsOf(tenant, conversation_id)
    const said = turns.map(({ text }) => / at (\S+)\. Goodbye/.exec(text)?.[1]).find(Boolean)
    const { scheduled_at } = promised.find(({ metadata }) => metadata.callback_of === id) ?? {}
    assert.deepEqual({ ...wanted[index], said, scheduled_at }, wanted[index])
  }
}

test("a callback is at the contact's time, and moves to the begin of the quiet hours", async () => {
  const of_summer_time = { said: '2027-03-14T08:00:00-04:00', scheduled_at: '2027-03-14T12:00:00.000Z' }
  const nine = { said: '2027-03-02T09:00:00-05:00', scheduled_at: '2027-03-02T14:00:00.000Z' }
  const late = { said: '2027-03-02T20:59:00-05:00', scheduled_at: '2027-03-03T01:59:00.000Z' }
  const eight = { said: '2027-03-02T08:00:00-05:00', scheduled_at: '2027-03-02T13:00:00.000Z' }
  const next_day = { said: '2027-03-03T08:00:00-05:00', scheduled_at: '2027-03-03T13:00:00.000Z' }
  const sydney = { phone_number: '+18885550000', time_zone: 'Australia/Sydney' }
  const of_winter_time = { said: '2027-04-04T08:00:00+10:00', scheduled_at: '2027-04-03T22:00:00.000Z' }
  await askFor([
    { at: '2027-03-02T09:00', contact: in_new_york('01'), ...nine },
    { at: '2027-03-02T09:00:00', contact: { ...sydney, phone_number: '+18885550100', ...new_york }, ...nine },
    { at: '2027-03-02T15:00:00+01:00', contact: in_new_york('02'), ...nine },
    { at: '2027-03-02T07:59:59', contact: in_new_york('03'), ...eight },
    { at: '2027-03-02T20:59', contact: in_new_york('04'), ...late },
    { at: '2027-03-02T21:00', contact: in_new_york('05'), ...next_day },
    { at: '2027-03-13T22:00', contact: in_new_york('06'), ...of_summer_time },
    { at: '2027-04-03T22:00', contact: sydney, ...of_winter_time },
  ])
})

test('a time that clocks skip is the one at which they do so, and of one that they show twice it is the first', async () => {
  const skipped = { said: '2027-03-14T03:00:00-04:00', scheduled_at: '2027-03-14T07:00:00.000Z' }
  const twice = { said: '2027-11-07T01:30:00-04:00', scheduled_at: '2027-11-07T05:30:00.000Z' }
  await askFor(
    [
      { at: '2027-03-14T02:30', contact: in_new_york('01'), ...skipped },
      { at: '2027-11-07T01:30', contact: in_new_york('02'), ...twice },
    ],
    { quiet_hours: { start: '00:00', end: '24:00' } },
  )
})

const toll_free = { phone_number: '+18005550100' }

test('a number that may be in many zones is called when none of them is quiet', async () => {
  const at = '2027-03-02T09:00'
  const told = { said: '2027-03-02T23:00:00+01:00', scheduled_at: '2027-03-02T22:00:00.000Z' }
  await askFor([{ at, contact: toll_free, ...told }], { time_zone: 'Europe/Berlin' })
  const never = { said: undefined, scheduled_at: undefined }
  const here = { said: '2027-03-03T07:00:00-05:00', scheduled_at: '2027-03-03T12:00:00.000Z' }
  await askFor(
    [
      { at, contact: toll_free, ...never },
      { at, contact: in_new_york('01'), ...here },
    ],
    { quiet_hours: { start: '07:00', end: '08:30' } },
  )
})

/** New York is promised a callback at 20:54:59, with quiet hours from 08:00 to 20:55. Returns the call, a minute before. */
async function newEveningPromise() {
  const tenant = await server.workspace()
  await newTestCalls(tenant)
  await request(tenant, 'PATCH', '/workspace', { settings: { quiet_hours: { start: '08:00', end: '20:55' } } })
  const agent_id = await newCaller(tenant, { script })
  const { id: contact_id } = await create(tenant, '/contacts', in_new_york('01'))
  await placeCall(tenant, { agent_id, contact_id, variables: { callback_at: '2027-03-02T20:54:59' } })
  await advance(tenant, (Date.parse('2027-03-03T01:53:59.000Z') - call_start) / 1_000)
  const [promised] = (await callsOf(tenant)).filter(({ status }: { status: string }) => status === 'scheduled')
  assert.equal(promised.scheduled_at, '2027-03-03T01:54:59.000Z')
  return { tenant, agent_id, contact_id, id: promised.id as string, updated_at: promised.updated_at as string }
}

/** The call waits for this time, and is then made. */
async function assertMoved(tenant: Tenant, { id, updated_at }: { id: string; updated_at: string }, time: string) {
  await advance(tenant, 600)
  const moved = await getCall(tenant, id)
  assert.deepEqual([moved.status, moved.scheduled_at, moved.started_at], ['scheduled', time, null])
  assert.ok(moved.updated_at > updated_at)
  const total = async (status: string) => (await tenant.call('GET', `/calls?status=${status}`)).body.pagination.total
  assert.deepEqual([await total('scheduled'), await total('queued')], [1, 0])
  await advance(tenant, 24 * 3_600)
  const called = await getCall(tenant, id)
  assert.deepEqual([called.status, called.scheduled_at, called.started_at], ['completed', time, time])
}

const next_morning = '2027-03-03T13:00:00.000Z'

test('a callback for which there is room only at night moves to the morning', async () => {
  const { tenant, agent_id, ...promised } = await newEveningPromise()
  await request(tenant, 'PATCH', '/workspace', { settings: { calls_in_flight_max: 1 } })
  await placeCall(tenant, {
    agent_id: await newCaller(tenant),
    to: '+14155550100',
    scheduled_at: '2027-03-03T01:54:50Z',
  })
  await assertMoved(tenant, promised, next_morning)
})

test('a callback that no process has dialled in time moves to the morning', async () => {
  const { tenant, ...promised } = await newEveningPromise()
  // It was about to be dialled when its process was killed, and the next process starts at night.
  await server.at(tenant.id).db.tx(async (db) => {
    const at = { ...server.at(tenant.id), db }
    await db.run(sql`update calls set status = 'queued', due_at = ${'2027-03-03T01:56:00Z'}
      where workspace_id = ${tenant.id} and id = ${promised.id}`)
    await counts.count(at, [{ from: 'scheduled', to: 'queued' }])
  })
  await assertMoved(tenant, promised, next_morning)
})

test('a callback follows the quiet hours and the time zone as they are when it is due', async () => {
  const earlier = await newEveningPromise()
  await request(earlier.tenant, 'PATCH', '/workspace', { settings: { quiet_hours: { start: '09:00', end: '18:00' } } })
  await assertMoved(earlier.tenant, earlier, '2027-03-03T14:00:00.000Z')
  const abroad = await newEveningPromise()
  await request(abroad.tenant, 'PATCH', `/contacts/${abroad.contact_id}`, { time_zone: 'Europe/Berlin' })
  await assertMoved(abroad.tenant, abroad, '2027-03-03T07:00:00.000Z')
})

test('a callback is canceled if there is no hour left in which the contact may be called', async () => {
  const tenant = await server.workspace()
  await newTestCalls(tenant)
  const agent_id = await newCaller(tenant, { script })
  const { id: contact_id } = await create(tenant, '/contacts', toll_free)
  await placeCall(tenant, { agent_id, contact_id })
  await advance(tenant, 600)
  await request(tenant, 'PATCH', '/workspace', { settings: { quiet_hours: { start: '07:00', end: '08:30' } } })
  await advance(tenant, 48 * 3_600)
  const [promised] = (await callsOf(tenant)).filter(({ scheduled_at }: { scheduled_at?: string }) => scheduled_at)
  const { status, end_reason, started_at } = promised
  assert.deepEqual([status, end_reason, started_at], ['canceled', 'canceled', null])
})

test('a call that is scheduled by a request is dialled at night, too', async () => {
  const tenant = await server.workspace()
  await newTestCalls(tenant)
  const agent_id = await newCaller(tenant)
  const { id: contact_id } = await create(tenant, '/contacts', in_new_york('01'))
  const scheduled_at = '2027-03-02T08:00:00.000Z'
  const { id } = await placeCall(tenant, { agent_id, contact_id, scheduled_at })
  await advance(tenant, 24 * 3_600)
  assert.equal((await getCall(tenant, id)).started_at, scheduled_at)
})
