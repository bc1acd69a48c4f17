import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callWatch } from '../../server/calls/store.ts'
import { hold } from '../../server/campaigns/dial/hold.ts'
import { answering } from '../../server/drivers/work.ts'
import { openLog } from '../../server/kit/log.ts'
import type { Db } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { Engine } from '../../server/kit/work/engine.ts'
import { waitUntil } from '../faults/client.ts'
import { advance, newCaller } from '../support/calls.ts'
import {
  always,
  campaign_start,
  enrollmentsOf,
  getCampaign,
  newCampaign,
  newClaimed,
  newContacts,
  request,
  start,
  workUntil,
} from '../support/dialing.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { withTool } from '../support/with-tool.ts'

const server = await serve()
const day = 86_400
const script = { start: 'hello', nodes: { hello: { say: 'Hello. Goodbye.', go: '@end' } } }

// biome-ignore lint/suspicious/noExplicitAny: tests read any field
type Data = any

async function newLiveCampaign(kind: 'voice' | 'sms', endings: string[], fields: object = {}) {
  const tenant = await server.workspace()
  const agent_id = await newCaller(tenant, { script })
  const campaign = await newClaimed(tenant, endings, { kind, agent_id, ...fields })
  return { tenant, campaign, path: `/campaigns/${campaign.id}` }
}

const callsOf = (tenant: Tenant, { id }: Data): Promise<Data[]> =>
  request(tenant, 'GET', `/calls?campaign_id=${id}&limit=100`)

const attemptsOf = ({ id }: Tenant): Promise<Data[]> =>
  server.pool.many(sql`select attempt, outcome from campaign_attempts where workspace_id = ${id} order by at, id`)

const messagesOf = ({ id }: Tenant): Promise<Data[]> =>
  server.pool.many(
    sql`select status, error, sent_at from messages where workspace_id = ${id} and direction = 'outbound' order by id`,
  )

async function faresOf(tenant: Tenant, campaign: Data): Promise<Data[]> {
  return (await enrollmentsOf(tenant, campaign)).map(({ status, attempts }) => [status, attempts])
}

test('calls that were not dialled are taken back when a campaign is paused, and dialled once when it is resumed', async () => {
  const { tenant, campaign, path } = await newLiveCampaign('voice', ['04', '04', '04'])
  assert.deepEqual(
    (await callsOf(tenant, campaign)).map(({ status }) => status),
    ['queued', 'queued', 'queued'],
  )
  const paused = await request(tenant, 'POST', `${path}/pause`)
  assert.deepEqual([paused.status, paused.pause_reason], ['paused', 'requested'])
  assert.deepEqual(paused.counts, { enrolled: 3, by_status: { pending: 3 } })
  assert.deepEqual(await callsOf(tenant, campaign), [])
  assert.deepEqual(await attemptsOf(tenant), [])
  assert.deepEqual(await faresOf(tenant, campaign), Array(3).fill(['pending', 0]))
  const [{ last_call_id, next_attempt_at }] = await enrollmentsOf(tenant, campaign)
  assert.deepEqual([last_call_id, next_attempt_at], [null, null])
  await tenant.work()
  assert.deepEqual(await callsOf(tenant, campaign), [])
  await request(tenant, 'POST', `${path}/resume`)
  await workUntil(tenant, async () => (await getCampaign(tenant, campaign)).status === 'completed')
  const calls = await callsOf(tenant, campaign)
  assert.deepEqual(
    calls.map(({ outcome, attempt }) => [outcome, attempt]),
    Array(3).fill(['invalid_number', 1]),
  )
  assert.deepEqual(await faresOf(tenant, campaign), Array(3).fill(['failed', 1]))
  assert.deepEqual((await getCampaign(tenant, campaign)).counts, { enrolled: 3, by_status: { failed: 3 } })
})

test('a pause waits for a call that is being dialled, and reads it only when its row was looked at', async () => {
  const { tenant, campaign } = await newLiveCampaign('voice', ['04'])
  const setDialing = (db: Db, is_dialing: boolean) =>
    db.one<{ id: string }>(
      sql`update calls set is_dialing = ${is_dialing}, started_at = created_at, lease_until = 'infinity'
        where workspace_id = ${tenant.id} returning id`,
    )
  await setDialing(server.pool, true)
  const at = server.at(tenant.id)
  let looks = 0
  let reads = 0
  const watch = callWatch.of(at)
  const open: typeof watch.open = (in_workspace, id, onChange) =>
    watch.open(in_workspace, id, (snapshot) => {
      looks += 1
      onChange(snapshot)
    })
  const many: Db['many'] = (statement) => {
    if (/is_dialing/.test(statement.text)) reads += 1
    return server.pool.many(statement)
  }
  const watching = withTool(at, callWatch, { ...watch, open })
  let is_held = false
  const held = hold({ ...watching, db: { ...server.pool, many } }, campaign.id).then(() => {
    is_held = true
  })
  await waitUntil('the row was looked at', () => looks >= 3)
  assert.equal(is_held, false)
  await server.pool.tx(async (db) => {
    const { id } = await setDialing(db, false)
    db.notify({ topic: 'calls', workspace: tenant.id, id, is_due: false })
  })
  await held
  assert.ok(reads <= looks + 1, `${reads} reads after ${looks} looks`)
})

