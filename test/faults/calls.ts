import assert from 'node:assert/strict'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../server/config.ts'
import { atWall } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { raw, sql } from '../../server/kit/postgres/sql.ts'
import { openService } from '../../server/service.ts'
import { call_start, readWhole } from '../support/calls.ts'
import { addTestClock } from '../support/test-clocks.ts'
import { type Follower, followCall } from './call-followers.ts'
import { NoResponse, openClient, waitUntil } from './client.ts'
import { startToolServer, type ToolCall } from './conversations.ts'
import { between, pick, type Random, split } from './random.ts'
import { type Holder, killRepeatedly, startHolder } from './restarts.ts'
import type { RunOptions, Scenario } from './scenario.ts'
import { makeTempFolder, newTenant, type Tenant, withEmbeddedPool } from './service.ts'

export const scenario: Scenario = {
  name: 'calls',
  about: 'kill -9 during calls: each ends once, within a minute, and keeps what its live stream has shown',
  run,
}

/** A call whose process was killed is final this long after the next start. */
const final_max_ms = 60_000
const kill_in_advance_ms = 500
/** Those that talk, more often than those that don't. */
const people = ['00', '00', '10', '13', '14', '15', '18', '19', '05', '07', '08', '01', '17']
const everyone = Array.from({ length: 20 }, (_, index) => String(index).padStart(2, '0'))

interface Form {
  placers: number
  pause_ms: { min: number; max: number }
  kills: number
  kill_after_ms: { min: number; max: number }
  /** Of a test clock. A server is killed during each. */
  advances: number
  /** To each person, in a test workspace. */
  calls_each: number
}

const formOf = ({ is_long, rounds }: RunOptions): Form =>
  is_long
    ? {
        placers: 6,
        pause_ms: { min: 500, max: 4_000 },
        kills: 2 * rounds,
        kill_after_ms: { min: 200, max: 16_000 },
        advances: Math.ceil(rounds / 4),
        calls_each: 5,
      }
    : {
        placers: 4,
        pause_ms: { min: 100, max: 900 },
        kills: 2,
        kill_after_ms: { min: 8_000, max: 12_000 },
        advances: 2,
        calls_each: 3,
      }

/** Asks for an appointment, and books it with a tool that has side effects. */
const answers = [
  { intent: 'yes', go: 'book' },
  { intent: 'no', go: 'bye' },
  { intent: 'human', go: '@hand_over' },
  { intent: 'goodbye', go: 'bye' },
]
const script = {
  start: 'greet',
  nodes: {
    greet: {
      say: 'Hello, this is the office of Acme. I am calling about your appointment. Is Tuesday at nine all right for you?',
      on: answers,
      else: { say: 'Sorry, I did not get that.', go: 'again' },
    },
    again: { say: 'Is Tuesday at nine all right?', on: answers, else: { say: 'Let us try again.', go: 'again' } },
    book: { tool: 'book', ok: 'booked', failed: 'booked' },
    booked: {
      say: 'Good, you are booked for Tuesday at nine. Is there anything else?',
      on: answers,
      else: { go: 'bye' },
    },
    bye: { say: 'Thank you, and goodbye.', go: '@end' },
  },
}

async function run(options: RunOptions): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const { random, print, seed } = options
  const form = formOf(options)
  print(`seed ${seed}`)
  const DATA_DIR = path.join(makeTempFolder(stack, 'calls'), 'data')
  const tool_calls: ToolCall[] = []
  const tool_url = await startToolServer(stack, tool_calls, split(random))
  const environment = { DATA_DIR, OUTBOUND_ALLOW_HOSTS: '127.0.0.1', LOG_LEVEL: 'error' }
  const service = { environment, DATA_DIR, holder: await startHolder(stack, environment) }
  print(await killInAdvances(stack, service, { random, form }))
  print(await killLive(stack, service, { random, form, tool_url, tool_calls }))
  await service.holder.service.stop()
}

/** A workspace that can have many calls at a time. */
async function newCaller(pool: Pool): Promise<Tenant> {
  const tenant = await newTenant(pool)
  await pool.run(sql`update workspaces set settings = settings || '{"calls_in_flight_max": 1000}'
    where id = ${tenant.workspace}`)
  return tenant
}

interface Served {
  environment: Record<string, string>
  DATA_DIR: string
  holder: Holder
}

