import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { WebSocket } from 'ws'
import { waitUntil } from '../faults/client.ts'
import { ended, getCall, newCaller, turnsOf } from '../support/calls.ts'
import { addFakeSpeech } from '../support/fake-speech.ts'
import { openServer, testPool } from '../support/harness.ts'
import { openVoiceClient, placeWebCall } from '../support/voice-client.ts'

const server = await openServer(testPool(), { live_calls_max: 3, live_calls_workspace_max: 2 })
after(server.close)
addFakeSpeech(server)
const tenant = await server.workspace()
const agent_id = await newCaller(tenant, { greeting: 'Hello.', model: null })
const place = (more: object = {}) => placeWebCall(tenant, { agent_id, ...more })
const hangUp = async (id: string) => {
  await tenant.call('POST', `/calls/${id}/hang_up`)
  return ended(tenant, id)
}
const isLive = async (id: string) => (await getCall(tenant, id)).status === 'in_progress'

test('a token that is unknown, changed or no token at all opens nothing', async () => {
  const { url, token, call } = await place()
  const changed = token.slice(0, -3) + (token.endsWith('AAA') ? 'BBB' : 'AAA')
  for (const wrong of [changed, 'x', ''])
    assert.equal(await openVoiceClient({ url, token: wrong }).closed, 4_401, wrong)
  assert.equal((await getCall(tenant, call.id)).status, 'queued')
})

test('a token opens the socket once', async () => {
  const opened = await place()
  const client = openVoiceClient(opened)
  await client.next('ready')
  assert.equal(await openVoiceClient(opened).closed, 4_401)
  assert.equal(client.socket.readyState, WebSocket.OPEN)
  await waitUntil('the call is in progress', () => isLive(opened.call.id))
  const call = await hangUp(opened.call.id)
  assert.deepEqual([call.end_reason, call.ended_by], ['human_hung_up', 'human'])
  assert.deepEqual(await client.next('ended'), { type: 'ended', end_reason: 'human_hung_up' })
})

test('only pages of the named origin open the socket', async () => {
  const opened = await place({ origin: 'https://example.com' })
  assert.equal(await openVoiceClient(opened, { origin: 'https://example.org' }).closed, 4_401)
  assert.equal(await openVoiceClient(opened).closed, 4_401)
  const client = openVoiceClient(opened, { origin: 'https://example.com', sample_rate: 8_000 })
  await client.next('ready')
  client.send({ type: 'end' })
  await client.closed
  await ended(tenant, opened.call.id)
})

test('the first message must be start', async () => {
  const { url } = await place()
  for (const first of [{ type: 'end' }, { type: 'start', token: 'x', sample_rate: 44_100 }, 'garbage']) {
    const socket = new WebSocket(url)
    socket.on('open', () => socket.send(typeof first === 'string' ? first : JSON.stringify(first)))
    const messages: string[] = []
    socket.on('message', (data) => messages.push(data.toString()))
    const code = await new Promise((resolve) => socket.on('close', resolve))
    assert.deepEqual([code, JSON.parse(messages[0] ?? '{}').code], [1_008, 'invalid_message'])
  }
})

for (const [name, send, code, error] of [
  ['a frame that is too short', (socket) => socket.send(Buffer.alloc(638)), 1_008, 'invalid_frame'],
  ['garbage', (socket) => socket.send('{"type":"dance"}'), 1_008, 'invalid_message'],
  ['a report without an end', (socket) => socket.send('{"type":"played","ms":1e999}'), 1_008, 'invalid_message'],
  ['a huge frame', (socket) => socket.send(Buffer.alloc(10_000_000)), 1_009, undefined],
  [
    'sound that is faster than time',
    (socket) => {
      for (let count = 0; count < 400; count += 1) socket.send(Buffer.alloc(640))
    },
    1_008,
    'too_fast',
  ],
  [
    'a flood of messages',
    (socket) => {
      for (let count = 0; count < 150; count += 1) socket.send('{"type":"played","ms":1}')
    },
    1_008,
    'too_fast',
  ],
] as [string, (socket: WebSocket) => void, number, string | undefined][])
  test(`${name} closes the socket, and nobody else's`, async () => {
    const [good_place, bad_place] = [await place(), await place()]
    const good = openVoiceClient(good_place)
    const bad = openVoiceClient(bad_place, { is_live: false })
    await Promise.all([good.next('ready'), bad.next('ready')])
    send(bad.socket)
    assert.equal(await bad.closed, code)
    assert.equal(bad.messages.find(({ type }) => type === 'error')?.code, error)
    await waitUntil('the other call is in progress', () => isLive(good_place.call.id))
    await waitUntil('the other one hears the agent', () => good.heard() > 0)
    await Promise.all([good_place, bad_place].map(({ call }) => hangUp(call.id)))
  })

test('a process that is full says so, and the token still works', async () => {
  const places = [await place(), await place()]
  // While there is room.
  const waiting = await place()
  const clients = places.map((one) => openVoiceClient(one))
  await Promise.all(clients.map((client) => client.next('ready')))
  const refused = openVoiceClient(waiting)
  assert.equal((await refused.next('error')).code, 'busy')
  assert.equal(await refused.closed, 1_013)
  const answer = await tenant.call('POST', '/calls/web', { agent_id })
  assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '10'])
  for (const client of clients) client.send({ type: 'end' })
  for (const { call } of places) await ended(tenant, call.id)
  await waitUntil('there is room', async () => {
    const client = openVoiceClient(waiting)
    const first = await Promise.race([client.next('ready'), client.closed])
    client.socket.readyState === WebSocket.OPEN && client.send({ type: 'end' })
    return typeof first !== 'number'
  })
  await ended(tenant, waiting.call.id)
})

test('other paths can not be upgraded', async () => {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/api/v1/calls`)
  const [status] = await new Promise<unknown[]>((resolve) =>
    socket.on('unexpected-response', (_request, response) => resolve([response.statusCode])),
  )
  assert.equal(status, 401)
})

test('a report that was on its way when the sound was cleared does not count for what follows', async () => {
  const first = 'One two three four five six seven eight nine ten.'
  const script = { start: 'first', nodes: { first: { say: first, else: { go: 'first' } } } }
  const { call, ...opened } = await placeWebCall(tenant, { agent_id: await newCaller(tenant, { script }) })
  const client = openVoiceClient(opened, { is_playing: false })
  await waitUntil('the agent speaks', () => client.heard() >= 500 * 32)
  client.say('No, thank you.')
  await client.next('clear')
  const heard = client.heard()
  await waitUntil('the agent speaks again', () => client.heard() > heard)
  const { conversation_id } = await getCall(tenant, call.id)
  await waitUntil('its turn is stored', async () => (await turnsOf(tenant, conversation_id)).length === 3)
  const { length } = client.messages.filter(({ type }) => type === 'clear')
  for (let clears = 0; clears <= length; clears += 1) client.send({ type: 'played', ms: 500, clears })
  client.send({ type: 'end' })
  await ended(tenant, call.id)
  const turns: { role: string; heard: string }[] = await turnsOf(tenant, conversation_id)
  assert.deepEqual(
    turns.map(({ heard }) => heard),
    ['', 'No, thank you.', ''],
  )
})
