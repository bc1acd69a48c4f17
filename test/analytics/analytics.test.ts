import assert from 'node:assert/strict'
import { test } from 'node:test'
import { add, sumUp } from '../../server/analytics/counts.ts'
import { bucketOf, timeOf } from '../../server/analytics/histogram.ts'
import { readCalls } from '../../server/analytics/store.ts'
import { shareOf } from '../../server/analytics/wilson.ts'
import { written } from '../../server/calls/store.ts'
import { endAttempts } from '../../server/campaigns/dial/ends.ts'
import { type At, inTransaction } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { newId } from '../../server/kit/id.ts'
import type { Db } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { advance, ended, newCaller, placeCall } from '../support/calls.ts'
import { newAgent, say } from '../support/conversations.ts'
import { campaign_start, newCampaign, newContacts, request, start } from '../support/dialing.ts'
import { type Answer, serve, type Tenant } from '../support/harness.ts'

const server = await serve()
const { pool, workspace } = server
const day_s = 86_400
const five_percent = 0.05

type Data = Answer['body']

const read = (tenant: Tenant, kind: string, query: Record<string, string> = {}): Promise<Data> =>
  request(tenant, 'GET', `/analytics/${kind}?${new URLSearchParams(query)}`)

const nothing_answered = { value: null, low: null, high: null }

/** Runs a random campaign with everything that can happen to a call. */
async function simulate(): Promise<{ tenant: Tenant; query: Record<string, string> }> {
  const tenant = await workspace()
  await tenant.addTestClock(campaign_start, 11)
  const endings = Array.from({ length: 60 }, (_, index) => String(20 + index))
  const campaign = await newCampaign(
    tenant,
    await newContacts(tenant, [...endings, '01', '05', '09', '11', '15', '16', '17']),
    { pacing: { in_flight_max: 50, starts_per_second: 1, ramp_minutes: 0 } },
  )
  await start(tenant, campaign)
  await advance(tenant, 8 * day_s)
  await placeCall(tenant, { agent_id: await newCaller(tenant), to: '+14155550101' })
  await advance(tenant, 600)
  const from = clock.iso(campaign_start)
  const to = clock.iso(campaign_start + 10 * clock.day_ms)
  return { tenant, query: { from, to } }
}

const simulated = simulate()

const ended_calls = sql`started_at is not null and ended_at is not null`

test('calls of a simulated campaign are counted as the rows are, before and after the counts are summed up', async () => {
  const { tenant, query } = await simulated
  const grouped = { ...query, group_by: 'agent_id,outcome' }
  const before = await read(tenant, 'calls', grouped)
  await sumUp(server.at(tenant.id))
  const left = await pool.many(
    sql`select from analytics_counts where workspace_id = ${tenant.id} and not is_sum limit 1`,
  )
  assert.equal(left.length, 0)
  assert.deepEqual(await read(tenant, 'calls', grouped), before)
  const rows = await pool.many<Data>(
    sql`select started_at, agent_id, outcome, cost_micros from calls where workspace_id = ${tenant.id} and ${ended_calls}`,
  )
  assert.ok(rows.length > 80, `${rows.length} calls`)
  const expected = new Map<string, number>()
  for (const { started_at, agent_id, outcome } of rows) {
    const key = `${started_at.slice(0, 10)} ${agent_id} ${outcome}`
    expected.set(key, (expected.get(key) ?? 0) + 1)
  }
  const found = before.rows.map(({ start, group, calls }: Data) => [
    `${start.slice(0, 10)} ${group.agent_id} ${group.outcome}`,
    calls,
  ])
  assert.deepEqual(new Map(found), expected)
  const { total } = before
  assert.equal(total.calls, rows.length)
  assert.equal(total.answered, rows.filter(({ outcome }) => outcome === 'answered').length)
  assert.equal(
    total.cost_micros,
    rows.reduce((sum, { cost_micros }) => sum + cost_micros, 0),
  )
  assert.deepEqual(total.answer_rate, shareOf(total.answered, total.calls))
  assert.deepEqual((await read(tenant, 'calls', query)).total, total)
})

