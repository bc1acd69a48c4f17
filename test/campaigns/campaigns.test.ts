import assert from 'node:assert/strict'
import { test } from 'node:test'
import { statusAfter } from '../../server/campaigns/state.ts'
import * as clock from '../../server/kit/clock.ts'
import { newId } from '../../server/kit/id.ts'
import { openLog } from '../../server/kit/log.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import * as retention from '../../server/retention.ts'
import {
  addContacts,
  assertCounted,
  createCampaign,
  createContacts,
  enroll,
  getCampaign,
} from '../support/campaigns.ts'
import { type Answer, serve, type Tenant } from '../support/harness.ts'
import { newAgent } from '../support/samples.ts'

const server = await serve()
const { workspace, pool } = server

const unknown = '01a1dd18-9904-726a-94bc-9e3b6ab9ad11'
const hour_ms = 3_600_000
const after = (ms: number) => clock.iso(clock.wall() + ms)

const faultsOf = ({ body }: Answer) =>
  body.error.details.fields.map(({ path, code }: Record<string, string>) => [path, code])
const stateOf = ({ status, body }: Answer) => [status, body.error?.code, body.error?.details.status]

/** A campaign with one contact. */
async function readyCampaign(tenant: Tenant, fields: object = {}) {
  const campaign = await createCampaign(tenant, fields)
  await enroll(tenant, campaign.id, { contact_ids: await createContacts(tenant, 1) })
  return campaign
}

const act = (tenant: Tenant, id: string, verb: string) => tenant.call('POST', `/campaigns/${id}/${verb}`)

test('a new campaign is a draft with defaults', async () => {
  const tenant = await workspace()
  const { id, agent_id, channel_ids, created_at, updated_at, ...rest } = await createCampaign(tenant)
  assert.equal(created_at, updated_at)
  assert.deepEqual(rest, {
    name: 'Spring appointments',
    kind: 'voice',
    status: 'draft',
    pause_reason: null,
    agent_version: null,
    variables: {},
    windows: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], start: '09:00', end: '17:00' }],
    time_zone: null,
    holidays: [],
    pacing: { in_flight_max: 10, starts_per_second: 1, ramp_minutes: 0 },
    retry: [],
    attempts_max: 4,
    caps: { per_day: 1, per_week: 3, gap_hours_min: 4 },
    consent: 'not_opted_out',
    voicemail: 'hang_up',
    starts_at: null,
    ends_at: null,
    counts: { enrolled: 0, by_status: {} },
  })
  assert.deepEqual((await tenant.call('GET', '/campaigns?status=draft')).body.data, [await getCampaign(tenant, id)])
  assert.deepEqual((await tenant.call('GET', '/campaigns?status=running')).body.data, [])
  assert.ok(agent_id && channel_ids.length === 1)
})

test('what a campaign refers to must exist and fit', async () => {
  const { call, addChannel } = await workspace()
  const agent_id = (await call('POST', '/agents', newAgent())).body.data.id
  const other = (await call('POST', '/agents', newAgent())).body.data
  const create = async (fields: object) =>
    faultsOf(await call('POST', '/campaigns', { name: 'A', kind: 'voice', agent_id, ...fields }))
  const sms = await addChannel({ kind: 'sms' })
  const foreign = await (await workspace()).addChannel({ kind: 'voice' })
  assert.deepEqual(await create({ agent_id: unknown }), [['agent_id', 'unknown']])
  assert.deepEqual(await create({ agent_version_id: other.deployed_version.id }), [['agent_version_id', 'unknown']])
  const page = await addChannel({ kind: 'voice', provider: 'web', agent_id })
  assert.deepEqual(await create({ channel_ids: [sms.id, unknown, foreign.id, page.id] }), [
    ['channel_ids.0', 'invalid'],
    ['channel_ids.1', 'unknown'],
    ['channel_ids.2', 'unknown'],
    ['channel_ids.3', 'invalid'],
  ])
})

