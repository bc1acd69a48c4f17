import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as clock from '../../server/kit/clock.ts'
import { openStreams } from '../../server/kit/http/stream-limits.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { removeExpired } from '../../server/lines/web-chat/visitors.ts'
import { followStream } from '../support/conversation-streams.ts'
import { becomes, newAgent, newModelAgent, startAnswering, turnsOf } from '../support/conversations.ts'
import { type Answer, serve, type Tenant } from '../support/harness.ts'
import { openaiServer, until } from '../support/model-servers.ts'
import { phoneNumber } from '../support/samples.ts'

const server = await serve({ outbound_allow_hosts: ['127.0.0.1'], trust_proxy: ['127.0.0.1'] })
startAnswering(server)

const script = {
  start: 'ask',
  nodes: {
    ask: {
      say: 'Hello. How can I help?',
      on: [
        { hear: ['hours'], say: 'Nine to six.', go: 'ask' },
        { intent: 'human', go: '@hand_over' },
        { intent: 'goodbye', go: '@end' },
      ],
    },
  },
}

let networks = 0
/** Limits are per network, so each visitor of a test has one. */
const newNetwork = (): string => {
  networks += 1
  return `10.${networks >> 16}.${(networks >> 8) & 255}.${networks & 255}`
}

async function newChat(tenant: Tenant, origins?: string[], agent_id?: string) {
  return tenant.addChannel({
    name: 'Site',
    kind: 'web_chat',
    provider: 'web',
    agent_id: agent_id ?? (await newAgent(tenant, { script })),
    ...(origins && { origins }),
  })
}

interface ChatVisitor {
  token: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field
  session: any
  network: string
  call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>
}

async function newVisitor(channel_id: string, network = newNetwork()): Promise<ChatVisitor> {
  const answer = await begin(channel_id, network)
  assert.equal(answer.status, 201, answer.text)
  const { token } = answer.body.data
  const call: ChatVisitor['call'] = (method, path, body, headers = {}) =>
    server.fetch(method, `/chat/${channel_id}/${path}`, body, {
      authorization: `Bearer ${token}`,
      'x-forwarded-for': network,
      ...headers,
    })
  return { token, session: answer.body.data, network, call }
}

const begin = (channel_id: string, network: string, headers = {}) =>
  server.fetch('POST', `/chat/${channel_id}/sessions`, {}, { 'x-forwarded-for': network, ...headers })

/** Waits until the visitor sees this many turns. */
async function seesTurns(visitor: ChatVisitor, count: number): Promise<[string, string][]> {
  let turns: { role: string; text: string }[] = []
  await until(async () => {
    turns = (await visitor.call('GET', 'session')).body.data.turns
    return turns.length >= count
  })
  return turns.map(({ role, text }) => [role, text])
}

test('a visitor begins a chat, is greeted, asks and gets an answer', async () => {
  const tenant = await server.workspace()
  const channel = await newChat(tenant)
  const visitor = await newVisitor(channel.id)
  const { token, conversation, agent_name, ...rest } = visitor.session
  assert.match(token, /^[\w-]{43}$/)
  assert.deepEqual(Object.keys(conversation).sort(), ['has_phone_number', 'id', 'is_answering', 'status'])
  assert.deepEqual([conversation.status, conversation.is_answering, agent_name, rest], ['open', true, 'Reception', {}])
  assert.deepEqual(await seesTurns(visitor, 1), [['agent', 'Hello. How can I help?']])
  const said = await visitor.call('POST', 'messages', { text: ' What are your hours? ' })
  assert.equal(said.status, 201, said.text)
  const { created_at, ...turn } = said.body.data
  assert.deepEqual(turn, {
    seq: 2,
    role: 'contact',
    text: 'What are your hours?',
    conversation_id: conversation.id,
    is_new_conversation: false,
  })
  assert.ok(created_at)
  await seesTurns(visitor, 3)
  const { body } = await visitor.call('GET', 'session')
  assert.match(body.data.turns.at(-1).text, /^Nine to six\./)
  for (const seen of body.data.turns)
    assert.deepEqual(Object.keys(seen).sort(), ['created_at', 'role', 'seq', 'text'], 'nothing else is shown')
  const { body: found } = await tenant.call('GET', `/conversations/${conversation.id}`)
  const { kind, channel_id, contact_id, counterpart } = found.data
  assert.deepEqual([kind, channel_id, contact_id, counterpart], ['web_chat', channel.id, null, null])
})