test('medians are less than five percent away from exact ones', async () => {
  const { tenant, query } = await simulated
  const exact = await pool.one<Data>(
    sql`select percentile_disc(0.5) within group (order by duration_ms) as duration_ms,
        percentile_disc(0.5) within group (order by turn_p50_ms) as turn_ms
      from calls where workspace_id = ${tenant.id} and ${ended_calls}`,
  )
  const { total } = await read(tenant, 'calls', query)
  const isNear = (time: number, other: number) => Math.abs(time - other) < five_percent * other
  assert.ok(isNear(total.duration_p50_ms, exact.duration_ms), `${total.duration_p50_ms} and ${exact.duration_ms}`)
  assert.ok(isNear(total.turn_p50_ms, exact.turn_ms), `${total.turn_p50_ms} and ${exact.turn_ms}`)
  for (let time = 0; time < 100_000; time = Math.ceil(time * 1.001) + 1)
    assert.ok(time === 0 ? timeOf(bucketOf(0)) === 0 : isNear(timeOf(bucketOf(time)), time), `${time} ms`)
})

test('attempts of a campaign are counted as the rows are', async () => {
  const { tenant, query } = await simulated
  const by_outcome = await pool.many<Data>(
    sql`select outcome, count(*)::integer as attempts from campaign_attempts
      where workspace_id = ${tenant.id} and ended_at is not null group by outcome order by outcome`,
  )
  const { rows, total } = await read(tenant, 'campaigns', { ...query, interval: 'week', group_by: 'outcome' })
  const found = new Map<string, number>()
  for (const { group, attempts } of rows) found.set(group.outcome, (found.get(group.outcome) ?? 0) + attempts)
  assert.deepEqual(
    [...found].sort(([left], [right]) => (left < right ? -1 : 1)),
    by_outcome.map(({ outcome, attempts }) => [outcome, attempts]),
  )
  const { completed } = await pool.one<Data>(
    sql`select count(*)::integer as completed from enrollments where workspace_id = ${tenant.id} and status = 'completed'`,
  )
  assert.equal(total.completed, completed)
  assert.equal(total.reached, found.get('answered'))
  const calls = await read(tenant, 'calls', { ...query, group_by: 'campaign_id' })
  const of_campaigns = calls.rows.filter(({ group }: Data) => group.campaign_id !== null)
  assert.equal(
    total.attempts,
    of_campaigns.reduce((sum: number, row: Data) => sum + row.calls, 0),
  )
  assert.equal(calls.total.calls - total.attempts, 1)
})

test('messages of a campaign are attempts, and their conversations are counted', async () => {
  const tenant = await workspace()
  await tenant.addTestClock(campaign_start)
  const contacts = await newContacts(tenant, ['00', '02', '01', '11'])
  await start(tenant, await newCampaign(tenant, contacts, { kind: 'sms' }))
  await advance(tenant, 4 * day_s)
  const query = { from: clock.iso(campaign_start), to: clock.iso(campaign_start + 4 * clock.day_ms) }
  const attempts = await read(tenant, 'campaigns', { ...query, group_by: 'outcome,channel_id' })
  const rows = await pool.many<Data>(
    sql`select outcome from campaign_attempts where workspace_id = ${tenant.id} and ended_at is not null`,
  )
  assert.equal(attempts.total.attempts, rows.length)
  assert.equal(attempts.total.reached, 3)
  assert.equal(attempts.total.completed, 3)
  assert.ok(attempts.rows.every(({ group }: Data) => group.channel_id !== undefined))
  await assertConversations(tenant, query)
})

/** Compares the total with the rows. */
async function assertConversations(tenant: Tenant, query: Record<string, string> = {}): Promise<Data> {
  const { total } = await read(tenant, 'conversations', query)
  const { first_answer_p50_ms: _, handed_over: __, ...sums } = total
  const expected = await pool.one<Data>(
    sql`select count(*)::integer as conversations, (count(*) filter (where status = 'closed'))::integer as closed,
        coalesce(sum(turn_count), 0)::integer as turns
      from conversations where workspace_id = ${tenant.id} and kind <> 'voice'`,
  )
  assert.deepEqual(sums, expected)
  return total
}

const echo = { script: { start: 'ask', nodes: { ask: { say: 'Hello?', on: [], else: { say: 'I see.' } } } } }

