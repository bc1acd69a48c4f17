import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fill, knownLiveFrom } from '../../server/analytics/fills.ts'
import type { At } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { firstIdOf } from '../../server/kit/id.ts'
import type { Db } from '../../server/kit/postgres/pool.ts'
import { type Sql, sql } from '../../server/kit/postgres/sql.ts'
import { advance, newCaller, placeCall } from '../support/calls.ts'
import { newAgent, say } from '../support/conversations.ts'
import { campaign_start, newCampaign, newContacts, request, start } from '../support/dialing.ts'
import { type Answer, serve, type Tenant } from '../support/harness.ts'
import { listLockWaits } from '../support/lock-waits.ts'

/* A workspace from before there were counts: its counts are removed, and it gets fills as the migration adds them. */

const server = await serve()
const { pool, workspace } = server
const kinds = ['calls', 'conversations', 'campaigns']
const day_s = 86_400
const hour_ms = 3_600_000

type Data = Answer['body']

const query = `from=${clock.iso(campaign_start)}&to=${clock.iso(campaign_start + 10 * clock.day_ms)}&group_by=agent_id,outcome`

const readAll = (tenant: Tenant): Promise<Data[]> =>
  Promise.all(kinds.map((kind) => request(tenant, 'GET', `/analytics/${kind}?${query}`)))

async function newWorkspace(): Promise<{ tenant: Tenant; talks: Data[]; at: At }> {
  const tenant = await workspace(campaign_start)
  const contacts = await newContacts(tenant, ['00', '01', '05', '11', '33', '44', '55', '66'])
  await start(tenant, await newCampaign(tenant, contacts))
  await start(tenant, await newCampaign(tenant, contacts.slice(0, 3), { kind: 'sms' }))
  await advance(tenant, 6 * day_s)
  const agent_id = await newAgent(tenant, {
    script: { start: 'ask', nodes: { ask: { say: 'Hello?', on: [], else: { say: 'I see.' } } } },
  })
  const begin = () => request(tenant, 'POST', '/conversations', { agent_id, message: 'Hello' })
  const talks = [await begin(), await begin(), await begin()]
  await request(tenant, 'POST', `/conversations/${talks[0].id}/close`)
  await request(tenant, 'POST', `/conversations/${talks[1].id}/hand_over`, { reason: 'Asks for a person' })
  await tenant.work()
  return { tenant, talks, at: { ...server.at(tenant.id), is_test: true } }
}

/** As after the migration. What has an id after `live_from` is counted when it is written. */
async function forget({ id }: Tenant, at: At, live_from = firstIdOf(clock.wall() + hour_ms)): Promise<void> {
  await pool.run(sql`delete from analytics_counts where workspace_id = ${id}`)
  for (const kind of kinds)
    await pool.run(
      sql`insert into analytics_fills (workspace_id, kind, live_from) values (${id}, ${kind}, ${live_from})`,
    )
  knownLiveFrom.of(at).delete(id)
}

/** Two hours later nothing is late any more. */
const later = () => clock.wall() + 2 * hour_ms

const fillsOf = (id: string) => pool.many<Data>(sql`select * from analytics_fills where workspace_id = ${id}`)

test('what is older than the counts is counted in the background, once', async () => {
  const { tenant, at } = await newWorkspace()
  const live = await readAll(tenant)
  assert.ok(live.every(({ rows }) => rows.length > 0))
  await forget(tenant, at)
  assert.deepEqual((await readAll(tenant))[0].rows, [])
  await fill(at, undefined, { now: later, batch_rows: 3 })
  assert.deepEqual(await readAll(tenant), live)
  assert.deepEqual(await fillsOf(tenant.id), [])
  await fill(at, undefined, { now: later })
  assert.deepEqual(await readAll(tenant), live)
})

/** Fails as a process does that is killed before it commits. */
function dyingAt(at: At, isLast: (statement: Sql) => boolean): At {
  const die = (db: Db): Db => ({
    ...db,
    run: (statement) => (isLast(statement) ? Promise.reject(new Error('killed')) : db.run(statement)),
    tx: (work, options) => db.tx((inner) => work(die(inner)), options),
  })
  return { ...at, db: die(at.db) }
}

test('a process that is killed in the middle of a fill leaves nothing that is counted twice', async () => {
  const { tenant, at } = await newWorkspace()
  const live = await readAll(tenant)
  await forget(tenant, at)
  let batches = 0
  const isLast = ({ text }: Sql) => /^delete from analytics_fills/.test(text) && ++batches === 2
  await assert.rejects(fill(dyingAt(at, isLast), undefined, { now: later }), /killed/)
  assert.deepEqual(
    (await fillsOf(tenant.id)).map(({ kind }) => kind).sort(),
    ['campaigns', 'conversations'],
    'calls were filled',
  )
  const [calls, conversations] = await readAll(tenant)
  assert.deepEqual(calls, live[0])
  assert.deepEqual(conversations.rows, [])
  await fill(at, undefined, { now: later })
  assert.deepEqual(await readAll(tenant), live)
})

