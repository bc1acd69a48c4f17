import { randomBytes } from 'node:crypto'
import { type Comparison, formatRow, headerLine } from '../comparison.ts'
import { openDatabase } from '../database.ts'
import { residentMegabytes } from '../memory.ts'
import { startServer } from '../processes.ts'
import { memoryLine } from '../table.ts'
import * as dispatch from './dispatch.ts'
import * as enrolling from './enrolling.ts'
import * as others from './others.ts'
import { measureSimulation } from './simulation.ts'

export const contacts_by_default = 100_000
const memory_max_megabytes = 500

export interface Campaigned {
  table: Comparison[]
  /** After the simulation. */
  memory_megabytes: number
}

const method = (contacts: number) => `On this machine, from one run. Parley is one process with the API and the worker.
  simulation  A campaign calls ${contacts.toLocaleString('en')} contacts in a test workspace, whose clock is advanced by two weeks at once. Measures the rows of calls,
              turns, events, attempts and enrollments a second, from the request until the clock is ready. COPY writes the same rows into
              copies of the same tables with the same indexes, from files, in one transaction.
  enrolling   ${contacts.toLocaleString('en')} contacts by a filter, until all are enrolled. Beside it one insert ... select into a copy of the table with the same
              indexes. Median of ${enrolling.rounds} rounds after a warm-up; they take turns.
  attempts    ${dispatch.campaigns} live campaigns with ${dispatch.contacts.toLocaleString('en')} contacts each, from the request that starts them until all attempts have begun, while the calls go on.
              Beside it a loop on one connection that claims one enrollment and inserts one call in a transaction.
  others      Gets a second of other workspaces from another process with 64 connections, and the longest of single gets, while a live
              campaign begins ${others.starts_per_second} attempts a second, and while a test clock is advanced by two weeks.
PostgreSQL's durability settings are on. The target follows each figure.
`

/** Measures how fast campaigns are simulated, enroll and call, and what other workspaces notice of it. */
export async function campaigning(
  stack: AsyncDisposableStack,
  signal: AbortSignal,
  contacts: number,
): Promise<Campaigned> {
  console.log(method(contacts))
  const database = await openDatabase(stack)
  const server = await startServer(stack, 'bin/parley.mjs', ['serve'], {
    DATABASE_URL: database.url,
    PORT: '0',
    SECRETS_KEY: randomBytes(32).toString('base64'),
    RATE_LIMIT_PER_SECOND: '0',
  })
  const bench = { database, server }
  const table: Comparison[] = []
  const add = (row: Comparison) => {
    table.push(row)
    console.log(formatRow(row))
  }
  console.log(headerLine())
  add(await measureSimulation(stack, bench, { contacts, signal }))
  const memory_megabytes = residentMegabytes(server.pid)
  add(await enrolling.measureEnrolling(stack, bench, { contacts, signal }))
  for await (const row of others.measureOthers(stack, bench, { contacts, signal })) add(row)
  add(await dispatch.measureDispatch(stack, bench, signal))
  console.log(`\n${memoryLine(memory_megabytes, memory_max_megabytes)}`)
  return { table, memory_megabytes }
}