test('a later attempt that is taken back leaves what was known before', async () => {
  const { tenant, campaign, path } = await newLiveCampaign('voice', ['04'], {
    retry: [{ outcome: 'invalid_number', attempts_max: 3, waits_seconds: [60] }],
    caps: { per_day: 10, per_week: 10, gap_hours_min: 0 },
  })
  await workUntil(tenant, async () => (await enrollmentsOf(tenant, campaign))[0].status === 'waiting')
  const [first] = await callsOf(tenant, campaign)
  const [waiting] = await enrollmentsOf(tenant, campaign)
  await server.pool.run(
    sql`update enrollments set due_at = created_at, retry_at = created_at where workspace_id = ${tenant.id}`,
  )
  await server.pool.run(sql`update campaigns set due_at = created_at where workspace_id = ${tenant.id}`)
  await workUntil(tenant, async () => (await enrollmentsOf(tenant, campaign))[0].status === 'dialing')
  assert.equal((await callsOf(tenant, campaign)).length, 2)
  await request(tenant, 'POST', `${path}/pause`)
  const [back] = await enrollmentsOf(tenant, campaign)
  const facts = ({ status, attempts, last_call_id, last_outcome }: Data) => [
    status,
    attempts,
    last_call_id,
    last_outcome,
  ]
  assert.deepEqual(facts(back), facts(waiting))
  assert.equal(back.last_call_id, first.id)
  assert.deepEqual(await attemptsOf(tenant), [{ attempt: 1, outcome: 'invalid_number' }])
  await request(tenant, 'POST', `${path}/resume`)
  await workUntil(tenant, async () => (await attemptsOf(tenant)).length === 2)
  assert.deepEqual(
    (await callsOf(tenant, campaign)).map(({ attempt }) => attempt),
    [2, 1],
  )
})

test('a callback that is taken back is made when the campaign is resumed', async () => {
  const { tenant, campaign, path } = await newLiveCampaign('voice', ['04'])
  // As after a call in which the contact has asked for another one, at a time that has come.
  await server.pool.run(
    sql`update enrollments set attempts = 2, outcomes = '{"answered": 1}', last_outcome = 'answered',
        retry_at = created_at, callback_at = created_at where workspace_id = ${tenant.id}`,
  )
  for (const _ of ['claimed before', 'claimed as a callback']) {
    await workUntil(tenant, async () => (await enrollmentsOf(tenant, campaign))[0].status === 'dialing')
    await request(tenant, 'POST', `${path}/pause`)
    await request(tenant, 'POST', `${path}/resume`)
  }
  await workUntil(tenant, async () => (await getCampaign(tenant, campaign)).status === 'completed')
  const [ended] = await enrollmentsOf(tenant, campaign)
  assert.deepEqual([ended.attempts, ended.last_outcome], [2, 'invalid_number'])
})

for (const pause_reason of [null, 'circuit_breaker'])
  test(`canceling takes back what was not dialled, and ends every open enrollment, ${pause_reason ?? 'running'}`, async () => {
    const { tenant, campaign, path } = await newLiveCampaign('voice', ['04', '04'])
    assert.equal((await callsOf(tenant, campaign)).length, 2)
    if (pause_reason)
      await server.pool.run(
        sql`update campaigns set status = 'paused', pause_reason = ${pause_reason} where workspace_id = ${tenant.id}`,
      )
    assert.equal((await request(tenant, 'POST', `${path}/cancel`)).status, 'canceled')
    assert.deepEqual(await callsOf(tenant, campaign), [])
    await tenant.work()
    const enrollments = await enrollmentsOf(tenant, campaign)
    assert.deepEqual(
      enrollments.map(({ status, reason, attempts }) => [status, reason, attempts]),
      Array(2).fill(['canceled', 'canceled', 0]),
    )
    assert.deepEqual((await getCampaign(tenant, campaign)).counts, { enrolled: 2, by_status: { canceled: 2 } })
    assert.deepEqual(await callsOf(tenant, campaign), [])
  })