test('a token is stored as a hash only, and ends after 30 days', async () => {
  const tenant = await server.workspace()
  const visitor = await newVisitor((await newChat(tenant)).id)
  const read = () =>
    server.pool.many<{ token_hash: Buffer; expires_at: string; created_at: string }>(
      sql`select token_hash, expires_at, created_at from chat_visitors where workspace_id = ${tenant.id}`,
    )
  const [row] = await read()
  assert.ok(row)
  assert.equal(row.token_hash.length, 32)
  assert.ok(!row.token_hash.equals(Buffer.from(visitor.token, 'base64url')))
  assert.equal(clock.parse(row.expires_at) - clock.parse(row.created_at), 30 * clock.day_ms)
  const expire = (expires_at: number) =>
    server.pool.run(
      sql`update chat_visitors set expires_at = ${clock.iso(expires_at)} where workspace_id = ${tenant.id}`,
    )
  const now = clock.wall()
  await expire(now + 60_000)
  assert.equal((await visitor.call('GET', 'session')).status, 200)
  await removeExpired(server.at(tenant.id, now))
  assert.equal((await read()).length, 1)
  await expire(now - 1)
  assert.equal((await visitor.call('GET', 'session')).status, 401)
  await removeExpired(server.at(tenant.id, now))
  assert.equal((await read()).length, 0)
})

test('a token works on its own channel only', async () => {
  const [tenant, other] = [await server.workspace(), await server.workspace()]
  const [channel, second, foreign] = [await newChat(tenant), await newChat(tenant), await newChat(other)]
  const visitor = await newVisitor(channel.id)
  const authorization = { authorization: `Bearer ${visitor.token}` }
  for (const { id } of [second, foreign]) {
    for (const [method, path, body] of [
      ['GET', 'session'],
      ['POST', 'messages', { text: 'hours' }],
      ['POST', 'phone_number', { phone_number: phoneNumber() }],
      ['GET', 'stream'],
    ] as const) {
      const { status } = await server.fetch(method, `/chat/${id}/${path}`, body, authorization)
      assert.equal(status, 401, `${method} ${path}`)
    }
  }
  for (const token of ['', 'x'.repeat(43), tenant.key]) {
    const answer = await visitor.call('GET', 'session', undefined, { authorization: `Bearer ${token}` })
    assert.deepEqual([answer.status, answer.body.error.code], [401, 'UNAUTHORIZED'])
  }
  assert.equal((await visitor.call('GET', 'session')).status, 200, 'the token is still valid on its channel')
  const api = await tenant.call('GET', '/conversations', undefined, authorization)
  assert.equal(api.status, 401, 'the token is no key')
})

test('a second visitor of the same channel sees nothing of the first', async () => {
  const tenant = await server.workspace()
  const channel = await newChat(tenant)
  const first = await newVisitor(channel.id)
  await first.call('POST', 'messages', { text: 'My name is Ada' })
  const second = await newVisitor(channel.id)
  assert.notEqual(second.session.conversation.id, first.session.conversation.id)
  await seesTurns(second, 1)
  assert.ok(!(await second.call('GET', 'session')).text.includes('Ada'))
  const from_first = { 'last-event-id': `${first.session.conversation.id}:0` }
  using stream = await followStream(`${server.url}/chat/${channel.id}/stream`, second.token, from_first)
  await stream.waitFor('turn.finished')
  assert.ok(!JSON.stringify(stream.events).includes('Ada'))
})

