import { randomBytes } from 'node:crypto'
import { type Comparison, formatRow, headerLine } from '../comparison.ts'
import { type Database, openDatabase } from '../database.ts'
import { addTenant } from '../fill.ts'
import { residentMegabytes } from '../memory.ts'
import { type Server, startServer } from '../processes.ts'
import type { Tenant } from '../rows.ts'
import { openClient } from '../scale/client.ts'
import { memoryLine } from '../table.ts'
import * as first_piece from './first-piece.ts'
import * as messages from './messages.ts'
import { answer_text, plain_events, type Settings } from './plain.ts'
import { measureStep } from './step.ts'
import * as threads from './threads.ts'

const conversations = 1_000
const streamed_conversations = 100
const step_max_us = 5
const memory_max_megabytes = 300

export interface Answered {
  table: Comparison[]
  step_us: number
  memory_megabytes: number
}

const method = `On this machine, from one run. Parley is one process with the API and the worker.
  messages     Another process sends one message to each of ${conversations.toLocaleString('en')} conversations, over ${messages.connections} connections, each message after the
               response to the last one on its connection. Measures how many are answered a second, until the last answer of the
               scripted agent is recorded. The plain handler (Fastify and pg) inserts both turns and both events in one
               transaction per message. Median of ${messages.rounds} rounds after a warm-up; the two servers take turns.
  first piece  ${streamed_conversations} conversations, each with an open stream, get a message at once. Measures from the message to the first
               turn.delta. A model server in another process sends its first piece after 50 ms, and ten in all, 20 ms apart. The bare
               proxy (node:http) passes ${streamed_conversations} requests at once to the same model server. Median of ${first_piece.rounds} medians; they take turns.
  threads      A workspace with ${(threads.big_conversations * threads.turns_each).toLocaleString('en')} turns in ${threads.big_conversations.toLocaleString('en')} conversations beside one with ${(threads.small_conversations * threads.turns_each).toLocaleString('en')} in ${threads.small_conversations}, one request at a time.
               Median of ${threads.samples} requests to each; they take turns.
  step         The median time of one step of the engine that decides what happens in a conversation, over whole conversations.
PostgreSQL's durability settings are on. The target follows each figure.
`

/** Measures how fast agents answer, and how fast conversations are read. */
export async function answering(stack: AsyncDisposableStack, signal: AbortSignal): Promise<Answered> {
  console.log(method)
  const step_us = measureStep()
  const database = await openDatabase(stack)
  const server = await startServer(stack, 'bin/parley.mjs', ['serve'], {
    DATABASE_URL: database.url,
    PORT: '0',
    SECRETS_KEY: randomBytes(32).toString('base64'),
    RATE_LIMIT_PER_SECOND: '0',
    OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
  })
  const table: Comparison[] = []
  const add = (row: Comparison) => {
    table.push(row)
    console.log(formatRow(row))
  }
  console.log(headerLine())
  add(await answerMessages(stack, { database, server }, signal))
  add(await streamAnswers(stack, { database, server }, signal))
  const memory_megabytes = residentMegabytes(server.pid)
  const [big, small] = [await addTenant(database.pool, 'Big'), await addTenant(database.pool, 'Small')]
  await threads.fillThreads(database, big, small, signal)
  for await (const row of threads.measureThreads(stack, { server, big, small }, signal)) add(row)
  const verdict = step_us < step_max_us ? 'met' : 'missed'
  console.log(`\nOne step of the engine: ${step_us.toFixed(2)} µs (target: below ${step_max_us} µs, ${verdict}).`)
  console.log(memoryLine(memory_megabytes, memory_max_megabytes))
  return { table, step_us, memory_megabytes }
}

interface Bench {
  database: Database
  server: Server
}

async function answerMessages(
  stack: AsyncDisposableStack,
  { database: { pool, url }, server }: Bench,
  signal: AbortSignal,
): Promise<Comparison> {
  const [tenant, plain_tenant] = [await addTenant(pool, 'Messages'), await addTenant(pool, 'Plain')]
  for (const each of [tenant, plain_tenant]) {
    const { token } = each
    const agent_id = await createAgent(openClient(stack, server.port, token), { script })
    const body = { agent_id }
    each.ids = await messages.createConversations(server, pool, { tenant: each, count: conversations, body })
  }
  await pool.script(plain_events)
  const settings: Settings = { database_url: url, workspace_id: plain_tenant.workspace_id, turns: 1 }
  const plain = await startServer(stack, 'bench/agents/plain.ts', [], {}, settings)
  const bench = { pool, ours: { server, tenant }, plain: { server: plain, tenant: plain_tenant } }
  return messages.measureMessages(bench, signal)
}

/** Says the same words again and again. */
export const script = {
  start: 'greet',
  nodes: {
    greet: {
      say: 'Hello, how can I help?',
      on: [
        { hear: ['opening hours', 'when are you open'], go: 'hours' },
        { intent: 'human', go: '@hand_over' },
      ],
    },
    hours: {
      say: answer_text,
      on: [
        { hear: ['opening hours', 'when are you open'], go: 'hours' },
        { intent: 'human', go: '@hand_over' },
      ],
    },
  },
}

async function streamAnswers(
  stack: AsyncDisposableStack,
  { database: { pool }, server }: Bench,
  signal: AbortSignal,
): Promise<Comparison> {
  const model = await startServer(stack, 'bench/agents/model.ts', [], {})
  const proxy = await startServer(stack, 'bench/agents/proxy.ts', [], {}, { port: model.port })
  const tenant: Tenant = await addTenant(pool, 'Streams')
  const client = openClient(stack, server.port, tenant.token)
  const provider = { name: 'bench', kind: 'openai_compatible', base_url: `http://127.0.0.1:${model.port}/v1` }
  await client.send('POST', '/api/v1/providers', { ...provider, default_model: 'small', api_key: 'sk-bench' })
  const agent_id = await createAgent(client, { model: { provider: 'bench', name: 'small' } })
  const body = { agent_id }
  tenant.ids = await messages.createConversations(server, pool, { tenant, count: streamed_conversations, body })
  return first_piece.measureFirstPiece(stack, { pool, server, proxy, tenant }, signal)
}

export async function createAgent(client: ReturnType<typeof openClient>, configuration: object): Promise<string> {
  const { data } = await client.send('POST', '/api/v1/agents', { name: 'Reception', ...configuration })
  return data.id
}
