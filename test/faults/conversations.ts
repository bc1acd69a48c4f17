import assert from 'node:assert/strict'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, NoResponse, openClient } from './client.ts'
import { between, type Random, split } from './random.ts'
import { type Holder, killRepeatedly, startHolder } from './restarts.ts'
import type { RunOptions, Scenario } from './scenario.ts'
import { makeTempFolder, newTenant, type Service, type Tenant, withEmbeddedPool } from './service.ts'

export const scenario: Scenario = {
  name: 'conversations',
  about: 'kill -9 while agents answer: each message is answered once, and no tool with side effects runs twice',
  run,
}

const messages = ['book it, please', 'look it up, please', 'book it, please']
/** After the last start of the service everything is answered within this time. */
const answer_max_ms = 60_000
const kill_after_ms = { min: 300, max: 2_500 }
const tool_takes_max_ms = 150

/** `book` has side effects, `look` has none. Each message runs one of them. */
const script = {
  start: 'wait',
  nodes: {
    wait: {
      say: 'What shall I do?',
      on: [
        { hear: ['book it'], go: 'book' },
        { hear: ['look it up'], go: 'look' },
      ],
    },
    book: { tool: 'book', ok: 'booked', failed: 'booked' },
    look: { tool: 'look', ok: 'looked', failed: 'looked' },
    booked: { say: 'Booked.', go: 'wait' },
    looked: { say: 'Looked.', go: 'wait' },
  },
}

export interface ToolCall {
  id: string
  tool: string
  conversation_id: string
}

async function run({ is_long, random, print }: RunOptions): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const DATA_DIR = path.join(makeTempFolder(stack, 'conversations'), 'data')
  const calls: ToolCall[] = []
  const tool_url = await startToolServer(stack, calls, split(random))
  const environment = { DATA_DIR, OUTBOUND_ALLOW_HOSTS: '127.0.0.1', LOG_LEVEL: 'silent' }
  const holder = await startHolder(stack, environment)
  const tenant = await withEmbeddedPool(DATA_DIR, newTenant)
  const agent_id = await setUp(holder.service, tenant, tool_url)
  const count = is_long ? 200 : 60
  let is_done = false
  const talking = Promise.all(
    Array.from({ length: count }, (_, index) => talk(holder, tenant, { agent_id, index })),
  ).finally(() => {
    is_done = true
  })
  talking.catch(() => {})
  const kills_max = is_long ? 12 : 2
  const options = { environment, random, kills_max, after_ms: kill_after_ms, isDone: () => is_done }
  const kills = await killRepeatedly(stack, holder, options)
  const ids = await talking
  assert.ok(kills > 0)
  await check(holder.service, tenant, { ids, calls })
  const runs = calls.length
  print(`${kills} kills: ${count * messages.length} messages answered once each, ${runs} requests to tools`)
  await holder.service.stop()
}

const assertInTime = ({ started_at }: Holder, message: string): void =>
  assert.ok(performance.now() - started_at < answer_max_ms, message)

/** Records the requests to tools. */
export async function startToolServer(stack: AsyncDisposableStack, calls: ToolCall[], random: Random): Promise<string> {
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      calls.push(JSON.parse(Buffer.concat(chunks).toString()))
      setTimeout(() => response.writeHead(200).end('done'), between(random, 0, tool_takes_max_ms))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stack.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/tool`
}

async function setUp({ url }: Service, { key }: Tenant, tool_url: string): Promise<string> {
  const client = openClient(url, key)
  const make = async (path: string, body: object) => {
    const { status, body: answer } = await client.call('POST', `/api/v1${path}`, body)
    assert.equal(status, 201, JSON.stringify(answer))
    return answer.data.id
  }
  await make('/tools', { name: 'book', url: tool_url, has_side_effects: true })
  await make('/tools', { name: 'look', url: tool_url, has_side_effects: false })
  const id = await make('/agents', { name: 'Reception', script, tools: ['book', 'look'] })
  client.close()
  return id
}

interface Talk {
  agent_id: string
  index: number
}

/** Holds one conversation, through all restarts. Returns its id. */
async function talk(holder: Holder, tenant: Tenant, { agent_id, index }: Talk): Promise<string> {
  const send = (method: string, path: string, body?: object, key?: string) =>
    sendUntilAnswered(holder, tenant, { method, path: `/api/v1${path}`, body, key })
  const { id } = await send('POST', '/conversations', { agent_id }, `begin ${index}`)
  let seq = await waitForAnswer(holder, send, id, 0)
  for (const [nth, text] of messages.entries()) {
    const turn = await send('POST', `/conversations/${id}/messages`, { text }, `say ${index} ${nth}`)
    assert.ok(turn.seq > seq)
    seq = await waitForAnswer(holder, send, id, turn.seq)
  }
  return id
}

// biome-ignore lint/suspicious/noExplicitAny: tests read any field
type Send = (method: string, path: string, body?: object, key?: string) => Promise<any>

/** Returns the number of the agent's turn. Turns that a kill has interrupted don't count. */
async function waitForAnswer(holder: Holder, send: Send, id: string, after: number): Promise<number> {
  for (;;) {
    const turns = await send('GET', `/conversations/${id}/turns?after=${after}&wait_ms=2000`)
    const answer = turns.find((turn: TurnLike) => turn.role === 'agent' && !turn.is_interrupted)
    if (answer) return answer.seq
    assertInTime(holder, `no answer after turn ${after} of ${id}`)
  }
}

interface Request {
  method: string
  path: string
  body: object | undefined
  key: string | undefined
}

/** The same idempotency key each time, so that it happens once. */
async function sendUntilAnswered(holder: Holder, tenant: Tenant, { method, path, body, key }: Request) {
  for (;;) {
    const client: Client = openClient(holder.service.url, tenant.key)
    try {
      const { status, body: answer } = await client.call(method, path, body, key ? { 'idempotency-key': key } : {})
      if (status < 300) return answer.data
      assert.ok(status >= 500 || status === 409, JSON.stringify(answer))
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error
    } finally {
      client.close()
    }
    assertInTime(holder, `${method} ${path} was not answered`)
    await sleep(100)
  }
}

interface TurnLike {
  seq: number
  role: string
  text: string
  is_interrupted: boolean
  tools: { id: string; name: string; status: string }[]
}

async function check(
  { url }: Service,
  { key }: Tenant,
  { ids, calls }: { ids: string[]; calls: ToolCall[] },
): Promise<void> {
  const client = openClient(url, key)
  const requests = Map.groupBy(calls, ({ id }) => id)
  for (const id of ids) {
    const { body } = await client.call('GET', `/api/v1/conversations/${id}/turns?limit=100`)
    const turns: TurnLike[] = body.data
    const said = turns.filter(({ role }) => role === 'contact')
    const answers = turns.filter(({ role, is_interrupted }) => role === 'agent' && !is_interrupted)
    assert.deepEqual(
      said.map(({ text }) => text),
      messages,
    )
    assert.equal(answers.length, messages.length + 1, `${id}: each message is answered once, after the greeting`)
    const runs = turns.flatMap(({ tools }) => tools)
    assert.deepEqual(
      runs.map(({ name }) => name),
      ['book', 'look', 'book'],
      id,
    )
    for (const { id: run, name } of runs)
      if (name === 'book') assert.ok((requests.get(run)?.length ?? 0) <= 1, `${run} was sent once`)
    const booked = calls.filter((call) => call.conversation_id === id && call.tool === 'book').length
    assert.ok(booked <= 2, `${id}: booked ${booked} times`)
  }
  client.close()
}