test('conversations are counted with what happens in them later', async () => {
  const start = Date.parse('2027-05-04T10:00:00Z')
  const tenant = await workspace(start)
  const agent_id = await newAgent(tenant, echo)
  const first = await request(tenant, 'POST', '/conversations', { agent_id, message: 'Hello' })
  const second = await request(tenant, 'POST', '/conversations', { agent_id })
  await tenant.work()
  await advance(tenant, 3_600)
  await say(tenant, second.id, 'Is anyone there?')
  await request(tenant, 'POST', `/conversations/${second.id}/hand_over`, {})
  await advance(tenant, 300)
  await request(tenant, 'POST', `/conversations/${second.id}/answers`, { text: 'Yes' })
  await request(tenant, 'POST', `/conversations/${second.id}/answers`, { text: 'What can I do for you?' })
  await request(tenant, 'POST', `/conversations/${first.id}/close`)
  await tenant.work()
  const total = await assertConversations(tenant)
  assert.equal(total.handed_over, 1)
  assert.equal(total.first_answer_p50_ms, 0)
  const { rows } = await read(tenant, 'conversations', { interval: 'hour' })
  assert.deepEqual(
    rows.filter(({ conversations }: Data) => conversations > 0).map(({ start, closed }: Data) => [start, closed]),
    [[clock.iso(start), 1]],
  )
  // Half of them were answered by a person, after five minutes.
  const { id } = await request(tenant, 'POST', '/conversations', { agent_id, message: 'Hello' })
  await request(tenant, 'POST', `/conversations/${id}/hand_over`, {})
  await advance(tenant, 300)
  await request(tenant, 'POST', `/conversations/${id}/answers`, { text: 'Yes' })
  const { first_answer_p50_ms } = await assertConversations(tenant)
  assert.ok(Math.abs(first_answer_p50_ms - 300_000) < five_percent * 300_000, `${first_answer_p50_ms} ms`)
})

test('transactions that count at the same time wait for nobody, and nothing is lost', async () => {
  const tenant = await workspace()
  const agent_id = await newAgent(tenant, echo)
  const talks = await Promise.all(
    Array.from({ length: 20 }, () => request(tenant, 'POST', '/conversations', { agent_id })),
  )
  // Another transaction has counted in the same quarter, and does not end before the rest is done.
  const held = Promise.withResolvers<void>()
  const count = { kind: 'conversations' as const, time: clock.wall(), keys: {}, sums: { handed_over: 7 } }
  const is_added = Promise.withResolvers<void>()
  const holding = inTransaction(server.at(tenant.id), async (at) => {
    await add(at, [count])
    is_added.resolve()
    await held.promise
  })
  await is_added.promise
  await Promise.all([
    ...talks.flatMap(({ id }) => Array.from({ length: 5 }, (_, index) => say(tenant, id, `Message ${index}`))),
    ...Array.from({ length: 4 }, () => sumUp(server.at(tenant.id))),
    tenant.work(),
  ])
  await assertConversations(tenant)
  held.resolve()
  await holding
  await Promise.all([sumUp(server.at(tenant.id)), sumUp(server.at(tenant.id))])
  assert.equal((await assertConversations(tenant)).handed_over, 7)
})

/** Runs something after each statement that removes what was summed up. */
function afterEachBatch(at: At, run: () => Promise<void>): At {
  const wrap = (db: Db): Db => ({
    ...db,
    run: async (statement) => {
      const done = await db.run(statement)
      if (/^delete from analytics_counts/.test(statement.text)) await run()
      return done
    },
    tx: (work, options) => db.tx((inner) => work(wrap(inner)), options),
  })
  return { ...at, db: wrap(at.db) }
}

test('summing up ends while others go on counting', async () => {
  const tenant = await workspace()
  const at = server.at(tenant.id)
  const count = () =>
    inTransaction(at, (at) =>
      add(
        at,
        (['calls', 'campaigns'] as const).map((kind) => ({ kind, time: clock.wall(), keys: {}, sums: { total: 1 } })),
      ),
    )
  await count()
  let batches = 0
  const counting = afterEachBatch(at, async () => {
    batches += 1
    if (batches < 10) await count()
  })
  await sumUp(counting)
  assert.equal(batches, 2, 'one for each kind')
  assert.equal((await read(tenant, 'campaigns')).total.attempts, 3)
})

