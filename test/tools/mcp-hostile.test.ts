import assert from 'node:assert/strict'
import type http from 'node:http'
import { test } from 'node:test'
import { newId } from '../../server/kit/id.ts'
import type { ListedMcpTools } from '../../server/tools/mcp-schema.ts'
import { findOffered, readForVersion } from '../../server/tools/mcp-tools.ts'
import { callTool } from '../../server/tools/run.ts'
import { type Answer, serve, type Tenant } from '../support/harness.ts'
import { find_customer, type McpTool, mcpServer, rawMcpServer, respond } from '../support/mcp-servers.ts'
import { receiver, respondWith } from '../support/receivers.ts'

const server = await serve({ outbound_allow_hosts: ['127.0.0.1'] })
const { workspace, at } = server

async function add(tenant: Tenant, url: string, fields: object = {}): Promise<string> {
  const created = await tenant.call('POST', '/tools', { kind: 'mcp', name: 'crm', url, ...fields })
  assert.equal(created.status, 201, created.text)
  return created.body.data.id
}

async function list(url: string, fields: object = {}): Promise<Answer> {
  const tenant = await workspace()
  return tenant.call('GET', `/tools/${await add(tenant, url, fields)}/mcp_tools`)
}

const toolsOf = ({ body }: Answer): ListedMcpTools => body.data

/** Calls a tool as an agent would whose version has it as `kept` lists it. */
async function call(url: string, values: Record<string, unknown>, fields: object = {}, signal?: AbortSignal) {
  const name = 'crm__find'
  const tenant = await workspace()
  await add(tenant, url, fields)
  const kept = await readForVersion(at(tenant.id), [name])
  const [tool] = await findOffered(at(tenant.id), [name], kept)
  assert.ok(tool)
  const run = { run_id: newId(), arguments: values, conversation_id: null, contact_id: null, agent_id: null }
  return callTool(at(tenant.id), tool, { ...run, ...(signal && { signal }) })
}

function assertNotListed({ status, body }: Answer, message: RegExp): void {
  assert.deepEqual([status, body.data?.tools], [200, []])
  assert.match(body.data.error, message)
}

const many = (count: number): McpTool[] =>
  Array.from({ length: count }, (_, index) => ({ name: `tool_${index}`, inputSchema: { type: 'object' as const } }))

test('of 10,000 tools in pages, the first 500 are read', async () => {
  const there = await mcpServer({ tools: many(10_000), page_size: 200 })
  const { tools, has_more } = toolsOf(await list(there.url))
  assert.deepEqual([tools.length, tools.at(-1)?.name, has_more], [500, 'crm__tool_499', true])
  const pages = there.received.filter(({ body }) => body.includes('"tools/list"'))
  assert.equal(pages.length, 3)
})

test('10,000 tools at once are refused', async () => {
  const there = await mcpServer({ tools: many(10_000), page_size: 10_000 })
  assertNotListed(await list(there.url), /too many values/)
})

test('500 tools have no more, 501 have', async () => {
  const more = async (count: number) => toolsOf(await list((await mcpServer({ tools: many(count) })).url)).has_more
  assert.deepEqual([await more(500), await more(501)], [false, true])
})

test('a list whose pages never end is read to a limit', async () => {
  const there = await rawMcpServer({
    'tools/list': (asked, response) => respond(response, asked, { tools: [], nextCursor: 'again' }),
  })
  const { tools, has_more } = toolsOf(await list(there.url))
  assert.deepEqual([tools, has_more], [[], true])
  assert.ok(there.received.length < 60)
})

/** Sends zeros until the other side has had enough, and returns how many bytes it took. */
function flood(response: http.ServerResponse, bytes: number): Promise<number> {
  const piece = Buffer.alloc(64 * 1024, '0')
  let sent = 0
  return new Promise((resolve) => {
    response.on('close', () => resolve(sent))
    const send = (): void => {
      while (sent < bytes && !response.destroyed) {
        sent += piece.length
        if (!response.write(piece)) return void response.once('drain', send)
      }
      response.end()
    }
    send()
  })
}

for (const type of ['application/json', 'text/event-stream']) {
  test(`an answer of 100 MB as ${type} is cut off`, async () => {
    const floods: Promise<number>[] = []
    const there = await rawMcpServer({
      'tools/list': (asked, response) => respond(response, asked, { tools: [find_customer] }),
      'tools/call': ({ id }, response) => {
        response.writeHead(200, { 'content-type': type })
        response.write(`data: {"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`)
        floods.push(flood(response, 100_000_000))
      },
    })
    const { status, error } = await call(there.url, { name: 'ada' })
    assert.equal(status, 'failed')
    assert.match(error ?? '', /more than 1048576 (bytes|characters)/)
    assert.ok(((await floods[0]) ?? Infinity) < 20_000_000)
  })
}