interface Live {
  random: Random
  form: Form
  tool_url: string
  tool_calls: ToolCall[]
}

async function killLive(stack: AsyncDisposableStack, served: Served, live: Live): Promise<string> {
  const { holder, environment, DATA_DIR } = served
  const { random, form, tool_url, tool_calls } = live
  const tenant = await withEmbeddedPool(DATA_DIR, newCaller)
  const send = sender(holder, tenant)
  await send('POST', '/tools', { name: 'book', url: tool_url, has_side_effects: true })
  const agent_id = (await send('POST', '/agents', { name: 'Caller', script, tools: ['book'] })).id
  let is_done = false
  stack.defer(() => {
    is_done = true
  })
  const followers: Follower[] = []
  const place = async (placer: number, own: Random): Promise<string[]> => {
    const ids: string[] = []
    for (let nth = 0; !is_done; nth += 1) {
      const person = pick(own, people)
      const body = { agent_id, to: `+1415555${1_000 + placer * 100 + Number(person)}`, simulate: person }
      const { id } = await send('POST', '/calls', body, `call ${placer} ${nth}`)
      ids.push(id)
      if (nth % 2 === 0) followers.push(followCall(stack, { holder, tenant, id, isOver: () => is_done }))
      await sleep(between(own, form.pause_ms.min, form.pause_ms.max))
    }
    return ids
  }
  const placing = Promise.all(Array.from({ length: form.placers }, (_, placer) => place(placer, split(random))))
  placing.catch(() => {})
  const { kills: kills_max, kill_after_ms: after_ms } = form
  const kills = await killRepeatedly(stack, holder, { environment, random, kills_max: kills_max - 1, after_ms })
  await sleep(between(random, after_ms.min, after_ms.max))
  is_done = true
  const killed_at = clock.wall()
  await holder.service.kill()
  Object.assign(holder, await startHolder(stack, environment))
  const ids = (await placing).flat()
  return withEmbeddedPool(DATA_DIR, async (pool) => {
    const settled_ms = await settle(pool, { tenant, send, killed_at, holder })
    const shown = await check(pool, { tenant, send, ids, followers, tool_calls })
    return (
      `${kills + 1} kills: ${ids.length} calls final, the last one that was interrupted ${(settled_ms / 1000).toFixed(1)} s ` +
      `after the start; ${followers.length} followed, which showed ${shown} turns; ${tool_calls.length} requests to tools`
    )
  })
}

// biome-ignore lint/suspicious/noExplicitAny: tests read any field
type Send = (method: string, path: string, body?: object, key?: string) => Promise<any>

/** Sends a request until it is answered, with the same idempotency key each time. */
const sender =
  (holder: Holder, { key: token }: Tenant): Send =>
  async (method, path, body, key) => {
    for (;;) {
      const client = openClient(holder.service.url, token)
      try {
        const headers: Record<string, string> = key ? { 'idempotency-key': key } : {}
        const { status, body: answer } = await client.call(method, `/api/v1${path}`, body, headers)
        if (status < 300) return answer.data
        // Another request with this key may not have ended, or the call is over.
        assert.ok(status >= 503 || status === 409, JSON.stringify(answer))
        if (status === 409 && !key) return undefined
      } catch (error) {
        if (!(error instanceof NoResponse)) throw error
      } finally {
        client.close()
      }
      await sleep(100)
    }
  }

interface Settling {
  tenant: Tenant
  send: Send
  killed_at: number
  holder: Holder
}

/** Waits for the calls that were interrupted, then ends the others. Returns how long the first took. */
async function settle(pool: Pool, { tenant: { workspace }, send, killed_at, holder }: Settling): Promise<number> {
  const open = () =>
    pool.many<{ id: string; status: string; started_at: string | null }>(
      sql`select id, status, started_at from calls where workspace_id = ${workspace}
        and (ended_at is null or due_at is not null)`,
    )
  const isInterrupted = ({ started_at }: { started_at: string | null }) =>
    started_at !== null && clock.parse(started_at) <= killed_at
  for (let left = await open(); left.some(isInterrupted); left = await open()) {
    const passed_ms = performance.now() - holder.started_at
    assert.ok(passed_ms < final_max_ms, `not final: ${JSON.stringify(left.filter(isInterrupted))}`)
    await sleep(50)
  }
  const settled_ms = performance.now() - holder.started_at
  await waitUntil('every call is final', async () => {
    const left = await open()
    for (const { id, status } of left)
      await send('POST', `/calls/${id}/${status === 'in_progress' ? 'hang_up' : 'cancel'}`)
    if (left.length > 0) await sleep(500)
    return left.length === 0
  })
  // Until what the carrier reports after the end was waited for.
  await waitUntil('no lease is left', async () => {
    const { leases } = await pool.one<{ leases: number }>(
      sql`select (select count(*) from calls where workspace_id = ${workspace} and lease_until > ${clock.iso(clock.wall())})
        + (select count(*) from conversations where workspace_id = ${workspace} and lease_token is not null) as leases`,
    )
    return leases === 0
  })
  return settled_ms
}