test('settings that make no sense are rejected', async () => {
  const { call } = await workspace()
  const agent_id = (await call('POST', '/agents', newAgent())).body.data.id
  const rule = { outcome: 'busy', attempts_max: 2, waits_seconds: [60] }
  const window = { days: ['mon'], start: '09:00', end: '17:00' }
  for (const [fields, path, code] of [
    [{ retry: [rule, rule] }, 'retry.1.outcome', 'duplicate'],
    [{ retry: [{ ...rule, waits_seconds: [] }] }, 'retry.0.waits_seconds', 'too_few'],
    [{ starts_at: after(hour_ms), ends_at: after(0) }, 'ends_at', 'minimum'],
    [{ starts_at: '9999-01-01T00:00:00Z' }, 'starts_at', 'maximum'],
    [{ windows: [] }, 'windows', 'too_few'],
    [{ windows: [{ ...window, days: [] }] }, 'windows.0.days', 'too_few'],
    [{ windows: [{ ...window, end: '09:00' }] }, 'windows.0.end', 'invalid'],
    [{ windows: [{ ...window, start: '24:00' }] }, 'windows.0.start', 'format'],
    [{ time_zone: 'Europe/Nowhere' }, 'time_zone', 'format'],
    [{ holidays: ['2026-02-30'] }, 'holidays.0', 'format'],
    [{ variables: { 'No Name': 'a' } }, 'variables', 'format'],
    [{ pacing: { starts_per_second: 0 } }, 'pacing.starts_per_second', 'minimum'],
  ] as const) {
    const answer = await call('POST', '/campaigns', { name: 'A', kind: 'voice', agent_id, ...fields })
    assert.equal(answer.status, 400, answer.text)
    assert.deepEqual(faultsOf(answer), [[path, code]])
  }
})

test('a draft can change in everything, and nested settings are merged', async () => {
  const tenant = await workspace()
  const { call } = tenant
  const { id } = await createCampaign(tenant, { pacing: { in_flight_max: 5 } })
  const agent = (await call('POST', '/agents', newAgent())).body.data
  const changed = await call('PATCH', `/campaigns/${id}`, {
    agent_id: agent.id,
    agent_version_id: agent.deployed_version.id,
    pacing: { starts_per_second: 0.5 },
    caps: { per_day: 2 },
    variables: { offer: 'A' },
    starts_at: '2027-01-01T00:00:00+01:00',
  })
  assert.equal(changed.status, 200, changed.text)
  const { agent_version, pacing, caps, starts_at, variables } = changed.body.data
  assert.deepEqual(agent_version, agent.deployed_version)
  assert.deepEqual(pacing, { in_flight_max: 5, starts_per_second: 0.5, ramp_minutes: 0 })
  assert.deepEqual(caps, { per_day: 2, per_week: 3, gap_hours_min: 4 })
  assert.equal(starts_at, '2026-12-31T23:00:00.000Z')
  const same = await call('PATCH', `/campaigns/${id}`, changed.body.data)
  assert.deepEqual([same.status, same.body.data.variables], [200, variables])
  const stale = await call('PATCH', `/campaigns/${id}`, { name: 'B' }, { 'if-match': '"x"' })
  assert.equal(stale.status, 412)
  assert.deepEqual(faultsOf(await call('PATCH', `/campaigns/${id}`, { ends_at: '2026-12-31T23:00:00Z' })), [
    ['ends_at', 'minimum'],
  ])
})

