import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { newTool } from '../../support/samples.ts'
import { answerInChunksOfOneByte, inChunksOfOneByte } from '../../support/small-chunks.ts'
import { openClient } from '../client.ts'
import { newTenant, withEmbeddedPool } from '../service.ts'
import type { Attack, AttackWorld } from './attack.ts'
import { type Answer, listen } from './listen.ts'
import { open as openCall, openTalker } from './live-calls.ts'

const kilobytes = { long: 20_000, short: 150 }
const at_once = { long: 20, short: 4 }
const events = { long: 100, short: 5 }
const poll_every_ms = 100
const polls_max = 600
/** A workspace may test one tool a second. */
const test_every_ms = 1_000
const spoken_ms = 5_000

const formOf = ({ is_long }: AttackWorld) => (is_long ? 'long' : 'short')

/** As long as a document may be. No other answer may be as long. */
const answerAs =
  (world: AttackWorld, type: string, line: string): Answer =>
  (response) =>
    answerInChunksOfOneByte(response, {
      type,
      body: line.repeat(1_000 / line.length),
      times: kilobytes[formOf(world)],
    })

type Call = (method: string, path: string, body?: object) => Promise<{ status: number; body: Answered }>
// biome-ignore lint/suspicious/noExplicitAny: tests read any field
type Answered = any

function open({ stack, url, attacker }: AttackWorld): {
  call: Call
  create: (path: string, body: object) => Promise<Answered>
} {
  const client = openClient(url, attacker.key)
  stack.defer(client.close)
  const call: Call = (method, path, body) => client.call(method, `/api/v1${path}`, body)
  return {
    call,
    async create(path, given) {
      const { status, body } = await call('POST', path, given)
      assert.ok(status === 201 || status === 202, `${path}: ${status} ${JSON.stringify(body)}`)
      return body.data
    },
  }
}

/** Each reads the answers of a server that sends one byte in each chunk. */
const readers: Record<string, (world: AttackWorld) => Promise<void>> = {
  async 'a document by URL'(world) {
    const { call, create } = open(world)
    const url = `${await listen(world.stack, answerAs(world, 'text/plain', 'We open. '))}/page`
    const { id } = await create('/documents', { name: 'Chunks', url })
    for (let polls = 0; polls < polls_max; polls += 1) {
      const { data } = (await call('GET', `/documents/${id}`)).body
      if (data.status === 'processing') await sleep(poll_every_ms)
      else return assert.deepEqual([data.status, /chunks/.test(data.error)], ['failed', true], data.error)
    }
    assert.fail('the document is still processing')
  },
  async 'lists of MCP tools'(world) {
    for (const type of ['application/json', 'text/event-stream']) {
      const url = `${await listen(world.stack, answerAs(world, type, ': 345678\n'))}/`
      const tool = { kind: 'mcp', name: `chunks_${type.length}`, url, timeout_ms: 10_000 }
      const { call, create } = open(world)
      const { id } = await create('/tools', tool)
      const { status, body } = await call('GET', `/tools/${id}/mcp_tools`)
      assert.ok(status === 200 && body.data.error, JSON.stringify(body))
    }
  },
  async webhooks(world) {
    const { create, call } = open(world)
    const ids: string[] = []
    const url = `${await listen(world.stack, answerAs(world, 'text/plain', 'ok'))}/hook`
    for (let index = 0; index < at_once[formOf(world)]; index += 1)
      ids.push((await create('/webhooks', { url, events: ['contact.created'] })).id)
    for (let index = 0; index < events[formOf(world)]; index += 1)
      await create('/contacts', { phone_number: `+1415666${1_000 + index}` })
    await sleep(2_000)
    for (const id of ids) assert.equal((await call('DELETE', `/webhooks/${id}`)).status, 200)
  },
  async 'tests of providers'(world) {
    const { call } = open(world)
    const { id } = await newProvider(world, 'application/json')
    const { status, body } = await call('POST', `/providers/${id}/test`)
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(body.data.is_ok, false)
  },
  async 'answers of models'(world) {
    const provider = await newProvider(world, 'text/event-stream')
    const { id: agent_id } = await open(world).create('/agents', {
      name: 'Chunks',
      model: { provider: provider.name, name: 'small' },
    })
    await Promise.all(
      Array.from({ length: at_once[formOf(world)] / 2 }, async () => {
        const { call, create } = open(world)
        const { id } = await create('/conversations', { agent_id, message: 'Hello' })
        const { body } = await call('GET', `/conversations/${id}/turns?after=1&wait_ms=30000`)
        assert.equal(body.data[0]?.role, 'agent', JSON.stringify(body))
        assert.equal((await call('POST', `/conversations/${id}/close`)).status, 200)
      }),
    )
  },
  async 'results of tools'(world) {
    const { call, create } = open(world)
    const url = `${await listen(world.stack, answerAs(world, 'application/json', ' 2345678\n'))}/`
    const { id } = await create('/tools', newTool({ url }))
    for (let tests = 0; tests < at_once[formOf(world)] / 4; tests += 1) {
      await sleep(test_every_ms)
      const { body } = await call('POST', `/tools/${id}/test`, { arguments: { day: 'tue' } })
      assert.equal(body.data?.status, 200, JSON.stringify(body))
    }
  },
  async embeddings(shared) {
    const world = await withNewTenant(shared)
    await newProvider(world, 'application/json', { name: 'Vectors', embedding_model: 'small' })
    const { id } = await open(world).create('/documents', { name: 'Hours', text: 'We open at nine.' })
    const { call } = open(world)
    while ((await call('GET', `/documents/${id}`)).body.data.status === 'processing') await sleep(poll_every_ms)
    const statuses = await Promise.all(
      Array.from({ length: at_once[formOf(world)] }, async () => {
        const { status, body } = await open(world).call('GET', '/documents/search?query=open')
        if (status === 200) assert.equal(body.data.passages.length, 1)
        else assert.equal(status, 503)
        return status
      }),
    )
    assert.ok(statuses.includes(200))
  },
  async speech(shared) {
    const world = await withNewTenant(shared)
    let requests = 0
    const answer = answerAs(world, 'audio/pcm', 'sounds\0\0')
    const base_url = await listen(world.stack, (response, body) => {
      requests += 1
      answer(response, body)
    })
    const place = await openTalker(world, world.attacker, {
      provider: { base_url: `${base_url}/v1` },
      speaks: true,
      greeting: 'Hello, and thank you for calling. How can I help you today?',
    })
    await Promise.all(
      Array.from({ length: at_once[formOf(world)] / 2 }, async () => {
        const client = await openCall(world.stack, await place())
        assert.ok(client)
        await sleep(spoken_ms)
        client.send({ type: 'end' })
        await client.closed
      }),
    )
    assert.ok(requests > 0)
    world.print(`${requests} requests to speak`)
  },
}