test('the stream shows words as they come, and only what a visitor may see', async () => {
  const tenant = await server.workspace()
  const hold = Promise.withResolvers<void>()
  const model = await openaiServer({ words: ['Nine', ' to six.'], beforeWord: (index) => index === 1 && hold.promise })
  const channel = await newChat(tenant, undefined, await newModelAgent(tenant, model))
  const visitor = await newVisitor(channel.id)
  const { id } = visitor.session.conversation
  const url = `${server.url}/chat/${channel.id}/stream`
  using stream = await followStream(url, visitor.token)
  await visitor.call('POST', 'messages', { text: 'When?' })
  await stream.waitFor('turn.delta')
  hold.resolve()
  await stream.waitFor('turn.finished', 2)
  const finished = stream.events.filter(({ name }) => name === 'turn.finished')
  assert.deepEqual(
    finished.map(({ id, data }) => [id, data.turn.role, data.turn.text]),
    [
      [`${id}:1`, 'contact', 'When?'],
      [`${id}:2`, 'agent', 'Nine to six.'],
    ],
  )
  for (const { data } of finished)
    assert.deepEqual(Object.keys(data.turn).sort(), ['created_at', 'role', 'seq', 'text'])
  for (const { data } of stream.events.filter(({ name }) => name === 'conversation.updated'))
    assert.deepEqual(Object.keys(data.conversation).sort(), ['has_phone_number', 'id', 'is_answering', 'status'])
  using resumed = await followStream(url, visitor.token, { 'last-event-id': `${id}:1` })
  await resumed.waitFor('turn.finished')
  assert.equal(resumed.events[0]?.name, 'conversation.updated', 'the conversation comes first')
  assert.deepEqual(
    resumed.events.filter(({ name }) => name === 'turn.finished').map(({ data }) => data.turn.seq),
    [2],
  )
  const bad = await visitor.call('GET', 'stream', undefined, { 'last-event-id': '1' })
  assert.equal(bad.status, 400)
})

test('a message that is sent again with the same position is added once', async () => {
  const tenant = await server.workspace()
  const visitor = await newVisitor((await newChat(tenant)).id)
  const { id } = visitor.session.conversation
  await seesTurns(visitor, 1)
  const message = { text: 'hours', after: `${id}:1` }
  const [first, second] = await Promise.all([
    visitor.call('POST', 'messages', message),
    visitor.call('POST', 'messages', message),
  ])
  assert.deepEqual([first.status, first.body.data.seq], [201, 2])
  assert.deepEqual(second.body.data, first.body.data)
  const again = await visitor.call('POST', 'messages', { text: 'hours', after: `${id}:2` })
  assert.ok(again.body.data.seq > 2, 'the same words later are a new message')
  assert.equal((await visitor.call('POST', 'messages', { text: 'hours', after: 'x' })).status, 400)
})

test('after the end of a conversation a message begins another one, once', async () => {
  const tenant = await server.workspace()
  const channel = await newChat(tenant)
  const visitor = await newVisitor(channel.id)
  const { id } = visitor.session.conversation
  await tenant.call('POST', `/conversations/${id}/close`)
  using stream = await followStream(`${server.url}/chat/${channel.id}/stream`, visitor.token)
  const answers = await Promise.all(['One', 'Two'].map((text) => visitor.call('POST', 'messages', { text })))
  const said = answers.map(({ body }) => body.data)
  assert.deepEqual(said.map(({ is_new_conversation }) => is_new_conversation).sort(), [false, true])
  assert.equal(said[0].conversation_id, said[1].conversation_id)
  assert.notEqual(said[0].conversation_id, id)
  const { body } = await visitor.call('GET', 'session')
  assert.equal(body.data.conversation.id, said[0].conversation_id)
  const { data } = (await tenant.call('GET', `/conversations?channel_id=${channel.id}`)).body
  assert.equal(data.length, 2)
  using next = await followStream(`${server.url}/chat/${channel.id}/stream`, visitor.token, {
    'last-event-id': `${id}:1`,
  })
  await next.waitFor('turn.finished', 2)
  assert.equal(next.events[0]?.data.conversation.id, said[0].conversation_id, 'all of the new one is sent')
  stream[Symbol.dispose]()
})

test('a visitor whose conversation was deleted begins anew', async () => {
  const tenant = await server.workspace()
  const visitor = await newVisitor((await newChat(tenant)).id)
  const { id } = visitor.session.conversation
  await server.pool.run(sql`delete from conversations where workspace_id = ${tenant.id} and id = ${id}`)
  assert.equal((await visitor.call('GET', 'session')).status, 401)
  assert.equal((await visitor.call('GET', 'stream')).status, 401)
  const { status, body } = await visitor.call('POST', 'messages', { text: 'Hello?' })
  assert.deepEqual([status, body.data.is_new_conversation], [201, true])
})

