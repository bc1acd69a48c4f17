import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lock } from '../../server/calls/rows.ts'
import { costOf } from '../../server/calls/store.ts'
import { inTransaction } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { newId } from '../../server/kit/id.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { create, newAgent } from '../support/conversations.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { newContact, phoneNumber } from '../support/samples.ts'
import { inWorkspace, newPerson } from '../support/sessions.ts'

const server = await serve()
const { workspace } = server
const tomorrow = () => clock.iso(clock.wall() + clock.day_ms)

const place = async (tenant: Tenant, fields: object = {}) => {
  const agent_id = 'agent_id' in fields ? undefined : await newAgent(tenant)
  return create(tenant, '/calls', { agent_id, to: phoneNumber(), simulate: '00', ...fields })
}

const eventsOf = async ({ call }: Tenant, id: string): Promise<string[]> =>
  (await call('GET', '/events?limit=100')).body.data
    .filter(({ resource_id }: { resource_id: string }) => resource_id === id)
    .map(({ type }: { type: string }) => type)

/** The path and code of each fault. */
async function faultsOf({ call }: Tenant, body: object): Promise<string[]> {
  const answer = await call('POST', '/calls', body)
  assert.equal(answer.status, 400, answer.text)
  return answer.body.error.details.fields.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)
}

test('a call is queued, linked to the contact with the number, and has all fields', async () => {
  const tenant = await workspace()
  const agent_id = await newAgent(tenant)
  const contact = await create(tenant, '/contacts', newContact())
  const placed = await tenant.call('POST', '/calls', { agent_id, to: contact.phone_number, simulate: '00' })
  assert.equal(placed.status, 201, placed.text)
  const { data } = placed.body
  assert.equal(placed.headers.get('location'), `/api/v1/calls/${data.id}`)
  const { id, agent_version, created_at, updated_at, ...rest } = data
  assert.equal(agent_version.version_label, 'v1')
  assert.equal(created_at, updated_at)
  assert.deepEqual(rest, {
    direction: 'outbound',
    status: 'queued',
    outcome: null,
    end_reason: null,
    ended_by: null,
    from: null,
    to: contact.phone_number,
    contact_id: contact.id,
    conversation_id: null,
    agent_id,
    agent_name: 'Reception',
    channel_id: null,
    campaign_id: null,
    attempt: 1,
    scheduled_at: null,
    started_at: null,
    answered_at: null,
    ended_at: null,
    duration_ms: null,
    results: {},
    summary: null,
    turn_count: 0,
    recording: { status: 'none', duration_ms: null, format: null },
    latency: { turn_p50_ms: null, turn_p95_ms: null },
    usage: { input_tokens: 0, output_tokens: 0 },
    cost_micros: 0,
    metadata: {},
    is_test: true,
    redacted_at: null,
  })
  assert.deepEqual((await tenant.call('GET', `/calls/${id}`)).body.data, data)
  assert.deepEqual((await tenant.call('GET', '/calls')).body.data, [data])
  assert.deepEqual(await eventsOf(tenant, id), [])
  const second = await place(tenant, { agent_id, contact_id: contact.id, to: null })
  assert.deepEqual([second.attempt, second.to, second.contact_id], [2, contact.phone_number, contact.id])
})

test('a request needs an agent and exactly one of to and contact_id, and known references', async () => {
  const tenant = await workspace()
  const other = await workspace()
  const [agent_id, their_agent] = [await newAgent(tenant), await newAgent(other)]
  const their_contact = (await create(other, '/contacts', newContact())).id
  const simulate = '00'
  const to = phoneNumber()
  assert.deepEqual(await faultsOf(tenant, { to, simulate }), ['agent_id required'])
  assert.deepEqual(await faultsOf(tenant, { agent_id, simulate }), ['to required'])
  assert.deepEqual(await faultsOf(tenant, { agent_id, to, contact_id: newId(), simulate }), ['contact_id conflict'])
  assert.deepEqual(await faultsOf(tenant, { agent_id, to: '0800', simulate }), ['to format'])
  for (const id of [newId(), their_agent, newId()])
    assert.deepEqual(await faultsOf(tenant, { agent_id: id, to, simulate }), ['agent_id unknown'])
  assert.deepEqual(await faultsOf(tenant, { agent_id, contact_id: their_contact, simulate }), ['contact_id unknown'])
  assert.deepEqual(await faultsOf(tenant, { agent_id, to, agent_version_id: newId(), simulate }), [
    'agent_version_id unknown',
  ])
  assert.deepEqual(await faultsOf(tenant, { agent_id, to, channel_id: newId() }), ['channel_id unknown'])
  assert.deepEqual(await faultsOf(tenant, { agent_id, to, simulate: '20' }), ['simulate format'])
  assert.deepEqual(await faultsOf(tenant, { agent_id, to, simulate, variables: { A: 1 } }), ['variables format'])
  assert.deepEqual(await faultsOf(tenant, { agent_id, to, simulate, metadata: { ['x'.repeat(41)]: '' } }), [
    'metadata format',
  ])
  const in_two_years = clock.iso(clock.wall() + 2 * 366 * clock.day_ms)
  assert.deepEqual(await faultsOf(tenant, { agent_id, to, simulate, scheduled_at: in_two_years }), [
    'scheduled_at too_late',
  ])
})