/** Compares what is counted of conversations with the rows. */
async function assertTurns(tenant: Tenant): Promise<void> {
  const { total } = await request(tenant, 'GET', `/analytics/conversations?${query}`)
  const rows = await pool.one<Data>(
    sql`select count(*)::integer as conversations, sum(turn_count)::integer as turns,
        (count(*) filter (where status = 'closed'))::integer as closed
      from conversations where workspace_id = ${tenant.id} and kind <> 'voice'`,
  )
  const { conversations, turns, closed } = total
  assert.deepEqual({ conversations, turns, closed }, rows)
}

test('what changes while a fill goes on is counted once, on both sides of where it is', async () => {
  const { tenant, talks, at } = await newWorkspace()
  await forget(tenant, at)
  await fill(at, undefined, { now: later })
  // The fill has come to the second of three.
  const [, { id: second }, { id: third }] = talks
  const taken = await pool.one<Data>(
    sql`select turn_count from conversations where workspace_id = ${tenant.id} and id = ${third}`,
  )
  await pool.run(
    sql`insert into analytics_fills (workspace_id, kind, live_from, counted_until)
      values (${tenant.id}, 'conversations', ${firstIdOf(clock.wall() + hour_ms)}, ${second})`,
  )
  await pool.run(
    sql`update analytics_counts set total = total - 1, turns = turns - ${taken.turn_count}
      where workspace_id = ${tenant.id} and kind = 'conversations' and id = (select id from analytics_counts
        where workspace_id = ${tenant.id} and kind = 'conversations' and not is_day and turns >= ${taken.turn_count} limit 1)`,
  )
  knownLiveFrom.of(at).delete(tenant.id)
  await say(tenant, second, 'Counted at once')
  await say(tenant, third, 'Counted by the fill')
  await request(tenant, 'POST', `/conversations/${third}/close`)
  const agent_id = await newAgent(tenant, {})
  await request(tenant, 'POST', '/conversations', { agent_id, message: 'New' })
  await fill(at, undefined, { now: later })
  await assertTurns(tenant)
  await say(tenant, second, 'After the fill')
  await assertTurns(tenant)
})

test('who changes something waits while a fill counts it', async () => {
  const { tenant, talks, at } = await newWorkspace()
  await forget(tenant, at)
  const counted = Promise.withResolvers<number>()
  const released = Promise.withResolvers<void>()
  const hold = (db: Db): Db => ({
    ...db,
    run: async (statement) => {
      const done = await db.run(statement)
      if (/^delete from analytics_fills/.test(statement.text) && statement.values.includes('conversations')) {
        counted.resolve((await db.one<{ pid: number }>(sql`select pg_backend_pid() as pid`)).pid)
        await released.promise
      }
      return done
    },
    tx: (work, options) => db.tx((inner) => work(hold(inner)), options),
  })
  const filling = fill({ ...at, db: hold(at.db) }, undefined, { now: later })
  const filling_pid = await counted.promise
  let is_said = false
  const said = say(tenant, talks[2].id, 'Meanwhile').finally(() => {
    is_said = true
  })
  const isWaitedFor = async () => (await listLockWaits(pool)).some(({ blocking }) => blocking === filling_pid)
  while (!is_said && !(await isWaitedFor()));
  assert.equal(is_said, false)
  released.resolve()
  await Promise.all([filling, said])
  await assertTurns(tenant)
})

test('a fill begins when the version before no longer writes, so what that ends within the hour is counted', async () => {
  const tenant = await workspace(campaign_start)
  const at = { ...server.at(tenant.id), is_test: true }
  const agent_id = await newCaller(tenant)
  await placeCall(tenant, { agent_id, to: '+14155550101' })
  await forget(tenant, at)
  await fill(at, undefined, { now: () => clock.wall() + hour_ms / 2 })
  await placeCall(tenant, { agent_id, to: '+14155550102' })
  await advance(tenant, 600)
  // The version before counts nothing.
  await pool.run(sql`delete from analytics_counts where workspace_id = ${tenant.id}`)
  await fill(at, undefined, { now: later })
  assert.equal((await request(tenant, 'GET', `/analytics/calls?${query}`)).total.calls, 2)
  assert.deepEqual(await fillsOf(tenant.id), [])
})

test('calls that go on when a fill passes are counted at their end', async () => {
  const tenant = await workspace(campaign_start)
  const at = { ...server.at(tenant.id), is_test: true }
  await placeCall(tenant, { agent_id: await newCaller(tenant), to: '+14155550101' })
  await forget(tenant, at)
  await fill(at, undefined, { now: later })
  const calls = async () => (await request(tenant, 'GET', `/analytics/calls?${query}`)).total.calls
  assert.equal(await calls(), 0)
  await advance(tenant, 600)
  assert.equal(await calls(), 1)
})

test('new calls are counted at once while older ones wait for their fill', async () => {
  const tenant = await workspace(campaign_start)
  const at = { ...server.at(tenant.id), is_test: true }
  await forget(tenant, at, firstIdOf(clock.wall() - hour_ms))
  await placeCall(tenant, { agent_id: await newCaller(tenant), to: '+14155550101' })
  await advance(tenant, 600)
  assert.equal((await request(tenant, 'GET', `/analytics/calls?${query}`)).total.calls, 1)
  await fill(at, undefined, { now: later })
  assert.equal((await request(tenant, 'GET', `/analytics/calls?${query}`)).total.calls, 1)
})