const silent: [string, Parameters<typeof rawMcpServer>[0]][] = [
  ['to anything', { 'server/discover': () => {}, initialize: () => {} }],
  ['when asked for its tools', { 'tools/list': () => {} }],
  ['but sends signs of life', { 'tools/list': (_asked, response) => void trickle(response) }],
]
for (const [what, answers] of silent) {
  test(`a server that never answers ${what} is given up`, async () => {
    const there = await rawMcpServer(answers)
    assertNotListed(await list(there.url, { timeout_ms: 300 }), /within 0\.3 seconds/)
  })
}

function trickle(response: http.ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const timer = setInterval(() => response.write(': still here\n\n'), 20)
  response.on('close', () => clearInterval(timer))
}

test('a call that takes too long is a timeout', async () => {
  const there = await rawMcpServer({
    'tools/list': (asked, response) => respond(response, asked, { tools: [find_customer] }),
    'tools/call': () => {},
  })
  const { status, error } = await call(there.url, { name: 'ada' }, { timeout_ms: 500 })
  assert.deepEqual([status, error], ['timeout', 'There was no response within 0.5 seconds.'])
})

test('a call that is stopped ends at once', async () => {
  const stopping = new AbortController()
  const there = await rawMcpServer({
    'tools/list': (asked, response) => respond(response, asked, { tools: [find_customer] }),
    'tools/call': () => stopping.abort(),
  })
  const { status, error } = await call(there.url, { name: 'ada' }, {}, stopping.signal)
  assert.deepEqual([status, error], ['failed', 'The request was canceled.'])
})

for (const status of [301, 302, 303, 307, 308]) {
  test(`a redirect with ${status} is not followed`, async () => {
    const target = await receiver()
    const there = await receiver(respondWith(status, { location: target.url }))
    assertNotListed(await list(there.url), /redirects to another URL/)
    assert.deepEqual(target.received, [])
  })
}

test('a server that asks for much in its answers gets little', async () => {
  const there = await rawMcpServer({
    'tools/list': ({ id }, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (let count = 0; count < 900; count += 1)
        response.write(`data: {"jsonrpc":"2.0","id":"a${count}","method":"roots/list"}\n\n`)
      response.end(`data: {"jsonrpc":"2.0","id":${id},"result":{"tools":[]}}\n\n`)
    },
  })
  assert.match(toolsOf(await list(there.url)).error ?? 'asks for too much', /asks for too much/)
  assert.ok(there.received.length <= 101)
})

type Message = Record<string, unknown>

/** Lists a tool, and answers its calls with these messages, in which `id` stands for that of the request. */
const answeringWith = (messagesFor: (id: number) => Message[]) =>
  rawMcpServer({
    'tools/list': (asked, response) => respond(response, asked, { tools: [find_customer] }),
    'tools/call': ({ id }, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const message of messagesFor(id))
        response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
      response.end()
    },
  })

const textResult = (text: string) => ({ content: [{ type: 'text', text }] })
const stray: [string, Message][] = [
  [
    'progress that nobody has asked for',
    { method: 'notifications/progress', params: { progressToken: 'x', progress: 1 } },
  ],
  ['a notification without a name that is known', { method: 'notifications/other' }],
  ['the response to another request', { id: 4711, result: textResult('Bob') }],
  ['an error of another request', { id: 'x', error: { code: -1, message: 'no' } }],
]
for (const [what, message] of stray) {
  test(`${what} is ignored before the answer`, async () => {
    const there = await answeringWith((id) => [message, { id, result: textResult('Ada') }])
    const { status, result } = await call(there.url, { name: 'ada' })
    assert.deepEqual([status, result], ['succeeded', 'Ada'])
  })
}

test('messages of other requests are no answer', async () => {
  const there = await answeringWith(() => stray.map(([, message]) => message))
  const { status, error } = await call(there.url, { name: 'ada' })
  assert.deepEqual([status, error], ['failed', 'The connection was closed before the whole response arrived.'])
})

test('too many messages of other requests are given up', async () => {
  const there = await answeringWith(() => Array(1_001).fill({ method: 'notifications/other' }))
  assert.match((await call(there.url, { name: 'ada' })).error ?? '', /more than 1000 events/)
})

const nonsense: [string, string, string][] = [
  ['no JSON', 'application/json', '{"jsonrpc":'],
  ['another shape', 'application/json', '{"tools":[]}'],
  ['HTML', 'text/html', '<html>'],
]
for (const [what, type, body] of nonsense) {
  test(`a server that answers with ${what} is refused`, async () => {
    const there = await receiver(respondWith(200, { 'content-type': type }, body))
    assertNotListed(await list(there.url), /not valid in the Model Context Protocol/)
  })
}

test('a list of what is no tool is refused', async () => {
  const there = await rawMcpServer({
    'tools/list': (asked, response) => respond(response, asked, { tools: [{ name: 7 }] }),
  })
  assertNotListed(await list(there.url), /not valid in the Model Context Protocol/)
})

