import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAgent, script } from '../agents/agents.ts'
import { addOthers, openMeasure } from '../campaigns/others.ts'
import { atLeast, atMost, type Comparison, formatRow, headerLine } from '../comparison.ts'
import { openDatabase } from '../database.ts'
import { addTenant } from '../fill.ts'
import { residentMegabytes } from '../memory.ts'
import { startServer } from '../processes.ts'
import { type Client, openClient } from '../scale/client.ts'
import { median, memoryLine } from '../table.ts'

const tests = 100
const lines = 10
const rounds = 5
const run_max_ms = 5_000
const gets_ratio_min = 0.5
const pause_max_ms = 250
const runs_at_once = 5
const poll_every_ms = 20
const memory_max_megabytes = 400

export interface Tested {
  table: Comparison[]
  memory_megabytes: number
}

const method = `On this machine, from one run. Parley is one process with the API and the worker.
  run      ${tests} scripted tests, in each of which the contact says ${lines} lines, and each line has an expectation. Measures from the request that
           creates the run until it is completed, by a client that asks every ${poll_every_ms} ms. Median of ${rounds} rounds after a warm-up.
  others   Gets a second of other workspaces from another process with 64 connections, and the longest of single gets, while a workspace has ${runs_at_once}
           such runs at all times, beside those without runs.
PostgreSQL's durability settings are on. The target follows each figure.
`

/** Measures how long tests of agents take, and what other workspaces notice of it. */
export async function testing(stack: AsyncDisposableStack, signal: AbortSignal): Promise<Tested> {
  console.log(method)
  const database = await openDatabase(stack)
  const server = await startServer(stack, 'bin/parley.mjs', ['serve'], {
    DATABASE_URL: database.url,
    PORT: '0',
    SECRETS_KEY: randomBytes(32).toString('base64'),
    RATE_LIMIT_PER_SECOND: '0',
  })
  const tenant = await addTenant(database.pool, 'Tests')
  const client = openClient(stack, server.port, tenant.token)
  const agent_id = await createAgent(client, { script })
  await addTests(client, agent_id)
  const table: Comparison[] = []
  const add = (row: Comparison) => {
    table.push(row)
    console.log(formatRow(row))
  }
  console.log(headerLine())
  const times: number[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const begun_at = performance.now()
    await playAll(client, agent_id, signal)
    // The first round warms up.
    if (round > 0) times.push(performance.now() - begun_at)
  }
  add(atMost('ms for a run, beside the limit', median(times), run_max_ms, 1))
  const others = await addOthers(database.pool)
  const measure = await openMeasure(stack, { server, others, signal })
  const alone = await measure.gets(() => true)
  let is_over = false
  const running = Array.from({ length: runs_at_once }, async () => {
    const own = openClient(stack, server.port, tenant.token)
    while (!is_over) await playAll(own, agent_id, signal)
  })
  const during = await measure.gets(() => true)
  const longest = await measure.longest(() => true)
  is_over = true
  await Promise.all(running)
  add(atLeast('gets a second during runs, beside none', during, alone, gets_ratio_min))
  add(atMost('longest get in ms during them, beside the limit', longest, pause_max_ms, 1))
  const memory_megabytes = residentMegabytes(server.pid)
  console.log(`\n${memoryLine(memory_megabytes, memory_max_megabytes)}`)
  return { table, memory_megabytes }
}

async function addTests(client: Client, agent_id: string): Promise<void> {
  const expect = [{ type: 'says', any_of: ['from nine to six'] }]
  const steps = Array.from({ length: lines }, () => ({ says: 'Hello, when are you open?', expect }))
  for (let number = 1; number <= tests; number += 1)
    await client.send('POST', `/api/v1/agents/${agent_id}/tests`, {
      name: `Test ${number}`,
      kind: 'conversation',
      steps,
    })
}

/** Waits until all have passed. */
async function playAll(client: Client, agent_id: string, signal: AbortSignal): Promise<void> {
  const { id } = (await client.send('POST', `/api/v1/agents/${agent_id}/test_runs`, {})).data
  for (;;) {
    const { data } = await client.get(`/api/v1/agents/${agent_id}/test_runs?limit=10`)
    const run = data.find((one: { id: string }) => one.id === id)
    if (run?.status === 'completed') {
      if (run.passed !== tests) throw new Error(`${run.passed} of ${tests} tests have passed`)
      return
    }
    await sleep(poll_every_ms, undefined, { signal })
  }
}
