import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ended, newCaller } from '../support/calls.ts'
import { addFakeSpeech } from '../support/fake-speech.ts'
import { openServer, type Tenant, testPool } from '../support/harness.ts'
import { openVoiceClient } from '../support/voice-client.ts'

const server = await openServer(testPool(), { trust_proxy: ['127.0.0.1'] })
after(server.close)
addFakeSpeech(server)

async function newChannel(tenant: Tenant, fields: object = {}) {
  const agent_id = await newCaller(tenant, { greeting: 'Hello.' })
  const channel = await tenant.addChannel({ kind: 'voice', provider: 'web', agent_id, ...fields })
  const url = channel.public_url ?? ''
  const post = (ip: string, headers: object = {}) =>
    server.fetch('POST', `${new URL(url).pathname}/calls`, {}, { 'x-forwarded-for': ip, ...headers })
  return { channel, post }
}

test('a visitor talks on a voice channel', async () => {
  const tenant = await server.workspace()
  const { channel, post } = await newChannel(tenant)
  assert.deepEqual(
    [channel.public_url, channel.capabilities, channel.has_voice],
    [`${server.url}/voice/${channel.id}`, { inbound: true, outbound: false }, false],
  )
  const answer = await post('203.0.113.1', { origin: server.url })
  assert.equal(answer.status, 201, answer.text)
  const { call, url, token } = answer.body.data
  assert.deepEqual([call.channel_id, call.direction, call.is_test], [channel.id, 'inbound', false])
  // Only the page that asked for it opens the socket.
  assert.equal(await openVoiceClient({ url, token }).closed, 4_401)
  const client = openVoiceClient({ url, token }, { origin: server.url })
  await client.next('ready')
  client.send({ type: 'end' })
  await client.closed
  assert.equal((await ended(tenant, call.id)).channel_id, channel.id)
  assert.equal((await post('203.0.113.1', { origin: 'https://example.org' })).status, 403)
})

test('a network may begin three calls in a minute, and have two open', async () => {
  const { post } = await newChannel(await server.workspace())
  const statuses = []
  for (let count = 0; count < 4; count += 1) statuses.push((await post('203.0.113.2')).status)
  assert.deepEqual(statuses, [201, 201, 429, 429])
  const again = await post('203.0.113.2')
  assert.ok(Number(again.headers.get('retry-after')) > 0)
  assert.equal((await post('203.0.113.3')).status, 201)
})

test('ten calls may be open on a channel', async () => {
  const { post } = await newChannel(await server.workspace())
  const statuses = await Promise.all(Array.from({ length: 12 }, (_, index) => post(`198.51.${index}.1`)))
  assert.deepEqual(statuses.map(({ status }) => status).sort(), [...Array(10).fill(201), 429, 429])
})

test('a channel that is disabled, gone or of another kind can not be called', async () => {
  const tenant = await server.workspace()
  const chat = await newChannel(tenant, { kind: 'web_chat' })
  assert.equal((await chat.post('203.0.113.4')).status, 404)
  assert.equal((await server.fetch('POST', `/voice/${chat.channel.id}/calls`, {})).status, 404)
  assert.equal((await server.fetch('POST', `/voice/${chat.channel.agent_id}/calls`, {})).status, 404)
})

test('visitors of a web chat with voice also talk', async () => {
  const tenant = await server.workspace()
  const { channel, post } = await newChannel(tenant, { kind: 'web_chat', has_voice: true })
  assert.deepEqual([channel.has_voice, channel.public_url], [true, `${server.url}/chat/${channel.id}`])
  const answer = await post('203.0.113.5')
  assert.deepEqual([answer.status, answer.body.data.call.channel_id], [201, channel.id])
  await assert.rejects(newChannel(tenant, { has_voice: true }), /has_voice/)
})

test('nobody can be called from a channel of the web', async () => {
  const tenant = await server.workspace()
  const { channel } = await newChannel(tenant)
  const call = { agent_id: channel.agent_id, to: '+14155550123' }
  assert.equal((await tenant.call('POST', '/calls', call)).status, 400)
  assert.equal((await tenant.call('POST', '/calls', { ...call, channel_id: channel.id })).status, 400)
})