test('a sum is replaced only if something is added to it', async () => {
  const tenant = await workspace()
  const at = server.at(tenant.id)
  const [first, second] = [newId(), newId()]
  const time = clock.parse('2027-02-01T00:00:00Z')
  const quarters = Array.from({ length: 20 }, (_, index) => time + index * 15 * 60_000)
  const count = (campaign_id: string | null) =>
    inTransaction(at, (at) =>
      add(
        at,
        quarters.map((time) => ({ kind: 'campaigns' as const, time, keys: { campaign_id }, sums: { total: 1 } })),
      ),
    )
  const sumsOf = (campaign_id: string | null) =>
    pool.many<Data>(
      sql`select id, is_sum, is_day, start_at, total from analytics_counts
        where workspace_id = ${tenant.id} and campaign_id is not distinct from ${campaign_id} order by is_day, start_at`,
    )
  for (const one of [first, second, null]) await count(one)
  await sumUp(at)
  const before = await sumsOf(second)
  assert.deepEqual(
    before.map(({ is_sum, total }) => [is_sum, total]),
    [...quarters.map(() => [true, 1]), [true, quarters.length]],
  )
  await count(first)
  await count(null)
  await sumUp(at)
  assert.deepEqual(await sumsOf(second), before)
  for (const one of [first, null])
    assert.deepEqual(
      (await sumsOf(one)).map(({ is_sum, total }) => [is_sum, total]),
      [...quarters.map(() => [true, 2]), [true, 2 * quarters.length]],
    )
})

test('a call whose outcome is corrected counts once', async () => {
  const tenant = await workspace()
  const at = { ...server.at(tenant.id), is_test: true }
  const time = clock.iso(clock.wall())
  const call = {
    id: newId(),
    is_test: true,
    started_at: time,
    ended_at: time,
    agent_id: newId(),
    agent_version: { id: null, version_label: 'v1' },
    campaign_id: null,
    channel_id: null,
    cost_micros: 5,
    outcome: 'no_answer' as const,
    duration_ms: null,
    latency: { turn_p50_ms: null, turn_p95_ms: null },
  }
  const corrected = { ...call, outcome: 'answered' as const, duration_ms: 60_000 }
  await inTransaction(at, (at) => at.hooks.run(at, written, [{ before: { ...call, ended_at: null }, after: call }]))
  await inTransaction(at, (at) => at.hooks.run(at, written, [{ before: call, after: corrected }]))
  const { total } = await read(tenant, 'calls')
  assert.deepEqual([total.calls, total.by_outcome, total.cost_micros], [1, { answered: 1 }, 5])
  await sumUp(at)
  assert.deepEqual((await read(tenant, 'calls')).total, total)
  assert.deepEqual((await read(tenant, 'calls', { group_by: 'outcome' })).rows.length, 1)
})

test('an attempt whose outcome is corrected counts once, and completes its enrollment under the new one', async () => {
  const tenant = await workspace()
  await tenant.addTestClock(campaign_start)
  const { id: campaign_id } = await start(tenant, await newCampaign(tenant, await newContacts(tenant, ['00'])))
  await advance(tenant, day_s)
  const query = { from: clock.iso(campaign_start), to: clock.iso(campaign_start + clock.day_ms), group_by: 'outcome' }
  const numbersOf = async () =>
    (await read(tenant, 'campaigns', query)).rows.map(({ group, attempts, reached, completed }: Data) => [
      ...[group.outcome, attempts, reached, completed],
    ])
  assert.deepEqual(await numbersOf(), [['answered', 1, 1, 1]])
  const { id } = await pool.one<Data>(sql`select id from campaign_attempts where workspace_id = ${tenant.id}`)
  const at = { ...server.at(tenant.id), is_test: true }
  const ended_at = campaign_start + clock.day_ms
  await inTransaction(at, (at) =>
    endAttempts(at, [{ id, campaign_id, ended_at, is_opt_out: false, outcome: 'voicemail', refined_from: 'answered' }]),
  )
  assert.deepEqual(await numbersOf(), [['voicemail', 1, 0, 1]])
})

test('simulated calls of a live workspace are not counted', async () => {
  const tenant = await workspace()
  const placed = await placeCall(tenant, { agent_id: await newCaller(tenant), to: '+14155550104', simulate: '04' })
  await tenant.work()
  const { started_at } = await ended(tenant, placed.id)
  assert.notEqual(started_at, null)
  const { rows, total } = await read(tenant, 'calls')
  assert.equal(rows.length, 30)
  assert.deepEqual(total, {
    calls: 0,
    answered: 0,
    by_outcome: {},
    answer_rate: nothing_answered,
    duration_p50_ms: null,
    turn_p50_ms: null,
    cost_micros: 0,
  })
})

