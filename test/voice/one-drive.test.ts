import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { WebSocket } from 'ws'
import { liveCalls } from '../../server/calls/live-calls.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { waitUntil } from '../faults/client.ts'
import { ended, getCall, newCaller } from '../support/calls.ts'
import { addFakeSpeech } from '../support/fake-speech.ts'
import { openServer, type Server, testPool } from '../support/harness.ts'
import { openVoiceClient, placeWebCall, type VoiceClient } from '../support/voice-client.ts'
import { startVoiceProcess } from '../support/voice-process.ts'

const server = await openServer(testPool())
after(server.close)
addFakeSpeech(server)
const small = await openServer(testPool(), { live_calls_max: 1 })
after(small.close)
addFakeSpeech(small)
const other = await startVoiceProcess()
after(other.kill)
const tenant = await server.workspace()
const agent_id = await newCaller(tenant, { greeting: 'Hello.', model: null })
const countCalls = (of: Server) => liveCalls.of(of.at(tenant.id)).count

const urlOf = (of: Server) => `${of.url.replace('http', 'ws')}/voice`

/** The agent speaks in a call at this server. */
async function talk(at: Server) {
  const { call, token: first_token } = await placeWebCall(tenant, { agent_id })
  const url = urlOf(at)
  const client = openVoiceClient({ url, token: first_token })
  const token = String((await client.next('ready')).token)
  await waitUntil('the agent has spoken', async () => (await getCall(tenant, call.id)).turn_count === 1)
  return { id: call.id, url, client, token }
}

const answerTo = (client: VoiceClient) =>
  client.next('ready').then(
    () => 'ready',
    () => client.closed,
  )

async function hangUp(id: string): Promise<void> {
  await tenant.call('POST', `/calls/${id}/hang_up`)
  await ended(tenant, id)
}

/** Nothing of the call can be written until it is unlocked. */
async function lockCall(id: string): Promise<{ unlock: () => Promise<void> }> {
  const released = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holding = server.pool.tx(async (db) => {
    await db.run(sql`select id from calls where workspace_id = ${tenant.id} and id = ${id} for update`)
    locked.resolve()
    await released.promise
  })
  await locked.promise
  return {
    unlock: () => {
      released.resolve()
      return holding
    },
  }
}

test('a client that comes back keeps its sample rate', async () => {
  const { id, url, client, token } = await talk(server)
  const before = countCalls(server)
  const refused = openVoiceClient({ url, token }, { sample_rate: 8_000 })
  assert.equal(await answerTo(refused), 1_008)
  assert.equal(refused.messages[0]?.code, 'invalid_message')
  assert.equal(countCalls(server), before)
  assert.equal(client.socket.readyState, WebSocket.OPEN)
  const back = openVoiceClient({ url, token })
  await back.next('ready')
  await hangUp(id)
})

test('a call that comes back from another process takes no more room, and its earlier socket is closed', async () => {
  const { id, url, client, token } = await talk(small)
  const there = openVoiceClient({ url: other.url, token })
  const { token: next = '' } = await there.next('ready')
  const back = openVoiceClient({ url, token: String(next) })
  await back.next('ready')
  assert.equal(countCalls(small), 1)
  assert.equal(await client.closed, 1_011)
  await waitUntil('the agent speaks', () => back.heard() > 0)
  back.send({ type: 'end' })
  assert.equal((await ended(tenant, id)).end_reason, 'contact_hung_up')
  await waitUntil('there is room', () => countCalls(small) === 0)
})

for (const last of ['end', 'ended'])
  test(`a call can not be opened again after ${last}, also while that is not yet stored`, async () => {
    const { id, url, client, token } = await talk(server)
    const { unlock } = await lockCall(id)
    client.send({ type: 'end' })
    if (last === 'ended') await client.next('ended')
    const late = openVoiceClient({ url, token })
    const answer = answerTo(late)
    // A process that takes the call waits for the lock.
    setTimeout(() => void unlock(), 500)
    assert.equal(await answer, 4_401)
    assert.equal((await ended(tenant, id)).end_reason, 'contact_hung_up')
  })

test('a call that is taken during a stop is left to another process', async () => {
  const stopping = await openServer(testPool())
  addFakeSpeech(stopping)
  const { call, token } = await placeWebCall(tenant, { agent_id })
  const { unlock } = await lockCall(call.id)
  const client = openVoiceClient({ url: urlOf(stopping), token })
  await waitUntil('it takes the call', () => countCalls(stopping) === 1)
  const closing = stopping.close()
  await client.closed
  await unlock()
  await closing
  const leased = sql`select lease_token from calls where workspace_id = ${tenant.id} and id = ${call.id}`
  assert.deepEqual(await server.pool.one(leased), { lease_token: null })
  const back = openVoiceClient({ url: urlOf(server), token })
  await back.next('ready')
  back.send({ type: 'end' })
  await ended(tenant, call.id)
})