interface Checking {
  tenant: Tenant
  send: Send
  ids: string[]
  followers: Follower[]
  tool_calls: ToolCall[]
}

/** Returns how many turns the live streams have shown. */
async function check(pool: Pool, { tenant, send, ids, followers, tool_calls }: Checking): Promise<number> {
  const { workspace } = tenant
  assert.equal(new Set(ids).size, ids.length)
  for (const follower of followers) await follower.ended
  const shown = new Map(followers.map((follower) => [follower.id, follower]))
  let turns_shown = 0
  for (const id of ids) {
    const call = await send('GET', `/calls/${id}`)
    assert.ok(['completed', 'failed', 'canceled'].includes(call.status), `${id} is ${call.status}`)
    assert.ok(call.end_reason !== null && call.outcome !== null, JSON.stringify(call))
    if (call.conversation_id === null) continue
    const conversation = await send('GET', `/conversations/${call.conversation_id}`)
    assert.equal(conversation.status, 'closed', id)
    const turns: Turn[] = await send('GET', `/conversations/${call.conversation_id}/turns?limit=100`)
    const seqs = turns.map(({ seq }) => seq)
    assert.deepEqual(
      seqs,
      seqs.map((_, index) => index + 1),
      `${id}: turns have no gaps`,
    )
    assert.equal(call.turn_count, turns.length, `${id}: turn_count`)
    turns_shown += assertShown(shown.get(id), turns)
  }
  await assertEvents(pool, { workspace, ids })
  await assertCounts(pool, workspace)
  const requests = Map.groupBy(tool_calls, ({ id }) => id)
  for (const [run, sent] of requests) assert.equal(sent.length, 1, `${run} was sent once`)
  return turns_shown
}

interface Turn {
  seq: number
  role: string
  text: string
}

/** What was shown is still there. */
function assertShown(follower: Follower | undefined, turns: Turn[]): number {
  if (!follower) return 0
  const { id, started, finished } = follower
  for (const seq of started) assert.ok(turns[seq - 1], `${id}: turn ${seq} has begun, and is lost`)
  for (const { seq, role, text } of finished)
    assert.deepEqual({ role: turns[seq - 1]?.role, text: turns[seq - 1]?.text }, { role, text }, `${id}: turn ${seq}`)
  return started.size
}

async function assertEvents(pool: Pool, { workspace, ids }: { workspace: string; ids: string[] }): Promise<void> {
  const rows = await pool.many<{ id: string; type: string; total: number }>(
    sql`select resource_id as id, type, count(*) as total from events
      where workspace_id = ${workspace} and type like 'call.%' group by resource_id, type`,
  )
  const ended = new Map(rows.flatMap(({ id, type, total }) => (type === 'call.ended' ? [[id, total]] : [])))
  for (const id of ids) assert.equal(ended.get(id), 1, `${id}: call.ended`)
  for (const { id, type, total } of rows)
    if (type !== 'call.updated') assert.equal(total, 1, `${id}: ${type} was recorded ${total} times`)
}