test('a running campaign can change only in some fields, and takes back the body of a GET', async () => {
  const tenant = await workspace()
  const { call } = tenant
  const { id } = await readyCampaign(tenant, { variables: { b: 1, a: 2 } })
  await act(tenant, id, 'start')
  const running = await getCampaign(tenant, id)
  const changes = { name: 'B', pacing: { ramp_minutes: 1 }, holidays: ['2026-12-25'], ends_at: after(hour_ms) }
  const changed = await call('PATCH', `/campaigns/${id}`, { ...running, variables: { a: 2, b: 1 }, ...changes })
  assert.equal(changed.status, 200, changed.text)
  assert.deepEqual(changed.body.data.pacing, { ...running.pacing, ramp_minutes: 1 })
  for (const [field, value] of Object.entries({ consent: 'required', channel_ids: [], attempts_max: 5 })) {
    const answer = await call('PATCH', `/campaigns/${id}`, { [field]: value })
    assert.deepEqual(stateOf(answer), [409, 'INVALID_STATE', 'running'])
    assert.equal(answer.body.error.details.field, field)
  }
  await act(tenant, id, 'cancel')
  assert.deepEqual(stateOf(await call('PATCH', `/campaigns/${id}`, { name: 'C' })), [409, 'INVALID_STATE', 'canceled'])
})

test('a campaign can be renamed after its channel was disabled', async () => {
  const tenant = await workspace()
  const { id, channel_ids } = await createCampaign(tenant)
  await pool.run(
    sql`update channels set status = 'disabled' where workspace_id = ${tenant.id} and id = ${channel_ids[0]}`,
  )
  assert.equal((await tenant.call('PATCH', `/campaigns/${id}`, { name: 'B' })).status, 200)
})

test('the status decides what can be done', () => {
  const now = clock.parse('2026-11-15T09:00:00Z')
  const table = {
    draft: { start: 'running', cancel: 'canceled' },
    scheduled: { pause: 'paused', cancel: 'canceled' },
    running: { pause: 'paused', cancel: 'canceled' },
    paused: { resume: 'running', cancel: 'canceled' },
    completed: {},
    canceled: {},
  } as const
  for (const [status, after_verbs] of Object.entries(table))
    for (const verb of ['start', 'pause', 'resume', 'cancel'] as const) {
      const campaign = { status: status as keyof typeof table, starts_at: null, pause_reason: null }
      assert.equal(statusAfter(verb, campaign, now), Object(after_verbs)[verb], `${status} ${verb}`)
    }
  for (const [starts_at, status] of [
    ['2026-11-15T09:00:00.000Z', 'running'],
    ['2026-11-15T09:00:00.001Z', 'scheduled'],
  ] as const) {
    assert.equal(statusAfter('start', { status: 'draft', starts_at, pause_reason: null }, now), status)
    assert.equal(statusAfter('resume', { status: 'paused', starts_at, pause_reason: 'requested' }, now), status)
  }
  const broken = { status: 'paused' as const, starts_at: null, pause_reason: 'circuit_breaker' as const }
  assert.equal(statusAfter('pause', broken, now), 'paused', 'it would run again by itself')
})

test('a campaign is started, paused, resumed and canceled, with events', async () => {
  const tenant = await workspace()
  const { call } = tenant
  const { id } = await readyCampaign(tenant)
  const seen = []
  for (const verb of ['start', 'pause', 'resume', 'cancel']) {
    const { status, body } = await act(tenant, id, verb)
    seen.push([status, body.data.status, body.data.pause_reason])
  }
  assert.deepEqual(seen, [
    [200, 'running', null],
    [200, 'paused', 'requested'],
    [200, 'running', null],
    [200, 'canceled', null],
  ])
  assert.deepEqual(stateOf(await act(tenant, id, 'start')), [409, 'INVALID_STATE', 'canceled'])
  const events = (await call('GET', '/events?type=campaign.*')).body.data.toReversed()
  assert.deepEqual(
    events.map(({ type, data }: { type: string; data: Record<string, string> }) => [type, data.status]),
    [
      ['campaign.started', 'running'],
      ['campaign.paused', 'paused'],
      ['campaign.resumed', 'running'],
      ['campaign.canceled', 'canceled'],
    ],
  )
})

