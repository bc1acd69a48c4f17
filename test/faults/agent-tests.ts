import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as clock from '../../server/kit/clock.ts'
import { openPool, type Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { withScenarioDatabase } from '../support/database.ts'
import { serveInProcess } from '../support/process.ts'
import { openClient, waitUntil } from './client.ts'
import { between } from './random.ts'
import type { RunOptions, Scenario } from './scenario.ts'
import { makeTempFolder, newTenant, startWorkerProcess, type Tenant } from './service.ts'

export const scenario: Scenario = {
  name: 'agent-tests',
  about: 'kill -9 while tests of agents run: each test has one result, each play one conversation, and every run ends',
  run,
}

/** From when the worker has a run. */
const alive_ms = { min: 0, max: 1_500 }
/** How long a model takes to answer. */
const model_takes_ms = 40
const lines = 10
const repeats = 3

const script = {
  start: 'greet',
  nodes: {
    greet: { say: 'Hello.', on: [{ hear: ['when open'], go: 'hours' }], else: { say: 'Sorry?' } },
    hours: { say: 'We open at nine.', on: [{ hear: ['when open'], go: 'hours' }], else: { say: 'Sorry?' } },
  },
}

// biome-ignore lint/suspicious/noExplicitAny: tests read any field
type Send = (method: string, path: string, body?: object) => Promise<any>

interface World {
  pool: Pool
  tenant: Tenant
  send: Send
  /** One with a script, and one with a model. */
  agents: string[]
}

async function run({ is_long, rounds, random, print }: RunOptions): Promise<void> {
  const kills = is_long ? Math.ceil(rounds / 2) : 3
  const work = async (url: string): Promise<void> => {
    await using stack = new AsyncDisposableStack()
    const folder = makeTempFolder(stack, 'agent-tests')
    const environment = {
      DATABASE_URL: url,
      DATA_DIR: path.join(folder, 'data'),
      SECRETS_KEY: randomBytes(32).toString('base64'),
      LOG_LEVEL: 'error',
      OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
      // Nobody is called.
      CARRIER_URL: 'http://127.0.0.1:9',
    }
    const world = await openWorld(stack, environment, { tests: is_long ? 150 : 30 })
    let runs = 0
    for (let round = 0; round < kills; round += 1) {
      const worker = await startWorkerProcess(stack, environment)
      runs += await keepRunning(world)
      await untilLeased(world)
      await sleep(between(random, alive_ms.min, alive_ms.max))
      await worker.kill()
      await endLeases(world)
    }
    const last = await startWorkerProcess(stack, environment)
    await waitUntil('all runs have ended', async () => (await openRuns(world)).length === 0)
    await last.stop()
    const { results, conversations } = await check(world)
    assert.ok(runs > 0)
    print(
      `${kills} kills: ${runs} runs, ${results} results, ${conversations} conversations; 0 lost, 0 doubled, 0 stuck`,
    )
  }
  await withScenarioDatabase(work)
}

async function openWorld(
  stack: AsyncDisposableStack,
  environment: Record<string, string>,
  { tests }: { tests: number },
): Promise<World> {
  const pool = openPool({ url: environment.DATABASE_URL ?? '', size: 2, onError: () => {} })
  stack.defer(() => pool.close())
  const tenant = await newTenant(pool)
  const url = await serveInProcess(stack, environment, ['--only', 'api'])
  const client = openClient(url, tenant.key)
  stack.defer(client.close)
  const send: Send = async (method, address, body) => {
    const { status, body: answer } = await client.call(method, `/api/v1${address}`, body)
    if (status >= 300) throw new Error(`${method} ${address}: ${status} ${JSON.stringify(answer)}`)
    return answer.data
  }
  const base_url = await startModel(stack)
  await send('POST', '/providers', {
    name: 'slow',
    kind: 'openai_compatible',
    base_url,
    default_model: 'small',
    api_key: 'sk',
  })
  const scripted = (await send('POST', '/agents', { name: 'Script', script })).id
  const modelled = (await send('POST', '/agents', { name: 'Model', model: { provider: 'slow', name: 'small' } })).id
  for (let number = 0; number < tests; number += 1) await addTest(send, scripted, number)
  for (let number = 0; number < tests / 5; number += 1) await addTest(send, modelled, number)
  return { pool, tenant, send, agents: [scripted, modelled] }
}

/** Every third one fails. */
const shouldPass = (number: number): boolean => number % 3 !== 0

async function addTest(send: Send, agent_id: string, number: number): Promise<void> {
  const expect = [{ type: 'says', any_of: [shouldPass(number) ? 'open at nine' : 'open at ten'] }]
  const steps = Array.from({ length: lines }, () => ({ says: 'When are you open?', expect }))
  const never = [{ type: shouldPass(number) ? 'never_says' : 'says', any_of: ['open at ten'] }]
  const person = { kind: 'simulation', person: { number: '00', seed: number }, medium: 'voice', expect: never }
  const talk = { kind: 'conversation', steps }
  await send('POST', `/agents/${agent_id}/tests`, { name: String(number), ...(number % 5 === 4 ? person : talk) })
}

/** Answers after a moment, as OpenAI's API does. */
async function startModel(stack: AsyncDisposableStack): Promise<string> {
  const head = { id: 'c', created: 0, model: 'small', object: 'chat.completion.chunk' }
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  const answer = `${chunk({ role: 'assistant', content: 'We open at nine.' })}${chunk({}, 'stop')}data: [DONE]\n\n`
  const server = http.createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    setTimeout(() => response.end(answer), model_takes_ms)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stack.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

const openRuns = ({ pool, tenant: { workspace } }: World) =>
  pool.many<{ id: string; agent_id: string }>(
    sql`select id, agent_id from test_runs where workspace_id = ${workspace} and status in ('queued', 'running')`,
  )

/** There is a run of each agent that goes on. Returns how many were begun. */
async function keepRunning(world: World): Promise<number> {
  const open = await openRuns(world)
  const idle = world.agents.filter((id) => !open.some(({ agent_id }) => agent_id === id))
  for (const id of idle) await world.send('POST', `/agents/${id}/test_runs`, { repeat: repeats })
  return idle.length
}

const untilLeased = ({ pool, tenant: { workspace } }: World): Promise<void> =>
  waitUntil('a run is leased', async () => {
    const leased = await pool.many(
      sql`select from test_runs where workspace_id = ${workspace} and lease_until > ${clock.iso(clock.wall())}`,
    )
    return leased.length > 0
  })

/** The next worker need not wait for them, nor until it is found again that something is due. */
async function endLeases({ pool, tenant: { workspace } }: World): Promise<void> {
  const ended = clock.iso(0)
  await pool.run(
    sql`update test_runs set lease_until = ${ended} where workspace_id = ${workspace} and lease_until is not null`,
  )
  await pool.run(
    sql`update due_workspaces set due_at = ${ended} where workspace_id = ${workspace} and kind = 'test_runs'`,
  )
}

interface Result {
  agent_id: string
  run_id: string
  name: string
  status: string
  runs: number
  passes: number
  conversation_ids: string[]
}

/** Compares what is stored with what the tests must give. */
async function check({
  pool,
  tenant: { workspace },
  agents,
}: World): Promise<{ results: number; conversations: number }> {
  const runs = await pool.many<{
    id: string
    tests: number
    done: number
    passed: number
    failed: number
    stuck: boolean
  }>(
    sql`select id, tests, done, passed, failed, due_at is not null or status <> 'completed' as stuck from test_runs
      where workspace_id = ${workspace}`,
  )
  const results = await pool.many<Result>(
    sql`select agent_id, run_id, name, test_run_results.status, runs, passes, conversation_ids
      from test_run_results join test_runs on test_runs.workspace_id = ${workspace} and test_runs.id = run_id
      where test_run_results.workspace_id = ${workspace}`,
  )
  const by_run = Map.groupBy(results, ({ run_id }) => run_id)
  for (const { id, tests, done, passed, failed, stuck } of runs) {
    const own = by_run.get(id) ?? []
    const count = (status: string) => own.filter((one) => one.status === status).length
    assert.equal(stuck, false, `run ${id} is stuck`)
    assert.deepEqual([own.length, done, passed, failed], [tests, tests, count('passed'), count('failed')], `run ${id}`)
  }
  for (const { name, status, passes, conversation_ids, ...result } of results) {
    assert.equal(status, shouldPass(Number(name)) ? 'passed' : 'failed', `test ${name}`)
    assert.equal(passes, status === 'passed' ? result.runs : 0)
    assert.equal(conversation_ids.length, result.runs)
  }
  const kept = await pool.many<{
    id: string
    agent_id: string
    status: string
    turn_count: number
    turns: number
    words: string
  }>(
    sql`select id, agent_id, status, turn_count, count(*) as turns, string_agg(role || text, '|' order by seq) as words
      from conversations join conversation_turns on conversation_turns.workspace_id = ${workspace} and conversation_id = id
      where conversations.workspace_id = ${workspace} group by id, agent_id, status, turn_count`,
  )
  const named = results.flatMap(({ conversation_ids }) => conversation_ids)
  assert.equal(new Set(named).size, named.length, 'a conversation belongs to two results')
  assert.deepEqual(
    kept.map(({ id }) => id).sort(),
    named.sort(),
    'each play has one conversation, and no other is kept',
  )
  for (const one of kept) assert.deepEqual([one.status, one.turns], ['closed', one.turn_count])
  // Each run of a test says the same.
  const words = new Map(kept.map((one) => [one.id, one.words]))
  for (const [test, own] of Map.groupBy(results, ({ agent_id, name }) => `${agents.indexOf(agent_id)} ${name}`))
    assert.equal(
      new Set(own.flatMap(({ conversation_ids }) => conversation_ids.map((id) => words.get(id)))).size,
      1,
      test,
    )
  const events = await pool.many<{ resource_id: string }>(
    sql`select resource_id from events where workspace_id = ${workspace} and type = 'test_run.completed'`,
  )
  assert.deepEqual(events.map(({ resource_id }) => resource_id).sort(), runs.map(({ id }) => id).sort())
  return { results: results.length, conversations: kept.length }
}