async function assertCounts(pool: Pool, workspace: string): Promise<void> {
  const counted = (table: 'calls' | 'conversations', counts: 'call_counts' | 'conversation_counts') =>
    Promise.all([
      pool.many(
        sql`select status, count(*)::integer as total from ${raw(table)} where workspace_id = ${workspace}
          group by status order by status`,
      ),
      pool.many(
        sql`select status, sum(total)::integer as total from ${raw(counts)} where workspace_id = ${workspace}
          group by status having sum(total) <> 0 order by status`,
      ),
    ])
  const [calls, call_counts] = await counted('calls', 'call_counts')
  assert.deepEqual(call_counts, calls, 'call_counts')
  const [conversations, conversation_counts] = await counted('conversations', 'conversation_counts')
  assert.deepEqual(conversation_counts, conversations, 'conversation_counts')
  const { started, linked, begun, open_turns } = await pool.one<Record<string, number>>(
    sql`select count(*) filter (where started_at is not null) as started, count(distinct conversation_id) as linked,
        (select count(*) from conversations where workspace_id = ${workspace}) as begun,
        (select count(*) from conversation_turns where workspace_id = ${workspace} and is_open) as open_turns
      from calls where workspace_id = ${workspace}`,
  )
  assert.deepEqual({ linked, begun }, { linked: started, begun: started }, 'each call was dialled once')
  assert.equal(open_turns, 0, 'no turn is left open')
}

/** The same calls in two test workspaces, of which one is advanced by a server that is killed. */
async function killInAdvances(
  stack: AsyncDisposableStack,
  { holder, environment, DATA_DIR }: Served,
  { random, form }: { random: Random; form: Form },
): Promise<string> {
  const steps = Array.from({ length: form.advances }, () => between(random, 1, Math.ceil(2_400 / form.advances)))
  const newTest = async () => {
    const tenant = await withEmbeddedPool(DATA_DIR, async (pool) => {
      const tenant = await newCaller(pool)
      const service = openService(pool, readConfig(environment), () => '')
      await addTestClock(atWall(service, tenant.workspace, call_start))
      return tenant
    })
    const send = sender(holder, tenant)
    const agent_id = (await send('POST', '/agents', { name: 'Caller', script: { ...script, nodes: without_tools } })).id
    const ids: string[] = []
    for (const person of everyone)
      for (let nth = 0; nth < form.calls_each; nth += 1)
        ids.push(
          (await send('POST', '/calls', { agent_id, to: `+14155550${nth}${person}` }, `call ${nth} ${person}`)).id,
        )
    return { tenant, send, ids }
  }
  const [killed, undisturbed] = [await newTest(), await newTest()]
  let kills = 0
  for (const [index, by_seconds] of [...steps, 2_400].entries()) {
    await undisturbed.send('POST', '/test_clock/advance', { by_seconds }, `advance ${index}`)
    await untilReady(undisturbed.send)
    await killed.send('POST', '/test_clock/advance', { by_seconds }, `advance ${index}`)
    await sleep(between(random, 0, kill_in_advance_ms))
    await holder.service.kill()
    Object.assign(holder, await startHolder(stack, environment))
    if ((await killed.send('GET', '/test_clock')).status === 'advancing') kills += 1
    await withEmbeddedPool(DATA_DIR, (pool) => endLeases(pool, killed.tenant.workspace))
    await untilReady(killed.send)
  }
  for (const [index, id] of killed.ids.entries()) {
    const readAll = ({ send }: { send: Send }) => ({
      call: async (method: string, path: string) => ({ body: { data: await send(method, path) } }),
    })
    const expected = await readWhole(readAll(undisturbed), undisturbed.ids[index] ?? '')
    assert.deepEqual(await readWhole(readAll(killed), id), expected)
    assert.ok(expected.ended_at !== null)
  }
  await withEmbeddedPool(DATA_DIR, async (pool) => {
    for (const { tenant, ids } of [killed, undisturbed]) {
      await assertEvents(pool, { workspace: tenant.workspace, ids })
      await assertCounts(pool, tenant.workspace)
    }
  })
  return `${kills} kills during ${steps.length + 1} advances: the same calls as without them`
}

const { book: _, ...nodes } = script.nodes
/** A test workspace sends no requests. */
const without_tools = {
  ...nodes,
  ...Object.fromEntries(
    (['greet', 'again', 'booked'] as const).map((name) => [
      name,
      { ...nodes[name], on: answers.map((answer) => ({ ...answer, go: answer.go === 'book' ? 'booked' : answer.go })) },
    ]),
  ),
}

const untilReady = (send: Send) =>
  waitUntil('the clock is ready', async () => (await send('GET', '/test_clock')).status === 'ready')

/** Instead of waiting until they end by themselves. */
async function endLeases(pool: Pool, workspace: string): Promise<void> {
  for (const table of [sql`test_clocks`, sql`calls`])
    await pool.run(sql`update ${table} set lease_until = ${clock.iso(0)}
      where workspace_id = ${workspace} and lease_until is not null`)
}
