import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../../server/kit/id.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { fromMulaw } from '../../server/kit/sound/mulaw.ts'
import { waitUntil } from '../faults/client.ts'
import { openDatabaseProxy } from '../faults/database-proxy.ts'
import { ended, getCall, newCaller, turnsOf } from '../support/calls.ts'
import { addFakeSpeech } from '../support/fake-speech.ts'
import { createDatabase, openServer, testPool } from '../support/harness.ts'
import { openVoiceClient, placeWebCall } from '../support/voice-client.ts'
import { startVoiceProcess } from '../support/voice-process.ts'

const server = await openServer(testPool())
after(server.close)
addFakeSpeech(server)
const other = await startVoiceProcess()
after(other.kill)
const full = await openServer(testPool(), { live_calls_max: 0 })
after(full.close)
addFakeSpeech(full)

/* Another one, whose database goes away. It ends before its database does. */
const open = new AsyncDisposableStack()
after(() => open.disposeAsync())
const { url: database_url } = await createDatabase('coming_back')
const proxy = await openDatabaseProxy(open, database_url)
const server_away = await openServer(testPool(proxy.url))
open.defer(server_away.close)
addFakeSpeech(server_away)

const script = {
  start: 'first',
  nodes: {
    first: { say: 'One.', else: { go: 'second' } },
    second: { say: 'Two.', else: { go: 'third' } },
    third: { say: 'Three.', else: { go: 'fourth' } },
    fourth: { say: 'Four.', else: { go: 'last' } },
    last: { say: 'Goodbye.', go: '@end' },
  },
}
const tenant = await server.workspace()
const agent_id = await newCaller(tenant, { script })
const place = () => placeWebCall(tenant, { agent_id })
const hasTurns = (id: string, count: number) => async () => (await getCall(tenant, id)).turn_count >= count
const saidBy = async (role: string, conversation_id: string, of = tenant): Promise<string[]> =>
  (await turnsOf(of, conversation_id))
    .filter((turn: { role: string }) => turn.role === role)
    .map((turn: { heard: string }) => turn.heard)