test('a person answers in the chat after a hand-over', async () => {
  const tenant = await server.workspace()
  const visitor = await newVisitor((await newChat(tenant)).id)
  const { id } = visitor.session.conversation
  await seesTurns(visitor, 1)
  await visitor.call('POST', 'messages', { text: 'I want to talk to a person' })
  await becomes(tenant, id, ({ status }) => status === 'handed_over')
  await tenant.call('POST', `/conversations/${id}/answers`, { text: 'Grace here.' })
  const { body } = await visitor.call('GET', 'session')
  assert.equal(body.data.conversation.status, 'handed_over')
  assert.deepEqual([body.data.turns.at(-1).role, body.data.turns.at(-1).text], ['human', 'Grace here.'])
})

test("a stranger who types a customer's number learns nothing and changes nothing", async () => {
  const tenant = await server.workspace()
  const channel = await newChat(tenant)
  const [known, unknown] = [phoneNumber(), phoneNumber()]
  const { body } = await tenant.call('POST', '/contacts', { phone_number: known, first_name: 'Ada', tags: ['vip'] })
  const { id } = body.data
  const row = async () =>
    server.pool.one<object>(sql`select * from contacts where workspace_id = ${tenant.id} and id = ${id}`)
  const etag = async () => (await tenant.call('GET', `/contacts/${id}`)).headers.get('etag')
  const contactEvents = async () =>
    (await tenant.call('GET', '/events?limit=100')).body.data.filter(({ type }: { type: string }) =>
      type.startsWith('contact.'),
    )
  const before = [await row(), await etag(), await contactEvents()]
  const [stranger, newcomer] = [await newVisitor(channel.id), await newVisitor(channel.id)]
  await Promise.all([seesTurns(stranger, 1), seesTurns(newcomer, 1)])
  const left = await stranger.call('POST', 'phone_number', { phone_number: known })
  assert.deepEqual([left.status, left.body], [200, { success: true, data: { phone_number: known } }])
  assert.deepEqual([await row(), await etag(), await contactEvents()], before)
  const as_new = await newcomer.call('POST', 'phone_number', { phone_number: unknown })
  assert.equal(as_new.text.replace(unknown, known), left.text, 'the answer is the same')
  assert.deepEqual(headersOf(as_new), headersOf(left))
  const { body: found } = await tenant.call('GET', `/contacts?search=${encodeURIComponent(unknown)}`)
  assert.deepEqual(
    found.data.map(({ source, phone_number }: Record<string, string>) => [source, phone_number]),
    [['inbound', unknown]],
  )
  for (const [visitor, number] of [
    [stranger, known],
    [newcomer, unknown],
  ] as const) {
    const conversation = await tenant.call('GET', `/conversations/${visitor.session.conversation.id}`)
    const { contact_id, counterpart } = conversation.body.data
    assert.deepEqual([contact_id, counterpart], [null, number])
    const session = await visitor.call('GET', 'session')
    assert.equal(session.body.data.conversation.has_phone_number, true)
    assert.ok(!/Ada|vip/.test(session.text))
  }
  assert.deepEqual(
    (await stranger.call('GET', 'session')).body.data.turns.map(({ text }: { text: string }) => text),
    (await newcomer.call('GET', 'session')).body.data.turns.map(({ text }: { text: string }) => text),
  )
})

/** The headers that depend on the answer. */
const headersOf = ({ headers }: Answer): [string, string][] =>
  [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name))

test('a phone number can be left once in a conversation', async () => {
  const tenant = await server.workspace()
  const visitor = await newVisitor((await newChat(tenant)).id)
  const wrong = await visitor.call('POST', 'phone_number', { phone_number: '+1 415 555 0100' })
  assert.deepEqual([wrong.status, wrong.body.error.details.fields[0].suggestion], [400, '+14155550100'])
  const [first, second] = await Promise.all(
    [phoneNumber(), phoneNumber()].map((phone_number) => visitor.call('POST', 'phone_number', { phone_number })),
  )
  assert.deepEqual([first?.status, second?.status].sort(), [200, 409])
  const { body } = await tenant.call('GET', '/contacts')
  assert.equal(body.pagination.total, 1, 'the refused number made no contact')
})

test('requests from other origins are refused, and those of the own page are not', async () => {
  const tenant = await server.workspace()
  const channel = await newChat(tenant, ['https://shop.example.com'])
  for (const origin of ['https://shop.example.com', 'null', 'http://127.0.0.1:1']) {
    const answer = await begin(channel.id, newNetwork(), { origin })
    assert.deepEqual([answer.status, answer.body.error.code], [403, 'FORBIDDEN'], origin)
  }
  assert.equal((await begin(channel.id, newNetwork(), { origin: server.url })).status, 201)
})