test('a campaign that begins later is scheduled, and due then', async () => {
  const tenant = await workspace()
  const starts_at = after(hour_ms)
  const { id } = await readyCampaign(tenant, { starts_at })
  const dueAt = async () =>
    (await pool.one<{ due_at: string | null }>(sql`select due_at from campaigns where id = ${id}`)).due_at
  assert.equal((await act(tenant, id, 'start')).body.data.status, 'scheduled')
  assert.equal(await dueAt(), starts_at)
  assert.deepEqual((await tenant.call('GET', '/events?type=campaign.*')).body.data, [])
  await act(tenant, id, 'pause')
  assert.equal(await dueAt(), null)
  assert.equal((await act(tenant, id, 'resume')).body.data.status, 'scheduled')
  const later = after(2 * hour_ms)
  await tenant.call('PATCH', `/campaigns/${id}`, { starts_at: later })
  assert.equal(await dueAt(), later)
})

test('a campaign without contacts, without a channel or after its end is not started', async () => {
  const tenant = await workspace()
  const empty = await createCampaign(tenant)
  const channelless = await readyCampaign(tenant, { channel_ids: [] })
  const over = await readyCampaign(tenant, { ends_at: after(-1) })
  for (const { id } of [empty, channelless, over]) {
    assert.deepEqual(stateOf(await act(tenant, id, 'start')), [409, 'INVALID_STATE', 'draft'])
  }
})

test('the start and the forecast tell whether there is no channel, or whether one must be chosen', async () => {
  // In a live workspace simulators don't count. A test workspace begins with one.
  const [live, simulated] = await Promise.all([workspace(), workspace(clock.wall())])
  await simulated.addChannel({ kind: 'sms' })
  const messages = async (tenant: Tenant) => {
    const { id } = await readyCampaign(tenant, { kind: 'sms', channel_ids: [] })
    const answers = [await act(tenant, id, 'start'), await tenant.call('POST', `/campaigns/${id}/forecast`, {})]
    return answers.map(({ status, body }) => [status, body.error?.message])
  }
  const none = 'The workspace has no active SMS channel. Connect one, or choose the channels of the campaign.'
  const several = 'The workspace has several active SMS channels. Choose the channels of the campaign.'
  assert.deepEqual(await messages(live), [
    [409, none],
    [409, none],
  ])
  assert.deepEqual(await messages(simulated), [
    [409, several],
    [409, several],
  ])
})

test('two starts at once start it once', async () => {
  const tenant = await workspace()
  const { id } = await readyCampaign(tenant)
  const answers = await Promise.all([act(tenant, id, 'start'), act(tenant, id, 'start')])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
  assert.equal((await tenant.call('GET', '/events?type=campaign.started')).body.pagination.total, 1)
})

test('a workspace can have 100 campaigns that are not final', async () => {
  const tenant = await workspace()
  const { id } = await readyCampaign(tenant)
  await pool.run(
    sql`insert into campaigns (workspace_id, id, name, kind, status, agent_id, channel_ids, variables, windows, holidays,
        pacing, retry, attempts_max, caps, consent, voicemail, created_at, updated_at)
      select workspace_id, other_id, name, kind, status, agent_id, channel_ids, variables, windows, holidays, pacing, retry,
        attempts_max, caps, consent, voicemail, created_at, updated_at
      from campaigns, unnest(${Array.from({ length: 99 }, newId)}::uuid[]) as other (other_id)
      where workspace_id = ${tenant.id}`,
  )
  const clone = () => act(tenant, id, 'clone')
  assert.deepEqual([(await clone()).status, (await clone()).body.error.code], [409, 'INVALID_STATE'])
  await act(tenant, id, 'cancel')
  assert.equal((await clone()).status, 201)
})

