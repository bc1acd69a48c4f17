import assert from 'node:assert/strict'
import type http from 'node:http'
import { openClient } from '../client.ts'
import type { Attack } from './attack.ts'
import { listen, sendLong } from './listen.ts'

const megabyte = 1024 * 1024
const rounds = { long: 20, short: 1 }
/** Those that never answer take until their time is up. */
const rounds_of_slow = { long: 2, short: 1 }
const timeout_ms = 1_000

type Asked = { id: number; method: string }

const tools = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `t${index}`, inputSchema: { type: 'object' } }))
const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, {}]))
const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
const oneTool = (schema: object) =>
  JSON.stringify({ tools: [{ name: 'a', inputSchema: { type: 'object', ...schema } }] })

/** What servers answer when their tools are listed: JSON, or something that answers itself. */
const lists: [name: string, answer: string | ((response: http.ServerResponse) => unknown)][] = [
  ['10,000 tools', JSON.stringify({ tools: tools(10_000) })],
  ['9,500 properties', oneTool({ properties: members(9_500) })],
  [
    '900,000 characters',
    JSON.stringify({ tools: [{ name: 'a', description: 'x'.repeat(900_000), inputSchema: { type: 'object' } }] }),
  ],
  ['a deep nest', `{"tools":[],"_meta":${nested(100_000)}}`],
  ['pages without end', JSON.stringify({ tools: tools(9), nextCursor: 'x' })],
  [
    '100 MB',
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      sendLong(response, { bytes: 100 * megabyte, piece: Buffer.alloc(64 * 1024, '1') })
    },
  ],
  [
    '100 MB of events',
    (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      sendLong(response, { bytes: 100 * megabyte, piece: Buffer.from('data:1\n\n'.repeat(8_000)) })
    },
  ],
]
const slow_lists: typeof lists = [
  ['nothing', () => {}],
  ['a head', (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n')],
]

const greeting = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } }

const answerAs = (answer: (typeof lists)[number][1]) => (response: http.ServerResponse, body: string) => {
  const { id, method }: Partial<Asked> = JSON.parse(body || '{}')
  if (method === 'server/discover') return response.writeHead(400).end()
  if (id === undefined) return response.writeHead(202).end()
  const send = (result: string) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(`{"jsonrpc":"2.0","id":${id},"result":${result}}`)
  if (method === 'initialize') return send(JSON.stringify(greeting))
  return typeof answer === 'string' ? send(answer) : answer(response)
}

/** What clients send to `/mcp`. */
const bodies: [name: string, body: object][] = [
  ['80,000 arguments', callOf(members(80_000))],
  ['900 arguments', callOf(members(900))],
  ['a list', { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
  ['an unknown method', { jsonrpc: '2.0', id: 1, method: 'x'.repeat(100_000) }],
]

function callOf(values: object) {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'find_contacts', arguments: values } }
}

/** A tenant has tools of servers that answer too much or nothing, and sends the largest requests to `/mcp`. */
export const attack: Attack = {
  name: 'MCP servers that answer too much, and clients that ask too much',
  async run({ stack, url, attacker, is_long, print }) {
    const form = is_long ? 'long' : 'short'
    const open = () => {
      const client = openClient(url, attacker.key)
      stack.defer(client.close)
      return client
    }
    let refused = 0
    const listAgain = async ([name, answer]: (typeof lists)[number], index: number, times: number) => {
      const { call } = open()
      const tool = {
        kind: 'mcp',
        name: `hostile${times}_${index}`,
        url: `${await listen(stack, answerAs(answer))}/`,
        timeout_ms,
      }
      const created = await call('POST', '/api/v1/tools', tool)
      assert.equal(created.status, 201, JSON.stringify(created.body))
      for (let count = 0; count < times; count += 1) {
        const { status, body } = await call('GET', `/api/v1/tools/${created.body.data.id}/mcp_tools`)
        assert.ok(status === 200 || status === 429 || status === 503, `${name}: ${status} ${JSON.stringify(body)}`)
        if (body.data?.error) refused += 1
      }
    }
    const askAgain = async ([name, body]: (typeof bodies)[number]) => {
      const { call } = open()
      const accept = { accept: 'application/json, text/event-stream' }
      for (let count = 0; count < rounds[form] * 5; count += 1) {
        const { status } = await call('POST', '/mcp', body, accept)
        assert.ok(status < 500 || status === 503, `${name}: ${status}`)
      }
    }
    await Promise.all([
      ...lists.map((one, index) => listAgain(one, index, rounds[form])),
      ...slow_lists.map((one, index) => listAgain(one, 100 + index, rounds_of_slow[form])),
      ...bodies.map(askAgain),
    ])
    assert.ok(refused > 0)
    print(`MCP: ${refused} lists of tools refused`)
  },
}