test('without a channel the only active voice channel calls, in a live workspace never a simulator', async () => {
  const tenant = await workspace()
  const agent_id = await newAgent(tenant)
  const to = phoneNumber()
  assert.deepEqual(await faultsOf(tenant, { agent_id, to }), ['channel_id required'])
  const sms = await tenant.addChannel()
  assert.deepEqual(await faultsOf(tenant, { agent_id, to, channel_id: sms.id }), ['channel_id invalid'])
  const voice = await tenant.addChannel({ kind: 'voice', address: '+14155550100' })
  assert.deepEqual(await faultsOf(tenant, { agent_id, to }), ['channel_id required'])
  const named = await create(tenant, '/calls', { agent_id, to, channel_id: voice.id })
  assert.deepEqual([named.channel_id, named.from, named.is_test], [voice.id, '+14155550100', true])

  const test_tenant = await workspace()
  await test_tenant.addTestClock()
  const test_agent = await newAgent(test_tenant)
  await test_tenant.addChannel({ kind: 'voice', address: '+14155550100' })
  const voices = (await test_tenant.call('GET', '/channels?kind=voice')).body.data
  const answer = await test_tenant.call('POST', '/calls', { agent_id: test_agent, to })
  if (voices.length === 1) assert.equal(answer.body.data.channel_id, voices[0].id)
  else assert.equal(answer.body.error.details.fields[0].code, 'required')
})

test('a call in the future is scheduled, one in the past is queued', async () => {
  const tenant = await workspace()
  const scheduled_at = tomorrow()
  const future = await place(tenant, { scheduled_at })
  assert.deepEqual([future.status, future.scheduled_at], ['scheduled', scheduled_at])
  const past = await place(tenant, { scheduled_at: '2020-01-01T00:00:00Z' })
  assert.deepEqual([past.status, past.scheduled_at], ['queued', '2020-01-01T00:00:00.000Z'])
  const due = await server.pool.many<{ due_at: string }>(
    sql`select due_at from calls where workspace_id = ${tenant.id} order by created_at`,
  )
  assert.equal(due[0]?.due_at, scheduled_at)
  assert.equal(due[1]?.due_at, past.created_at)
})

test('who has opted out is not called, and a suppressed number neither', async () => {
  const tenant = await workspace()
  const agent_id = await newAgent(tenant)
  const contact = await create(tenant, '/contacts', newContact())
  await create(tenant, `/contacts/${contact.id}/consents`, { kind: 'voice', status: 'revoked' })
  const refused = await tenant.call('POST', '/calls', { agent_id, contact_id: contact.id, simulate: '00' })
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'INVALID_STATE'])
  assert.equal(refused.body.error.details.rule, 'opted_out')
  const to = phoneNumber()
  await create(tenant, '/suppressions', { phone_number: to })
  const suppressed = await tenant.call('POST', '/calls', { agent_id, to, simulate: '00' })
  assert.equal(suppressed.body.error.details.rule, 'suppressed')
  await tenant.call('PATCH', '/workspace', { settings: { allowed_countries: ['DE'] } })
  const abroad = await tenant.call('POST', '/calls', { agent_id, to: phoneNumber(), simulate: '00' })
  assert.equal(abroad.body.error.details.rule, 'country_not_allowed')
  assert.equal((await tenant.call('GET', '/calls')).body.pagination.total, 0)
})