test('a clone is a draft with the same settings, without contacts and times', async () => {
  const tenant = await workspace()
  const { id } = await readyCampaign(tenant, { caps: { per_day: 2 }, ends_at: after(hour_ms) })
  await act(tenant, id, 'start')
  const original = await getCampaign(tenant, id)
  const { status, headers, body } = await act(tenant, id, 'clone')
  assert.deepEqual([status, headers.get('location')], [201, `/api/v1/campaigns/${body.data.id}`])
  const { id: _, created_at, updated_at, ...clone } = body.data
  const { id: __, created_at: _created, updated_at: _updated, ...rest } = original
  assert.deepEqual(clone, {
    ...rest,
    name: `Copy of ${rest.name}`,
    status: 'draft',
    ends_at: null,
    counts: { enrolled: 0, by_status: {} },
  })
})

test('an agent is not deleted while a campaign that is not final uses it', async () => {
  const tenant = await workspace()
  const { call } = tenant
  const { id, agent_id } = await readyCampaign(tenant)
  const refused = await call('DELETE', `/agents/${agent_id}`)
  assert.equal(refused.status, 409)
  assert.deepEqual(refused.body.error.details.used_by, [{ kind: 'campaign', id }])
  await act(tenant, id, 'cancel')
  assert.equal((await call('DELETE', `/agents/${agent_id}`)).status, 200)
  assert.equal((await act(tenant, id, 'clone')).body.error.code, 'INVALID_STATE')
  assert.equal((await call('GET', `/campaigns/${id}/report`)).status, 200)
})

test('only a draft and a final campaign without open contacts is deleted', async () => {
  const tenant = await workspace()
  const { call } = tenant
  const { id } = await readyCampaign(tenant)
  const [{ id: enrollment_id, contact_id }] = (await call('GET', `/campaigns/${id}/enrollments`)).body.data
  const remove = () => call('DELETE', `/campaigns/${id}`)
  await act(tenant, id, 'start')
  assert.deepEqual(stateOf(await remove()), [409, 'INVALID_STATE', 'running'])
  await act(tenant, id, 'cancel')
  assert.deepEqual(stateOf(await remove()), [409, 'INVALID_STATE', 'canceled'])
  await call('POST', `/enrollments/${enrollment_id}/skip`)
  assert.equal((await remove()).status, 200)
  assert.equal((await remove()).status, 404)
  for (const path of [`/enrollments/${enrollment_id}`, `/campaigns/${id}/enrollments`, `/campaigns/${id}/report`])
    assert.equal((await call('GET', path)).status, 404, path)
  assert.equal((await call('GET', `/contacts/${contact_id}/enrollments`)).body.pagination.total, 0)
})

test('what a deleted campaign leaves is deleted in the background, and its attempts stay', async () => {
  const tenant = await workspace()
  const { call } = tenant
  const { id } = await createCampaign(tenant)
  await addContacts(server, tenant.id, 6_000)
  await enroll(tenant, id, { filter: {} })
  await tenant.work()
  const kept = await readyCampaign(tenant)
  await addAttempt(tenant, id, clock.wall())
  assert.equal((await call('DELETE', `/campaigns/${id}`)).status, 200)
  await tenant.work()
  const left = await pool.one(
    sql`select (select count(*) from enrollments where workspace_id = ${tenant.id} and campaign_id = ${id}) as enrollments,
      (select count(*) from campaign_counts where workspace_id = ${tenant.id} and campaign_id = ${id}) as counts,
      (select count(*) from deleted_campaigns where workspace_id = ${tenant.id}) as deleted,
      (select count(*) from campaign_attempts where workspace_id = ${tenant.id}) as attempts`,
  )
  assert.deepEqual(left, { enrollments: 0, counts: 0, deleted: 0, attempts: 1 })
  await assertCounted(tenant, kept.id)
})

/** As the dialer does. */
async function addAttempt(tenant: Tenant, campaign_id: string, at: number, ended_at: number | null = null) {
  await pool.run(
    sql`insert into campaign_attempts (workspace_id, id, campaign_id, enrollment_id, attempt, phone_hmac, at, ended_at)
      values (${tenant.id}, ${newId()}, ${campaign_id}, ${newId()}, 1, '\\x00', ${clock.iso(at)},
        ${ended_at === null ? null : clock.iso(ended_at)})`,
  )
}

