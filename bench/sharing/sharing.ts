import { randomBytes } from 'node:crypto'
import { createAgent, script } from '../agents/agents.ts'
import * as messages from '../agents/messages.ts'
import { type Database, openDatabase } from '../database.ts'
import { addTenant, fill } from '../fill.ts'
import { residentMegabytesOfEach } from '../memory.ts'
import { type Server, startLoad, startServer } from '../processes.ts'
import type { Tenant } from '../rows.ts'
import { openClient } from '../scale/client.ts'
import { median } from '../table.ts'

const conversations = 1_000
const rounds = 5
const warm_up_ms = 3_000
const measured_ms = 2_000
const gets = ['get by id', 'get by id over 64 workspaces']

export interface Shared {
  processes: number
  /** By the name of the row, a second. */
  rates: Record<string, number>
  memory_megabytes: number[]
}

const method = `With one process and with several, one after the other, on this machine, which also runs PostgreSQL and the clients.
Gets come from another process with 64 connections, with 100,000 contacts. Messages go to ${conversations.toLocaleString('en')} conversations over ${messages.connections} connections, until
the last answer of the scripted agent is recorded. Medians of ${rounds} rounds after a warm-up. PostgreSQL's durability settings are on.
`

/** Measures what `serve --processes` gains, and what each process needs. */
export async function sharing(stack: AsyncDisposableStack, signal: AbortSignal, count: number): Promise<Shared[]> {
  console.log(method)
  const database = await openDatabase(stack)
  const tenants = await fill(database.pool, signal)
  const measureLoad = startLoad(stack, tenants, signal)
  const table: Shared[] = []
  for (const processes of new Set([1, count])) {
    await using serving = new AsyncDisposableStack()
    const server = await startServer(serving, 'bin/parley.mjs', ['serve', '--processes', String(processes)], {
      DATABASE_URL: database.url,
      PORT: '0',
      SECRETS_KEY: randomBytes(32).toString('base64'),
      RATE_LIMIT_PER_SECOND: '0',
      LOG_LEVEL: 'warn',
    })
    const rates: Record<string, number> = {}
    for (const row of gets) {
      const job = { row, port: server.port, warm_up_ms, measured_ms, has_own_responses: true }
      rates[row] = await medianOf(rounds, async () => (await measureLoad(job)).per_second)
    }
    rates.messages = await measureMessages(serving, database, { server, name: `Messages ${processes}` }, signal)
    const shared = { processes, rates, memory_megabytes: residentMegabytesOfEach(server.pid) }
    console.log(format(shared))
    table.push(shared)
  }
  return table
}

async function measureMessages(
  stack: AsyncDisposableStack,
  { pool }: Database,
  { server, name }: { server: Server; name: string },
  signal: AbortSignal,
): Promise<number> {
  const tenant: Tenant = await addTenant(pool, name)
  const agent_id = await createAgent(openClient(stack, server.port, tenant.token), { script })
  tenant.ids = await messages.createConversations(server, pool, { tenant, count: conversations, body: { agent_id } })
  const requests = messages.messagesTo(tenant)
  const measure = () => messages.answersPerSecond(pool, { server, tenant }, requests, signal)
  await medianOf(messages.warm_up_rounds, measure)
  return medianOf(rounds, measure)
}

async function medianOf(count: number, measure: () => Promise<number>): Promise<number> {
  const figures: number[] = []
  while (figures.length < count) figures.push(await measure())
  return median(figures)
}

function format({ processes, rates, memory_megabytes }: Shared): string {
  const lines = Object.entries(rates).map(
    ([name, rate]) => `  ${name.padEnd(32)}${Math.round(rate).toLocaleString('en').padStart(9)} a second`,
  )
  const memory = `  peak memory of each             ${memory_megabytes.map((megabytes) => `${megabytes} MB`).join(', ')}`
  return [processes === 1 ? '1 process' : `${processes} processes`, ...lines, memory, ''].join('\n')
}