test('of 20 requests at once as many succeed as calls may be in flight', async () => {
  const tenant = await workspace()
  const agent_id = await newAgent(tenant)
  await tenant.call('PATCH', '/workspace', { settings: { calls_in_flight_max: 5 } })
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => tenant.call('POST', '/calls', { agent_id, to: phoneNumber(), simulate: '00' })),
  )
  const refused = answers.filter(({ status }) => status === 409)
  assert.deepEqual([answers.filter(({ status }) => status === 201).length, refused.length], [5, 15])
  for (const { body } of refused)
    assert.deepEqual([body.error.code, body.error.details.calls_in_flight_max], ['INVALID_STATE', 5])
  assert.equal((await tenant.call('GET', '/calls?status=queued')).body.pagination.total, 5)
  const scheduled = await place(tenant, { agent_id, scheduled_at: tomorrow() })
  assert.equal(scheduled.status, 'scheduled')
  const [first] = (await tenant.call('GET', '/calls?status=queued&limit=1')).body.data
  assert.equal((await tenant.call('POST', `/calls/${first.id}/cancel`)).status, 200)
  assert.equal((await place(tenant, { agent_id })).status, 'queued')
})

test('calls that are not dialled yet are canceled at once', async () => {
  const tenant = await workspace()
  for (const scheduled_at of [null, tomorrow()]) {
    const { id } = await place(tenant, { scheduled_at })
    const { status, body } = await tenant.call('POST', `/calls/${id}/cancel`)
    assert.equal(status, 200)
    const { outcome, end_reason, ended_by, ended_at, duration_ms } = body.data
    assert.deepEqual([body.data.status, outcome, end_reason, ended_by], ['canceled', 'canceled', 'canceled', 'human'])
    assert.ok(ended_at !== null && duration_ms === null)
    assert.deepEqual((await tenant.call('GET', `/calls/${id}`)).body, body)
    assert.deepEqual(await eventsOf(tenant, id), ['call.ended'])
    const log = (await tenant.call('GET', `/calls/${id}/events`)).body
    assert.deepEqual(log.data, [{ seq: 1, kind: 'ended.canceled', at: ended_at, source: 'human' }])
    const again = await tenant.call('POST', `/calls/${id}/cancel`)
    assert.deepEqual([again.status, again.body.error.details.status], [409, 'canceled'])
    const due = sql`select due_at, request from calls where workspace_id = ${tenant.id} and id = ${id}`
    assert.deepEqual(await server.pool.one(due), { due_at: null, request: null })
  }
  const { body } = await tenant.call('GET', '/calls?status=canceled')
  assert.equal(body.pagination.total, 2)
})

test('a person who cancels is named as the one who has ended the call', async () => {
  const tenant = await workspace()
  const { id } = await place(tenant)
  const { go } = await newPerson(server, { [tenant.id]: 'member' })
  const { body } = await go('POST', `/api/v1/calls/${id}/cancel`, undefined, inWorkspace(tenant))
  assert.equal(body.data.ended_by, 'human')
})

test('a call that rings or goes on is ended by the process that drives it', async () => {
  const tenant = await workspace()
  const lease_until = clock.wall() + 60_000
  const requestOf = ({ id }: { id: string }) =>
    server.pool.one<{ request: string | null; due_at: string }>(
      sql`select request, due_at from calls where workspace_id = ${tenant.id} and id = ${id}`,
    )
  const ringing = await tenant.addCall({ is_ringing: true, lease_until })
  const refused = await tenant.call('POST', `/calls/${ringing.id}/hang_up`)
  assert.deepEqual([refused.status, refused.body.error.details.status], [409, 'ringing'])
  assert.match(refused.body.error.message, /cancel it instead/)
  const canceled = await tenant.call('POST', `/calls/${ringing.id}/cancel`)
  assert.deepEqual([canceled.status, canceled.body.data.status], [200, 'ringing'])
  assert.deepEqual(await requestOf(ringing), { request: 'cancel', due_at: ringing.created_at })

  const answered = await tenant.addCall({ lease_until })
  const late = await tenant.call('POST', `/calls/${answered.id}/cancel`)
  assert.deepEqual([late.status, late.body.error.details.status], [409, 'in_progress'])
  assert.equal((await tenant.call('POST', `/calls/${answered.id}/hang_up`)).status, 200)
  assert.equal((await requestOf(answered)).request, 'hang_up')

  const waiting = await tenant.addCall()
  await tenant.call('POST', `/calls/${waiting.id}/hang_up`)
  const asked = await requestOf(waiting)
  assert.equal(asked.request, 'hang_up')
  assert.ok(asked.due_at > waiting.created_at, 'the next process ends it at once')
  const over = await tenant.addCall({ is_over: true })
  for (const verb of ['cancel', 'hang_up'])
    assert.equal((await tenant.call('POST', `/calls/${over.id}/${verb}`)).body.error.message, 'This call is over.')
})