test('trials are not counted', async () => {
  const tenant = await workspace()
  const agent_id = await newAgent(tenant, echo)
  const trial = await request(tenant, 'POST', '/conversations', { agent_id, message: 'Hello', is_test: true })
  await tenant.work()
  await say(tenant, trial.id, 'Is anyone there?')
  await request(tenant, 'POST', `/conversations/${trial.id}/hand_over`, {})
  await request(tenant, 'POST', `/conversations/${trial.id}/answers`, { text: 'Yes' })
  await request(tenant, 'POST', `/conversations/${trial.id}/close`)
  const nothing = { conversations: 0, handed_over: 0, closed: 0, turns: 0, first_answer_p50_ms: null }
  assert.deepEqual((await read(tenant, 'conversations')).total, nothing)
  await request(tenant, 'POST', '/conversations', { agent_id })
  await tenant.work()
  assert.equal((await read(tenant, 'conversations')).total.conversations, 1)
})

test('another workspace sees nothing of it', async () => {
  const { query } = await simulated
  const other = await workspace()
  for (const kind of ['calls', 'conversations', 'campaigns']) {
    const { rows } = await read(other, kind, { ...query, group_by: 'outcome' })
    assert.deepEqual(rows, [])
  }
})

test('redaction and retention leave what was counted, and the end of a workspace does not', async () => {
  const tenant = await workspace(campaign_start)
  const agent_id = await newCaller(tenant)
  const { id } = await placeCall(tenant, { agent_id, to: '+14155550100' })
  await placeCall(tenant, { agent_id, to: '+14155550101' })
  await advance(tenant, 600)
  const query = { from: clock.iso(campaign_start), to: clock.iso(campaign_start + clock.day_ms) }
  const before = await read(tenant, 'calls', query)
  assert.equal(before.total.calls, 2)
  await request(tenant, 'POST', `/calls/${id}/redact`)
  assert.deepEqual(await read(tenant, 'calls', query), before)
  await request(tenant, 'PATCH', '/workspace', { settings: { calls_keep_days: 1, conversations_keep_days: 1 } })
  await advance(tenant, 3 * day_s)
  assert.deepEqual(await request(tenant, 'GET', '/calls'), [])
  assert.deepEqual(await read(tenant, 'calls', query), before)
  await pool.run(sql`delete from workspaces where id = ${tenant.id}`)
  const left = await pool.many(sql`select from analytics_counts where workspace_id = ${tenant.id} limit 1`)
  assert.equal(left.length, 0)
})

/** Counts one attempt at each of the times. */
async function countAt(tenant: Tenant, times: string[]): Promise<void> {
  const counts = times.map((time) => ({
    kind: 'campaigns' as const,
    time: clock.parse(time),
    keys: {},
    sums: { total: 1 },
  }))
  await inTransaction(server.at(tenant.id), (at) => add(at, counts))
}

const attemptsOf = ({ rows }: Data) => rows.map(({ start, attempts }: Data) => [start, attempts])

test('days and weeks go by the clocks of the workspace: one day has 23 hours', async () => {
  const tenant = await workspace()
  await request(tenant, 'PATCH', '/workspace', { settings: { time_zone: 'Europe/Berlin' } })
  await countAt(tenant, [
    ...['2027-03-27T22:59:59Z', '2027-03-27T23:00:00Z', '2027-03-28T12:00:00Z'],
    ...['2027-03-28T21:59:59Z', '2027-03-28T22:00:00Z'],
  ])
  const query = { from: '2027-03-27T12:00:00Z', to: '2027-03-29T12:00:00Z' }
  const check = async () => {
    assert.deepEqual(attemptsOf(await read(tenant, 'campaigns', query)), [
      ['2027-03-26T23:00:00.000Z', 1],
      ['2027-03-27T23:00:00.000Z', 3],
      ['2027-03-28T22:00:00.000Z', 1],
    ])
    assert.deepEqual(attemptsOf(await read(tenant, 'campaigns', { ...query, interval: 'week' })), [
      ['2027-03-21T23:00:00.000Z', 4],
      ['2027-03-28T22:00:00.000Z', 1],
    ])
    const hours = await read(tenant, 'campaigns', {
      from: '2027-03-27T23:00:00Z',
      to: '2027-03-28T22:00:00Z',
      interval: 'hour',
    })
    assert.equal(hours.rows.length, 23)
    assert.equal(hours.total.attempts, 3)
  }
  await check()
  await sumUp(server.at(tenant.id))
  await check()
})