test('a network begins 10 chats and sends 60 messages a minute', async () => {
  const tenant = await server.workspace()
  const channel = await newChat(tenant)
  const network = newNetwork()
  const visitor = await newVisitor(channel.id, network)
  for (let count = 2; count <= 10; count += 1) assert.equal((await begin(channel.id, network)).status, 201)
  const refused = await begin(channel.id, network)
  assert.deepEqual([refused.status, refused.body.error.code], [429, 'RATE_LIMITED'])
  const wait_seconds = Number(refused.headers.get('retry-after'))
  assert.ok(wait_seconds > 0 && wait_seconds <= 60, String(wait_seconds))
  assert.equal((await begin(channel.id, newNetwork())).status, 201, 'other networks are not affected')
  const ipv6 = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9']
  for (let count = 0; count < 10; count += 1) await begin(channel.id, ipv6[count % 2] ?? '')
  assert.equal((await begin(channel.id, '2001:db8:1:2::77')).status, 429, 'a /64 counts as one network')
  assert.equal((await begin(channel.id, '2001:db8:1:3::1')).status, 201)
  const say = () => visitor.call('POST', 'messages', { text: 'hours' })
  for (let count = 1; count <= 60; count += 1) assert.equal((await say()).status, 201)
  assert.equal((await say()).status, 429)
  assert.equal((await visitor.call('GET', 'session')).status, 200, 'reading is not limited')
})

test('messages have 1 to 4,000 characters', async () => {
  const tenant = await server.workspace()
  const visitor = await newVisitor((await newChat(tenant)).id)
  const say = async (text: unknown) => (await visitor.call('POST', 'messages', { text })).status
  assert.equal(await say('x'.repeat(4_000)), 201)
  assert.equal(await say('x'.repeat(4_001)), 400)
  assert.equal(await say(' '), 400)
  assert.equal(await say(7), 400)
})

test('markup in messages is kept as text', async () => {
  const tenant = await server.workspace()
  const visitor = await newVisitor((await newChat(tenant)).id)
  const text = '<img src=x onerror=alert(1)>'
  assert.equal((await visitor.call('POST', 'messages', { text })).body.data.text, text)
  assert.ok((await turnsOf(tenant, visitor.session.conversation.id)).some(([, said]) => said === text))
})

test('a visitor takes no idempotency keys of the workspace', async () => {
  const tenant = await server.workspace()
  const visitor = await newVisitor((await newChat(tenant)).id)
  const keyed = { 'idempotency-key': 'order-1' }
  assert.equal((await visitor.call('POST', 'messages', { text: 'hours' }, keyed)).status, 201)
  const answer = await tenant.call('POST', '/contacts', { phone_number: phoneNumber() }, keyed)
  assert.equal(answer.status, 201)
})

test('an unknown, disabled or deleted channel, and one of another kind, has no chat', async () => {
  const tenant = await server.workspace()
  const [channel, sms] = [await newChat(tenant), await tenant.addChannel()]
  const visitor = await newVisitor(channel.id)
  await server.pool.run(
    sql`update channels set status = 'disabled' where workspace_id = ${tenant.id} and id = ${channel.id}`,
  )
  for (const id of [channel.id, sms.id, '019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa', 'x']) {
    assert.equal((await begin(id, newNetwork())).status, 404)
    const { status, headers, text } = await server.fetch('GET', `/chat/${id}`)
    assert.deepEqual([status, headers.get('content-type')], [404, 'text/html; charset=utf-8'])
    assert.match(text, /not available/)
    assert.match(headers.get('content-security-policy') ?? '', /script-src 'self'.*frame-ancestors 'self' \*;/)
  }
  assert.equal((await visitor.call('POST', 'messages', { text: 'hours' })).status, 404)
  assert.equal((await server.fetch('GET', '/chat')).status, 404)
  assert.equal((await server.fetch('GET', `/chat/${channel.id}/nothing`)).status, 404)
})