test('a call that a process is about to dial is not canceled behind its back', async () => {
  const tenant = await workspace()
  const { id } = await place(tenant)
  const lease_until = clock.iso(clock.wall() + 60_000)
  await server.pool.run(
    sql`update calls set lease_until = ${lease_until} where workspace_id = ${tenant.id} and id = ${id}`,
  )
  assert.equal((await tenant.call('POST', `/calls/${id}/cancel`)).body.data.status, 'queued')
  const locked = await inTransaction(server.at(tenant.id), (at) => lock(at, id))
  assert.equal(locked.request, 'cancel')
})

test('metadata is replaced, with an event and an ETag', async () => {
  const tenant = await workspace()
  const { id, ...before } = await place(tenant, { metadata: { ticket: 'T-1' } })
  const read = await tenant.call('GET', `/calls/${id}`)
  const etag = String(read.headers.get('etag'))
  assert.deepEqual((await tenant.call('PATCH', `/calls/${id}`, {})).body, read.body)
  const changed = await tenant.call('PATCH', `/calls/${id}`, { metadata: { a: 'b' } }, { 'if-match': etag })
  assert.deepEqual([changed.status, changed.body.data.metadata], [200, { a: 'b' }])
  assert.ok(changed.body.data.updated_at > before.updated_at)
  assert.equal((await tenant.call('PATCH', `/calls/${id}`, { metadata: {} }, { 'if-match': etag })).status, 412)
  assert.deepEqual(await eventsOf(tenant, id), ['call.updated'])
  const too_long = await tenant.call('PATCH', `/calls/${id}`, { metadata: { a: 'x'.repeat(501) } })
  assert.equal(too_long.status, 400)
  const bad_name = await tenant.call('PATCH', `/calls/${id}`, { metadata: { '': 'x' } })
  assert.equal(bad_name.body.error.details.fields[0].path, 'metadata')
})

test('the line has a log of what happened, page by page', async () => {
  const tenant = await workspace()
  const { id } = await tenant.addCall({ is_over: true })
  const kindsIn = (page: { data: { kind: string }[] }) => page.data.map(({ kind }) => kind)
  const first = (await tenant.call('GET', `/calls/${id}/events?limit=3`)).body
  assert.deepEqual(kindsIn(first), ['dialed', 'ringing', 'answered'])
  assert.deepEqual([first.pagination.total, first.pagination.has_more], [4, true])
  const next = await tenant.call('GET', `/calls/${id}/events?limit=3&cursor=${first.pagination.next_cursor}`)
  assert.deepEqual(kindsIn(next.body), ['final.completed'])
})

test('nobody sees or changes the calls of another workspace', async () => {
  const [own, other] = [await workspace(), await workspace()]
  const { id } = await own.addCall()
  for (const [method, path] of [
    ['GET', ''],
    ['PATCH', ''],
    ['POST', '/cancel'],
    ['POST', '/hang_up'],
    ['POST', '/redact'],
    ['GET', '/events'],
    ['GET', '/live'],
  ] as const)
    assert.equal((await other.call(method, `/calls/${id}${path}`, method === 'PATCH' ? {} : undefined)).status, 404)
  assert.equal((await other.call('GET', '/calls')).body.pagination.total, 0)
})

test('what a call costs follows from the prices, in whole millionths', () => {
  const prices = {
    currency: 'USD',
    input_tokens_per_million: 2_500_000,
    output_tokens_per_million: 10_000_000,
    call_minute: 14_000,
    message_segment: 0,
    speech_minute: 30_000,
  }
  const cost = (input_tokens: number, output_tokens: number, duration_ms: number | null, speech_ms?: number) =>
    costOf({ usage: { input_tokens, output_tokens }, duration_ms, speech_ms }, prices)
  assert.equal(cost(0, 0, null), 0)
  assert.equal(cost(1_000, 100, null), 3_500)
  assert.equal(cost(0, 0, 60_000), 14_000)
  assert.equal(cost(0, 0, 1_000), 233)
  assert.equal(cost(1_000, 100, 90_000), 24_500)
  assert.equal(cost(0, 0, null, 60_000), 30_000)
  assert.equal(cost(0, 0, 1_000, 1_000), 733, 'rounded once')
  assert.equal(cost(1_000, 100, 90_000, 30_000.4), 39_500)
  assert.equal(cost(2_147_483_647, 2_147_483_647, 7_200_000), 26_843_545_588 + 1_680_000)
})