test('days are right at once in another time zone, and later read as fast as before', async () => {
  const tenant = await workspace()
  const at = server.at(tenant.id)
  await countAt(tenant, ['2027-03-09T12:00:00Z', '2027-03-09T20:00:00Z'])
  await sumUp(at)
  const query = { from: '2027-03-09T12:00:00Z', to: '2027-03-10T12:00:00Z' }
  const in_utc = [
    ['2027-03-09T00:00:00.000Z', 2],
    ['2027-03-10T00:00:00.000Z', 0],
  ]
  assert.deepEqual(attemptsOf(await read(tenant, 'campaigns', query)), in_utc)
  await request(tenant, 'PATCH', '/workspace', { settings: { time_zone: 'Asia/Tokyo' } })
  const in_tokyo = [
    ['2027-03-08T15:00:00.000Z', 1],
    ['2027-03-09T15:00:00.000Z', 1],
  ]
  assert.deepEqual(attemptsOf(await read(tenant, 'campaigns', query)), in_tokyo)
  await countAt(tenant, ['2027-03-10T10:00:00Z'])
  await Promise.all([sumUp(at), sumUp(at)])
  assert.deepEqual(attemptsOf(await read(tenant, 'campaigns', query)), [in_tokyo[0], ['2027-03-09T15:00:00.000Z', 2]])
  // Without the quarters: nothing but the days is read.
  await pool.run(sql`delete from analytics_counts where workspace_id = ${tenant.id} and not is_day`)
  assert.deepEqual(attemptsOf(await read(tenant, 'campaigns', query)), [in_tokyo[0], ['2027-03-09T15:00:00.000Z', 2]])
})

test('an offset of 45 minutes is kept', async () => {
  const tenant = await workspace()
  await request(tenant, 'PATCH', '/workspace', { settings: { time_zone: 'Asia/Kathmandu' } })
  await countAt(tenant, ['2027-03-09T18:14:59Z', '2027-03-09T18:15:00Z'])
  const query = { from: '2027-03-09T18:00:00Z', to: '2027-03-09T18:30:00Z' }
  assert.deepEqual(attemptsOf(await read(tenant, 'campaigns', query)), [
    ['2027-03-08T18:15:00.000Z', 1],
    ['2027-03-09T18:15:00.000Z', 1],
  ])
  assert.deepEqual(attemptsOf(await read(tenant, 'campaigns', { ...query, interval: 'hour' })), [
    ['2027-03-09T17:15:00.000Z', 1],
    ['2027-03-09T18:15:00.000Z', 1],
  ])
})

test('hours begin with those of the clock also after a change by half an hour', async () => {
  const tenant = await workspace()
  await request(tenant, 'PATCH', '/workspace', { settings: { time_zone: 'Australia/Lord_Howe' } })
  // At 02:00 clocks go back to 01:30. Half a year later they go from 02:00 to 02:30.
  await countAt(tenant, ['2027-04-03T14:45:00Z', '2027-04-03T15:15:00Z', '2027-04-03T15:30:00Z'])
  const back = { from: '2027-04-03T14:00:00Z', to: '2027-04-03T17:00:00Z', interval: 'hour' }
  assert.deepEqual(attemptsOf(await read(tenant, 'campaigns', back)), [
    ['2027-04-03T14:00:00.000Z', 1],
    ['2027-04-03T15:00:00.000Z', 1],
    ['2027-04-03T15:30:00.000Z', 1],
    ['2027-04-03T16:30:00.000Z', 0],
  ])
  await countAt(tenant, ['2027-10-02T15:45:00Z', '2027-10-02T16:00:00Z'])
  const forward = { from: '2027-10-02T14:30:00Z', to: '2027-10-02T17:30:00Z', interval: 'hour' }
  assert.deepEqual(attemptsOf(await read(tenant, 'campaigns', forward)), [
    ['2027-10-02T14:30:00.000Z', 0],
    ['2027-10-02T15:30:00.000Z', 1],
    ['2027-10-02T16:00:00.000Z', 1],
    ['2027-10-02T17:00:00.000Z', 0],
  ])
})