test('the status of a server that refuses is told, and to the model its words', async () => {
  const refused = await receiver(respondWith(401, {}, 'who are you?'))
  assertNotListed(await list(refused.url), /status 401/)
  const there = await rawMcpServer({
    'tools/list': (asked, response) => respond(response, asked, { tools: [find_customer] }),
    'tools/call': (_asked, response) => response.writeHead(503).end('later'),
  })
  const { status, result, http_status, error } = await call(there.url, { name: 'ada' })
  assert.deepEqual([status, http_status, error], ['failed', 503, 'The server answered with the status 503.'])
  assert.deepEqual(result, { error, answer: 'later' })
})

test('a call without side effects is repeated once after a failure', async () => {
  let calls = 0
  const there = await rawMcpServer({
    'tools/list': (asked, response) => respond(response, asked, { tools: [find_customer] }),
    'tools/call': (asked, response) => {
      calls += 1
      if (calls % 2 === 1) response.writeHead(503).end()
      else respond(response, asked, { content: [{ type: 'text', text: 'Ada' }] })
    },
  })
  assert.equal((await call(there.url, { name: 'ada' }, { has_side_effects: false })).status, 'succeeded')
  assert.equal((await call(there.url, { name: 'ada' })).status, 'failed')
  assert.equal(calls, 3)
})

let deep: object = { type: 'string' }
for (let level = 0; level < 20; level += 1) deep = { type: 'object', properties: { a: deep } }

const schemas: [string, object, object, string][] = [
  ['with a slow pattern', { properties: { a: { pattern: '^(a+)+$' } } }, { a: `${'a'.repeat(40)}!` }, 'succeeded'],
  ['that refers to itself', { properties: { a: { $ref: '#' } } }, { a: { a: { a: {} } } }, 'succeeded'],
  ['whose keywords make no sense', { required: 'x', properties: { a: { type: 7, minimum: 'b' } } }, {}, 'succeeded'],
  ['that is partly known', { properties: { a: { minimum: 1, multipleOf: 3 } } }, { a: 0 }, 'invalid_arguments'],
  ['of many alternatives', { properties: { a: { anyOf: Array(500).fill({ const: 1 }) } } }, { a: 1 }, 'succeeded'],
]
for (const [what, schema, values, expected] of schemas) {
  test(`a schema ${what} does no harm`, async () => {
    const there = await mcpServer({ tools: [{ name: 'find', inputSchema: { type: 'object', ...schema } }] })
    const { status } = await call(there.url, { ...values })
    assert.equal(status, expected)
  })
}

test('a schema that is nested deeply can not be used', async () => {
  const there = await mcpServer({ tools: [{ name: 'find', inputSchema: { type: 'object', properties: { deep } } }] })
  const { tools } = toolsOf(await list(there.url))
  assert.deepEqual([tools[0]?.name, tools[0]?.unusable_because], [null, 'Its input schema is nested too deeply.'])
})

test('schemas that are too long together are not published', async () => {
  const tenant = await workspace()
  const inputSchema = { type: 'object' as const, description: 'x'.repeat(30_000) }
  const there = await mcpServer({ tools: many(5).map((tool) => ({ ...tool, inputSchema })) })
  await add(tenant, there.url)
  const create = (count: number) =>
    tenant.call('POST', '/agents', { name: 'A', tools: many(count).map(({ name }) => `crm__${name}`) })
  assert.equal((await create(4)).status, 201)
  assert.equal((await create(5)).status, 409)
})

test('nothing is stored when a server can not be asked', async () => {
  const tenant = await workspace()
  const there = await mcpServer()
  const id = await add(tenant, there.url)
  const agent = (await tenant.call('POST', '/agents', { name: 'A', tools: ['crm__find'] })).body.data
  const refused = await receiver(respondWith(500))
  await tenant.call('PATCH', `/tools/${id}`, { url: refused.url })
  const { status, body } = await tenant.call('POST', `/agents/${agent.id}/versions`, {})
  assert.deepEqual([status, body.error.details.reason], [409, 'not_listed'])
  assert.equal((await tenant.call('POST', '/agents', { name: 'B', tools: ['crm__find'] })).status, 409)
  const { body: versions } = await tenant.call('GET', `/agents/${agent.id}/versions`)
  const { body: agents } = await tenant.call('GET', '/agents')
  assert.deepEqual([versions.data.length, agents.data.length], [1, 1])
})

test('a server at a private address is not asked', async () => {
  const guarded = await serve()
  const tenant = await guarded.workspace()
  const { status, body } = await tenant.call('POST', '/tools', { kind: 'mcp', name: 'crm', url: 'http://127.0.0.1:9/' })
  assert.deepEqual([status, body.error.details.fields[0].path], [400, 'url'])
})