test('progress has attempts in flight, the rate and the expected end', async () => {
  const tenant = await workspace()
  const { id } = await createCampaign(tenant)
  await enroll(tenant, id, { contact_ids: await createContacts(tenant, 4) })
  const progress = async () => (await tenant.call('GET', `/campaigns/${id}/progress`)).body.data
  assert.deepEqual(await progress(), {
    total: 4,
    not_enrolled: 0,
    by_status: { pending: 4 },
    by_outcome: {},
    in_flight: 0,
    starts_last_minute: 0,
    expected_end_at: null,
  })
  await act(tenant, id, 'start')
  const now = clock.wall()
  await addAttempt(tenant, id, now - 10_000)
  await addAttempt(tenant, id, now - 10_000, now - 5_000)
  await addAttempt(tenant, id, now - 20_000, now + hour_ms)
  await addAttempt(tenant, id, now - hour_ms, now - hour_ms)
  const { in_flight, starts_last_minute, expected_end_at } = await progress()
  assert.deepEqual([in_flight, starts_last_minute], [2, 3])
  // Four contacts at three a minute.
  const left_ms = clock.parse(expected_end_at) - now
  assert.ok(left_ms >= 80_000 && left_ms < 140_000, String(left_ms))
})

test('attempts are deleted after 90 days', async () => {
  const tenant = await workspace()
  const { id } = await createCampaign(tenant)
  const day_ms = 24 * hour_ms
  const now = clock.wall()
  await addAttempt(tenant, id, now - 90 * day_ms - 60_000)
  await addAttempt(tenant, id, now - 90 * day_ms + 60_000)
  const { tools, hooks } = server.at('')
  const options = {
    service: { pool, tools, hooks },
    events_keep_days: 30,
    isStopping: () => false,
    log: openLog('silent'),
  }
  await retention.removeExpiredIn(options, tenant.id)
  const left = await pool.many<{ at: string }>(sql`select at from campaign_attempts where workspace_id = ${tenant.id}`)
  assert.deepEqual(left, [{ at: clock.iso(now - 90 * day_ms + 60_000) }])
})

test('the report has a row for each contact, with the results of its last call', async () => {
  const tenant = await workspace()
  const { call } = tenant
  const results = [
    { name: 'wants_callback', type: 'boolean' },
    { name: 'note', type: 'text' },
    // Objects of JavaScript have a member with this name.
    { name: '__proto__', type: 'text' },
  ]
  const agent_id = (await call('POST', '/agents', newAgent({ results }))).body.data.id
  const { id } = await createCampaign(tenant, { agent_id })
  const [first, second] = await createContacts(tenant, 2)
  await enroll(tenant, id, { contact_ids: [first] })
  await enroll(tenant, id, { contact_ids: [second] })
  const [later, earlier] = (await call('GET', `/campaigns/${id}/enrollments`)).body.data
  const made = await tenant.addCall({})
  await pool.run(
    sql`update calls set results = '{"wants_callback": true, "note": "=1+1, or so"}'
      where workspace_id = ${tenant.id} and id = ${made.id}`,
  )
  await pool.run(
    sql`update enrollments set status = 'completed', attempts = 2, last_outcome = 'answered', last_call_id = ${made.id}
      where workspace_id = ${tenant.id} and id = ${earlier.id}`,
  )
  await call('POST', `/enrollments/${later.id}/skip`)
  const numbers = await Promise.all(
    [first, second].map(async (contact) => (await call('GET', `/contacts/${contact}`)).body.data.phone_number),
  )
  const report = await call('GET', `/campaigns/${id}/report`)
  assert.deepEqual(report.text.split('\r\n'), [
    'phone_number,status,reason,attempts,last_outcome,wants_callback,note,__proto__',
    `${numbers[0]},completed,,2,answered,true,"'=1+1, or so",`,
    `${numbers[1]},skipped,skipped,0,,,,`,
    '',
  ])
})