/** A workspace may have few providers. */
const withNewTenant = async (world: AttackWorld): Promise<AttackWorld> => ({
  ...world,
  attacker: await withEmbeddedPool(world.data_dir, (pool) => newTenant(pool)),
})

async function newProvider(
  world: AttackWorld,
  type: string,
  fields: object = {},
): Promise<{ id: string; name: string }> {
  const base_url = `${await listen(world.stack, answerAs(world, type, ': 345678\n'))}/v1`
  const name = `Chunks of ${type}`
  const provider = { name, kind: 'openai_compatible', base_url, default_model: 'small', api_key: null }
  return open(world).create('/providers', { ...provider, ...fields })
}

const part = 'Content-Disposition: form-data; name="file"; filename="a.txt"'

/** Each sends a body with one byte in each chunk. */
const requests: Record<string, (bytes: number) => { path: string; type: string; body: string }> = {
  uploads: (bytes) => ({
    path: '/api/v1/documents',
    type: 'multipart/form-data; boundary=xx',
    body: `--xx\r\n${part}\r\n\r\n${'We open. '.repeat(bytes / 9)}\r\n--xx--\r\n`,
  }),
  'bodies of JSON': (bytes) => ({
    path: '/api/v1/contacts',
    type: 'application/json',
    body: `{"phone_number":"${'1'.repeat(bytes)}"}`,
  }),
  'sign-ins without a key': (bytes) => ({
    path: '/app/session',
    type: 'application/json',
    body: `{"email":"${'1'.repeat(bytes)}"}`,
  }),
}
const request_bytes = { long: 900_000, short: 50_000 }
/** What arrives with the first read of each connection is parsed in one turn. */
const requests_at_once = { long: 10, short: 4 }

async function send({ stack, url, attacker }: AttackWorld, path: string, type: string, chunks: Buffer): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = net.connect(Number(port), hostname)
  socket.on('error', () => {})
  stack.defer(() => void socket.destroy())
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    `Origin: ${url}`,
    `Authorization: Bearer ${attacker.key}`,
    `Content-Type: ${type}`,
    'Transfer-Encoding: chunked',
    'Connection: close',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  socket.write(chunks)
  const [answer] = await once(socket, 'data')
  assert.match(String(answer), /^HTTP\/1.1 [24]/)
  if (!socket.destroyed) await once(socket.resume(), 'close')
}

export const attacks: Attack[] = [
  ...Object.entries(readers).map(([name, run]) => ({ name: `chunks of one byte: ${name}`, run })),
  ...Object.entries(requests).map(([name, request]) => ({
    name: `chunks of one byte: ${name}`,
    async run(world: AttackWorld) {
      const { path, type, body } = request(request_bytes[formOf(world)])
      const chunks = inChunksOfOneByte(body)
      await world.beginMeasuring()
      await Promise.all(Array.from({ length: requests_at_once[formOf(world)] }, () => send(world, path, type, chunks)))
    },
  })),
]