describe('a client that loses its connection', { concurrency: true }, () => {
  test('comes back with the token of ready, and the talk goes on', async () => {
    const { call, url } = await place().then(async (opened) => {
      const client = openVoiceClient(opened)
      const { token } = await client.next('ready')
      await waitUntil('the agent has spoken', hasTurns(opened.call.id, 1))
      client.end()
      const back = openVoiceClient({ url: opened.url, token: String(token) })
      const again = await back.next('ready')
      assert.notEqual(again.token, token)
      // Both tokens are used up when the client has sent something.
      await waitUntil('the old one is refused', async () => {
        const late = openVoiceClient({ url: opened.url, token: String(token) })
        return (await late.closed) === 4_401
      })
      back.say('Yes.')
      await waitUntil('the agent has answered', hasTurns(opened.call.id, 3))
      back.send({ type: 'end' })
      await back.closed
      return opened
    })
    assert.ok(url)
    const { end_reason, conversation_id } = await ended(tenant, call.id)
    assert.equal(end_reason, 'contact_hung_up')
    assert.deepEqual(await saidBy('agent', conversation_id), ['One.', 'Two.'])
  })

  test('before it has got ready comes back with the first token', async () => {
    const opened = await place()
    const first = openVoiceClient(opened, { is_live: false })
    await first.next('ready')
    first.end()
    await first.closed
    await waitUntil('it is accepted again', async () => {
      const back = openVoiceClient(opened)
      const answer = await Promise.race([back.next('ready'), back.closed])
      if (typeof answer === 'number') return false
      await waitUntil('the agent has spoken', hasTurns(opened.call.id, 1))
      back.send({ type: 'end' })
      return true
    })
    assert.equal((await ended(tenant, opened.call.id)).end_reason, 'contact_hung_up')
  })

  test('goes on in another process, and then in the first one again', async () => {
    const opened = await place()
    let token = opened.token
    for (const url of [opened.url, other.url, opened.url]) {
      const client = openVoiceClient({ url, token })
      token = String((await client.next('ready')).token)
      await waitUntil('the agent speaks', () => client.heard() > 0)
      client.end()
      await client.closed
    }
    const back = openVoiceClient({ url: opened.url, token })
    await back.next('ready')
    back.send({ type: 'end' })
    assert.equal((await ended(tenant, opened.call.id)).end_reason, 'contact_hung_up')
  })

  test('is recorded by both processes, and what it says at the second is not covered by silence of the first', async () => {
    const opened = await placeWebCall(tenant, { agent_id, is_test: true })
    const { id } = opened.call
    const contactSays = async (count: number) => {
      const { conversation_id } = await getCall(tenant, id)
      return (await saidBy('contact', conversation_id)).length === count
    }
    const client = openVoiceClient(opened)
    const { token } = await client.next('ready')
    await waitUntil('the agent has spoken', hasTurns(id, 1))
    client.say('Yes.')
    await waitUntil('the contact was heard', () => contactSays(1))
    client.end()
    const back = openVoiceClient({ url: other.url, token: String(token) })
    await back.next('ready')
    back.say('Yes.', { frames: 200 })
    await waitUntil('the contact was heard again', () => contactSays(2))
    const stored = sql`select id from recording_parts
      where workspace_id = ${tenant.id} and call_id = ${id} and upload_until is null`
    await waitUntil('the first has stored its part', async () => (await server.pool.many(stored)).length === 1)
    back.send({ type: 'end' })
    await ended(tenant, id)
    await waitUntil('the recording is ready', async () => {
      await tenant.work(Date.now() + 15_000)
      return (await getCall(tenant, id)).recording.status === 'ready'
    })
    const answer = await fetch(`${server.url}/api/v1/calls/${id}/recording`, {
      headers: { authorization: `Bearer ${tenant.key}` },
    })
    const sound = Buffer.from(await answer.arrayBuffer()).subarray(58)
    const loud = sound.filter((byte, index) => index % 2 === 0 && Math.abs(fromMulaw(byte)) > 1_000).length
    // The first process has half a second, at 8 kHz. At the second, what is said before it has opened the line is not heard: on a busy
    // machine seconds of four.
    assert.ok(loud > 8_000, `${loud} samples are loud`)
  })

  test('finds a process full, and the one that has the call keeps it', async () => {
    const opened = await place()
    const client = openVoiceClient(opened)
    const { token } = await client.next('ready')
    await waitUntil('the agent has spoken', hasTurns(opened.call.id, 1))
    const refused = openVoiceClient({ url: `${full.url.replace('http', 'ws')}/voice`, token: String(token) })
    assert.equal((await refused.next('error')).code, 'busy')
    assert.equal(await refused.closed, 1_013)
    client.say('Yes.')
    await waitUntil('the agent has answered', hasTurns(opened.call.id, 3))
    client.end()
    const back = openVoiceClient({ url: opened.url, token: String(token) })
    await back.next('ready')
    back.send({ type: 'end' })
    assert.equal((await ended(tenant, opened.call.id)).end_reason, 'contact_hung_up')
  })

  test('is refused with a used token by a process that had the call before', async () => {
    const opened = await place()
    const client = openVoiceClient(opened)
    const { token } = await client.next('ready')
    await waitUntil('the agent has spoken', hasTurns(opened.call.id, 1))
    // Another process takes the call.
    await server.pool.run(
      sql`update calls set lease_token = ${newId()}, socket_token = 'next', socket_token_before = null
        where workspace_id = ${tenant.id} and id = ${opened.call.id}`,
    )
    const late = openVoiceClient({ url: opened.url, token: String(token) })
    assert.equal(await Promise.race([late.next('ready'), late.closed]), 4_401)
    assert.equal(await client.closed, 1_011)
  })

  test('and does not come back ends the call after ten seconds', async () => {
    const opened = await place()
    const client = openVoiceClient(opened)
    const { token } = await client.next('ready')
    await waitUntil('the agent has spoken', hasTurns(opened.call.id, 1))
    const lost_at = Date.now()
    client.end()
    const { status, end_reason, ended_at } = await ended(tenant, opened.call.id)
    assert.deepEqual([status, end_reason], ['completed', 'carrier_error'])
    assert.ok(Date.parse(ended_at) - lost_at >= 9_000)
    assert.equal(await openVoiceClient({ url: opened.url, token: String(token) }).closed, 4_401)
  })

  test('is heard and answered while the database is away, and nothing is lost', async () => {
    const tenant_away = await server_away.workspace()
    const away_agent = await newCaller(tenant_away, { script })
    const opened = await placeWebCall(tenant_away, { agent_id: away_agent })
    const client = openVoiceClient(opened)
    await client.next('ready')
    await waitUntil('the agent has spoken', async () => (await getCall(tenant_away, opened.call.id)).turn_count === 1)
    proxy.refuse()
    // Longer than a lease lasts, and without a silence that the agent would ask about.
    for (let count = 0; count < 3; count += 1) {
      const heard = client.heard()
      client.say('Yes.')
      await waitUntil('the agent answers', () => client.heard() > heard)
      await sleep(3_000)
    }
    proxy.forwardTo(database_url)
    client.say('Goodbye.')
    assert.deepEqual(await client.next('ended'), { type: 'ended', end_reason: 'agent_hung_up' })
    const { conversation_id, status } = await ended(tenant_away, opened.call.id)
    assert.equal(status, 'completed')
    const sentences = ['One.', 'Two.', 'Three.', 'Four.', 'Goodbye.']
    assert.deepEqual(await saidBy('agent', conversation_id, tenant_away), sentences)
    assert.deepEqual(await saidBy('contact', conversation_id, tenant_away), ['Yes.', 'Yes.', 'Yes.', 'Goodbye.'])
  })
})