for (const is_written of [false, true])
  test(`no message goes out after a pause, when the agent has ${is_written ? '' : 'not '}written it`, async () => {
    const { tenant, campaign, path } = await newLiveCampaign('sms', ['02', '02'])
    if (is_written) await answer(tenant)
    const before = await messagesOf(tenant)
    assert.deepEqual(
      before.map(({ status, sent_at }) => [status, sent_at]),
      is_written ? Array(2).fill(['queued', null]) : [],
    )
    const paused = await request(tenant, 'POST', `${path}/pause`)
    assert.deepEqual(paused.counts, { enrolled: 2, by_status: { pending: 2 } })
    assert.deepEqual(await attemptsOf(tenant), [])
    await tenant.work()
    await tenant.work()
    const after = await messagesOf(tenant)
    assert.deepEqual(
      after.map(({ status, error, sent_at }) => [status, error, sent_at]),
      before.map(() => ['failed', 'canceled', null]),
    )
    const closed: Data[] = await request(tenant, 'GET', '/conversations')
    assert.deepEqual(
      closed.map(({ status }) => status),
      ['closed', 'closed'],
    )
    await request(tenant, 'POST', `${path}/resume`)
    const isSent = async () => (await messagesOf(tenant)).filter(({ sent_at }) => sent_at !== null).length === 2
    await workUntil(tenant, isSent)
    assert.deepEqual(await faresOf(tenant, campaign), Array(2).fill(['in_progress', 1]))
    assert.deepEqual((await getCampaign(tenant, campaign)).counts.by_status, { in_progress: 2 })
  })

/** The agent writes its answers, and nothing is sent. */
async function answer({ id }: Tenant): Promise<void> {
  const { tools, hooks } = server.at('')
  const log = openLog('silent')
  const engine = new Engine(answering(log), { service: { pool: server.pool, tools, hooks }, log })
  engine.add(id, { is_polled: true })
  await engine.idle(id)
  await engine.stop()
}

test('new windows hold for those that wait, from the next second on', async () => {
  const tenant = await server.workspace()
  await tenant.addTestClock(campaign_start)
  const contacts = await newContacts(tenant, ['04', '01'])
  const sunday = [{ days: ['sun'], start: '09:00', end: '17:00' }]
  const campaign = await newCampaign(tenant, contacts, { windows: sunday })
  await start(tenant, campaign)
  await advance(tenant, 60)
  const waiting = await enrollmentsOf(tenant, campaign)
  assert.deepEqual(
    waiting.map(({ status, next_attempt_at }) => [status, next_attempt_at]),
    Array(2).fill(['pending', '2027-03-07T14:00:00.000Z']),
  )
  await request(tenant, 'PATCH', `/campaigns/${campaign.id}`, { windows: always })
  await advance(tenant, 60)
  const [never_answers, invalid] = await enrollmentsOf(tenant, campaign)
  assert.deepEqual([invalid.status, never_answers.status], ['failed', 'waiting'])
  await request(tenant, 'PATCH', `/campaigns/${campaign.id}`, { windows: sunday })
  await advance(tenant, 2 * day)
  const [later] = await enrollmentsOf(tenant, campaign)
  assert.deepEqual([later.attempts, later.next_attempt_at], [1, '2027-03-07T14:00:00.000Z'])
})

test('an enrollment that has ended is attempted again on request', async () => {
  const tenant = await server.workspace()
  await tenant.addTestClock(campaign_start)
  const contacts = await newContacts(tenant, ['04', '01'])
  const caps = { per_day: 10, per_week: 10, gap_hours_min: 0 }
  const campaign = await newCampaign(tenant, contacts, { caps })
  await start(tenant, campaign)
  await advance(tenant, 60)
  for (const attempts of [2, 3]) {
    const failed = (await enrollmentsOf(tenant, campaign)).find(({ status }) => status === 'failed')
    const again = await request(tenant, 'POST', `/enrollments/${failed.id}/retry`)
    assert.deepEqual([again.status, again.attempts, again.reason], ['pending', 0, null])
    await advance(tenant, 60)
    const calls = await callsOf(tenant, campaign)
    const to_contact = calls.filter(({ contact_id }) => contact_id === failed.contact_id)
    assert.deepEqual(
      to_contact.map(({ attempt }) => attempt),
      [3, 2, 1].slice(-attempts),
    )
    const ended = await request(tenant, 'GET', `/enrollments/${failed.id}`)
    assert.deepEqual([ended.status, ended.attempts], ['failed', 1])
  }
})