test('without a time there are 30 days, or 24 hours, up to now', async () => {
  const now = Date.parse('2027-07-14T12:30:00Z')
  const tenant = await workspace(now)
  const days = (await read(tenant, 'calls')).rows
  assert.deepEqual(
    [days.length, days[0].start, days.at(-1).start],
    [...[30, '2027-06-15T00:00:00.000Z', '2027-07-14T00:00:00.000Z']],
  )
  const hours = (await read(tenant, 'calls', { interval: 'hour' })).rows
  assert.deepEqual(
    [hours.length, hours[0].start, hours.at(-1).start],
    [...[24, '2027-07-13T13:00:00.000Z', '2027-07-14T12:00:00.000Z']],
  )
  assert.equal((await read(tenant, 'calls', { interval: 'week' })).rows.length, 5)
})

test('what is too long, too much or unknown is refused', async () => {
  const tenant = await workspace()
  const to = '2027-03-01T00:00:00Z'
  const before = (days: number) => clock.iso(clock.parse(to) - days * clock.day_ms)
  const statusOf = async (query: Record<string, string>) => {
    const { status, body } = await tenant.call('GET', `/analytics/calls?${new URLSearchParams({ to, ...query })}`)
    return status === 200 ? status : `${status} ${body.error.details.fields[0].path}`
  }
  assert.equal(await statusOf({ from: before(400) }), 200)
  assert.equal(await statusOf({ from: before(401) }), '400 from')
  assert.equal(await statusOf({ from: before(7), interval: 'hour' }), 200)
  assert.equal(await statusOf({ from: before(8), interval: 'hour' }), '400 from')
  assert.equal(await statusOf({ from: to }), '400 from')
  assert.equal(await statusOf({ interval: 'month' }), '400 interval')
  for (const interval of ['hour', 'day', 'week']) {
    assert.equal(await statusOf({ interval, to: '1970-01-01T00:00:00Z' }), 200)
    assert.equal(await statusOf({ interval, to: '1969-12-31T23:59:59.999Z' }), '400 to')
    assert.equal(await statusOf({ interval, from: '0001-01-01T00:00:00Z', to: '0001-01-02T00:00:00Z' }), '400 from')
    assert.equal(await statusOf({ interval, to: '9998-12-30T23:59:59.999Z' }), 200)
    assert.equal(await statusOf({ interval, from: '9999-12-30T00:00:00Z', to: '9999-12-31T23:59:59Z' }), '400 from')
  }
  assert.equal(await statusOf({ group_by: 'outcome,agent_id' }), 200)
  for (const group_by of ['direction', 'outcome,outcome', 'agent_id,channel_id,outcome', ''])
    assert.equal(await statusOf({ group_by }), '400 group_by')
})

test('there are at most 10,000 rows', async () => {
  const tenant = await workspace()
  const time = clock.parse('2027-02-01T00:00:00Z')
  const call = () => ({ kind: 'calls' as const, time, keys: { channel_id: newId() }, sums: { total: 1 } })
  const query = { from: '2027-02-01T00:00:00Z', to: '2027-02-03T00:00:00Z', group_by: 'channel_id' }
  await inTransaction(server.at(tenant.id), (at) => add(at, Array.from({ length: 10_000 }, call)))
  const { rows, total } = await read(tenant, 'calls', query)
  assert.deepEqual([rows.length, total.calls], [10_000, 10_000])
  await inTransaction(server.at(tenant.id), (at) => add(at, [call()]))
  const { status, body } = await tenant.call('GET', `/analytics/calls?${new URLSearchParams(query)}`)
  assert.equal(status, 400)
  assert.match(body.error.details.fields[0].message, /a shorter time, a longer interval, or group by less/)
  const at = server.at(tenant.id)
  const statements: string[] = []
  const many: Db['many'] = (statement) => {
    statements.push(statement.text)
    return at.db.many(statement)
  }
  await assert.rejects(readCalls({ ...at, db: { ...at.db, many } }, { ...query, interval: 'day' }))
  assert.deepEqual(
    statements.filter((text) => text.includes('unnest(buckets)')),
    [],
    'medians are not read',
  )
  assert.equal((await read(tenant, 'calls', { ...query, group_by: 'agent_id' })).rows.length, 1)
})

test("the limits of a share are Wilson's", () => {
  assert.deepEqual(shareOf(0, 0), nothing_answered)
  assert.deepEqual(shareOf(90, 200), { value: 0.45, low: 0.3826, high: 0.5192 })
  assert.deepEqual(shareOf(0, 10), { value: 0, low: 0, high: 0.2775 })
  assert.deepEqual(shareOf(10, 10), { value: 1, low: 0.7225, high: 1 })
})
