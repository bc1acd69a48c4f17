import { randomBytes } from 'node:crypto'
import { type Comparison, formatRow, headerLine } from '../comparison.ts'
import { openDatabase } from '../database.ts'
import { addTenant } from '../fill.ts'
import { residentMegabytes } from '../memory.ts'
import { startServer } from '../processes.ts'
import { memoryLine } from '../table.ts'
import * as analytics from './analytics.ts'
import * as lists from './lists.ts'
import * as simulated from './simulated.ts'

const memory_max_megabytes = 300

export interface Called {
  table: Comparison[]
  memory_megabytes: number
}

const method = `On this machine, from one run. Parley is one process with the API and the worker.
  calls      ${simulated.calls.toLocaleString('en')} calls to friendly simulated people wait in the queue of a new test workspace. Measures how many happen a second, from the
             request that advances the clock until the clock is ready: with turns, events and what happened on the line, without audio.
             COPY writes the same rows into copies of the same tables with the same indexes, from files, in one transaction. Median of
             ${simulated.rounds} rounds after a warm-up; they take turns.
  lists      A workspace with ${(lists.calls * lists.turns_each).toLocaleString('en')} turns in ${lists.calls.toLocaleString('en')} calls, one request at a time. Plain SQL is the page query and count(*) with the same filter,
             sent at the same time with the driver alone. Median of ${lists.samples}; they take turns.
  analytics  A workspace with ${analytics.calls.toLocaleString('en')} calls in 30 days, which were counted in the background. Plain SQL reads the calls of these days:
             the same sums, and exact medians. Beside a workspace with ${analytics.few_calls.toLocaleString('en')} calls in as many days. Median of ${analytics.samples}; they take turns.
PostgreSQL's durability settings are on. The target follows each figure.
`

/** Measures how fast simulated calls happen, and how fast calls are listed and searched. */
export async function calling(stack: AsyncDisposableStack, signal: AbortSignal): Promise<Called> {
  console.log(method)
  const database = await openDatabase(stack)
  const server = await startServer(stack, 'bin/parley.mjs', ['serve'], {
    DATABASE_URL: database.url,
    PORT: '0',
    SECRETS_KEY: randomBytes(32).toString('base64'),
    RATE_LIMIT_PER_SECOND: '0',
  })
  const table: Comparison[] = []
  const add = (row: Comparison) => {
    table.push(row)
    console.log(formatRow(row))
  }
  console.log(headerLine())
  add(await simulated.measureCalls(stack, { database, server }, signal))
  const tenant = await addTenant(database.pool, 'Lists')
  await lists.fillCalls(database, tenant, signal)
  for await (const row of lists.measureLists(stack, { database, server, tenant }, signal)) add(row)
  for await (const row of analytics.measureAnalytics(stack, { database, server }, signal)) add(row)
  const memory_megabytes = residentMegabytes(server.pid)
  console.log(`\n${memoryLine(memory_megabytes, memory_max_megabytes)}`)
  return { table, memory_megabytes }
}