test('the page has a policy for its channel, sets no cookies and is not indexed', async () => {
  const tenant = await server.workspace()
  const origins = ['https://shop.example.com', 'http://127.0.0.1:8080']
  const [channel, plain] = [await newChat(tenant, origins), await newChat(tenant)]
  const { status, headers, text } = await server.fetch('GET', `/chat/${channel.id}`)
  assert.equal(status, 200)
  const policy = (ancestors: string) =>
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    `frame-ancestors ${ancestors}; base-uri 'none'; form-action 'none'`
  assert.equal(headers.get('content-security-policy'), policy(`'self' ${origins.join(' ')}`))
  assert.deepEqual(
    ['set-cookie', 'x-frame-options', 'referrer-policy', 'x-robots-tag'].map((name) => headers.get(name)),
    [null, null, 'no-referrer', 'noindex'],
  )
  assert.doesNotMatch(text, /<script>|<style|\son\w+=|\sstyle=/)
  const hosted = await server.fetch('GET', `/chat/${plain.id}`)
  assert.equal(hosted.headers.get('content-security-policy'), policy("'self'"))
  assert.equal((await server.fetch('POST', `/chat/${channel.id}`)).status, 405)
})

test('the script can be loaded by other pages, and is checked again after five minutes', async () => {
  const { status, headers } = await server.fetch('GET', '/chat/widget.js')
  assert.equal(status, 200)
  assert.deepEqual(
    ['content-type', 'cross-origin-resource-policy', 'cache-control'].map((name) => headers.get(name)),
    ['text/javascript; charset=utf-8', 'cross-origin', 'public, max-age=300'],
  )
  const known = { 'if-none-match': headers.get('etag') ?? '' }
  assert.equal((await server.fetch('GET', '/chat/widget.js', undefined, known)).status, 304)
})

test('the page and the script have less than 40 kB together, compressed', async () => {
  const tenant = await server.workspace()
  const channel = await newChat(tenant)
  const { text } = await server.fetch('GET', `/chat/${channel.id}`)
  const files = Array.from(text.matchAll(/\.\/(assets\/[^"]+)/g), ([, name]) => `/chat/${name}`)
  assert.ok(files.length >= 3, String(files))
  const gzip = { 'accept-encoding': 'gzip' }
  const lengths = await Promise.all(
    [...files, '/chat/widget.js'].map(async (path) => {
      const { status, headers } = await server.fetch('HEAD', path, undefined, gzip)
      assert.deepEqual([status, headers.get('content-encoding')], [200, 'gzip'], path)
      return Number(headers.get('content-length'))
    }),
  )
  const total = lengths.reduce((sum, length) => sum + length, Buffer.byteLength(text))
  assert.ok(lengths.every((length) => length > 100) && total < 40_000, String(lengths))
})

test('a network can have 100 open streams', async () => {
  const tenant = await server.workspace()
  const channel = await newChat(tenant)
  const visitor = await newVisitor(channel.id)
  const open = (network = visitor.network) =>
    followStream(`${server.url}/chat/${channel.id}/stream`, visitor.token, { 'x-forwarded-for': network })
  const streams = await Promise.all(Array.from({ length: 100 }, () => open()))
  assert.ok(streams.every(({ status }) => status === 200))
  const refused = await visitor.call('GET', 'stream')
  const { code, details } = refused.body.error
  assert.deepEqual([refused.status, code, details.reason], [503, 'SERVICE_UNAVAILABLE', 'too_many_streams'])
  using other = await open(newNetwork())
  assert.equal(other.status, 200)
  for (const stream of streams) stream[Symbol.dispose]()
  await until(async () => {
    using stream = await open()
    return stream.status === 200
  })
})

test('streams are limited in total, per workspace and per caller', () => {
  const streams = openStreams(1_000, 3, 2)
  const [first] = [streams.open('one', 'a'), streams.open('one', 'a')]
  assert.equal(streams.open('one', 'a'), undefined, 'a caller has at most two')
  assert.ok(streams.open('one', 'b'))
  assert.equal(streams.open('one', 'b'), undefined, 'a workspace has at most three')
  assert.ok(streams.open('two', 'b'), 'what was refused is not counted')
  first?.abort()
  assert.ok(streams.open('one', 'a'))
})

test('in a test workspace the chat goes by its clock', async () => {
  const tenant = await server.workspace()
  const now = Date.UTC(2027, 2, 1, 9)
  await tenant.addTestClock(now)
  const visitor = await newVisitor((await newChat(tenant)).id)
  const { body } = await visitor.call('POST', 'messages', { text: 'hours' })
  assert.equal(body.data.created_at, clock.iso(now))
})
