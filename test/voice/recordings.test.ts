import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { LiveCalls, liveCalls } from '../../server/calls/live-calls.ts'
import { openRecording } from '../../server/calls/record/parts.ts'
import * as clock from '../../server/kit/clock.ts'
import { newId } from '../../server/kit/id.ts'
import { openLog } from '../../server/kit/log.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { waitUntil } from '../faults/client.ts'
import { ended, getCall, newCaller, turnsOf } from '../support/calls.ts'
import { addFakeSpeech } from '../support/fake-speech.ts'
import { openServer, type Tenant, testPool } from '../support/harness.ts'
import { openVoiceClient, placeWebCall } from '../support/voice-client.ts'
import { withTool } from '../support/with-tool.ts'

const server = await openServer(testPool())
after(server.close)
addFakeSpeech(server)
const log = openLog('silent')
const header_bytes = 58
const bytes_per_ms = 16

/** Keys of the files that there are for a call, of those that were ever stored. */
async function filesOf(tenant: Tenant, keys: string[]): Promise<string[]> {
  const { blobs } = server.at(tenant.id).tools
  const sizes = await Promise.all(keys.map((key) => blobs.size(key)))
  return keys.filter((_, index) => sizes[index] !== undefined)
}

const rowsOf = async (tenant: Tenant): Promise<{ blob_key: string }[]> =>
  server.pool.many(
    sql`select blob_key from recording_parts where workspace_id = ${tenant.id}
      union all select blob_key from recording_files where workspace_id = ${tenant.id}`,
  )

const keysOf = async (tenant: Tenant): Promise<string[]> => (await rowsOf(tenant)).map(({ blob_key }) => blob_key)

async function talk(tenant: Tenant, agent: object, body: object = {}) {
  const agent_id = await newCaller(tenant, { greeting: 'Hello.', ...agent })
  const place = await placeWebCall(tenant, { agent_id, ...body })
  const client = openVoiceClient(place)
  await waitUntil('the agent has spoken', async () => (await getCall(tenant, place.call.id)).turn_count === 1)
  return { client, id: place.call.id }
}

test('only who was told so is recorded', async () => {
  const tenant = await server.workspace()
  const { client, id } = await talk(tenant, { recording: { is_on: true, notice: null } })
  assert.equal((await getCall(tenant, id)).recording.status, 'none')
  client.send({ type: 'end' })
  await ended(tenant, id)
  assert.equal((await tenant.call('GET', `/calls/${id}/recording`)).status, 404)
})

test('a recording is as long as its call, with both sides in it', async () => {
  const tenant = await server.workspace()
  const { client, id } = await talk(tenant, { recording: { is_on: true, notice: 'This call is recorded.' } })
  await waitUntil('it is recorded', async () => (await getCall(tenant, id)).recording.status === 'recording')
  client.say('No, thank you.')
  await waitUntil('the contact was heard', async () => (await getCall(tenant, id)).turn_count >= 2)
  client.send({ type: 'end' })
  const call = await ended(tenant, id)
  assert.equal(call.recording.status, 'rendering')
  const early = await tenant.call('GET', `/calls/${id}/recording`)
  assert.deepEqual([early.status, early.body.error.details.reason], [409, 'rendering'])
  const keys: string[] = []
  await waitUntil('the recording is ready', async () => {
    keys.push(...(await rowsOf(tenant)).map(({ blob_key }) => blob_key))
    await tenant.work()
    return (await getCall(tenant, id)).recording.status === 'ready'
  })
  const { recording } = await getCall(tenant, id)
  assert.deepEqual(recording, { status: 'ready', duration_ms: call.duration_ms, format: 'wav' })
  const answer = await fetch(`${server.url}/api/v1/calls/${id}/recording`, {
    headers: { authorization: `Bearer ${tenant.key}` },
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  assert.equal(bytes.length, header_bytes + call.duration_ms * bytes_per_ms)
  const silence = [0xff, 0x7f]
  const isHeard = (channel: number) =>
    bytes.subarray(header_bytes).some((byte, index) => index % 2 === channel && !silence.includes(byte))
  assert.deepEqual([isHeard(0), isHeard(1)], [true, true])
  // Nothing is left of the parts, and nothing at all after a deletion.
  assert.deepEqual(await rowsOf(tenant), [])
  assert.deepEqual(await filesOf(tenant, [...new Set(keys)]), [keys.find((key) => key.endsWith('.wav'))])
  assert.equal((await tenant.call('DELETE', `/calls/${id}/recording`)).status, 200)
  await tenant.work()
  assert.deepEqual([await rowsOf(tenant), await filesOf(tenant, keys)], [[], []])
})

const recorded = { greeting: 'Hello.', recording: { is_on: true, notice: 'This call is recorded.' } }

/** Who hears the agent, and says itself what was played. */
async function listen(tenant: Tenant) {
  const agent_id = await newCaller(tenant, recorded)
  const place = await placeWebCall(tenant, { agent_id })
  const client = openVoiceClient(place, { is_playing: false })
  // A tenth of a second for each word.
  await waitUntil('the notice was sent', () => client.heard() >= 400 * 32)
  return { client, id: place.call.id }
}

test('nothing is kept of a call in which the notice was not heard to its end', async () => {
  const tenant = await server.workspace()
  const { client, id } = await listen(tenant)
  client.send({ type: 'played', ms: 310 })
  client.say('No, thank you.')
  await waitUntil('the contact was heard', () => client.messages.some(({ role }) => role === 'contact'))
  assert.equal((await getCall(tenant, id)).recording.status, 'none')
  client.send({ type: 'end' })
  const { recording, conversation_id } = await ended(tenant, id)
  assert.equal(recording.status, 'none')
  assert.deepEqual(
    (await turnsOf(tenant, conversation_id)).map(({ heard }: { heard: string }) => heard),
    ['This call is', 'No, thank you.'],
  )
  await tenant.work()
  assert.deepEqual(await rowsOf(tenant), [])
})

test('words over the notice do not stop it, and what was said before its end is recorded', async () => {
  const tenant = await server.workspace()
  const { client, id } = await listen(tenant)
  client.say('No, thank you.')
  await waitUntil('the contact was heard', () => client.messages.some(({ role }) => role === 'contact'))
  client.send({ type: 'played', ms: 500 })
  client.send({ type: 'end' })
  const { recording, conversation_id } = await ended(tenant, id)
  assert.equal(recording.status, 'rendering')
  const [opening] = await turnsOf(tenant, conversation_id)
  assert.equal(opening.heard, 'This call is recorded. Hello.')
  await waitUntil('the recording is ready', async () => {
    await tenant.work()
    return (await getCall(tenant, id)).recording.status === 'ready'
  })
})

test('parts that a killed process has left are joined, or removed with the recording', async () => {
  const tenant = await server.workspace()
  const kept = await tenant.addCall({ is_over: false })
  const at = server.at(tenant.id)
  const recording = openRecording(at, { call: kept, began_at: at.now, continues_at: undefined, log })
  recording.allow()
  recording.keep({ start_ms: 0, bytes: new Uint8Array(100 * bytes_per_ms) })
  recording.keep({ start_ms: 300, bytes: new Uint8Array(100 * bytes_per_ms) })
  await recording.stored()
  const keys = (await rowsOf(tenant)).map(({ blob_key }) => blob_key)
  assert.equal((await filesOf(tenant, keys)).length, 2)
  // Its process ends the call, and is killed before it says that all is stored.
  await server.pool.run(
    sql`update calls set recording_status = 'rendering', duration_ms = 500 where workspace_id = ${tenant.id} and id = ${kept.id}`,
  )
  await server.pool.run(
    sql`insert into recording_files (workspace_id, id, blob_key, due_at)
      values (${tenant.id}, ${kept.id}, ${`${tenant.id}/joined.wav`}, ${clock.iso(at.now)})`,
  )
  await tenant.work()
  assert.equal((await getCall(tenant, kept.id)).recording.status, 'ready')
  assert.deepEqual([await rowsOf(tenant), await filesOf(tenant, keys)], [[], []])
  assert.equal(await at.tools.blobs.size(`${tenant.id}/joined.wav`), header_bytes + 500 * bytes_per_ms)
  await at.tools.blobs.remove(`${tenant.id}/joined.wav`)
})

test('the parts of a recording that is deleted during the call are removed, and no more are stored', async () => {
  const tenant = await server.workspace()
  const call = await tenant.addCall()
  const at = server.at(tenant.id)
  const recording = openRecording(at, { call, began_at: at.now, continues_at: undefined, log })
  recording.allow()
  recording.keep({ start_ms: 0, bytes: new Uint8Array(16) })
  await recording.stored()
  const keys = (await rowsOf(tenant)).map(({ blob_key }) => blob_key)
  assert.equal(keys.length, 1)
  assert.equal((await tenant.call('DELETE', `/calls/${call.id}/recording`)).status, 200)
  recording.keep({ start_ms: 1, bytes: new Uint8Array(16) })
  await recording.stored()
  await tenant.work()
  assert.deepEqual([await rowsOf(tenant), await filesOf(tenant, keys)], [[], []])
})

test('a call that another process has taken leaves its socket and its slot before its recording is stored', async () => {
  const small = await openServer(testPool(), { live_calls_max: 1 })
  after(small.close)
  addFakeSpeech(small)
  const tenant = await small.workspace()
  const { tools } = small.at(tenant.id)
  const { blobs } = tools
  const { promise: is_back, resolve: comeBack } = Promise.withResolvers<void>()
  tools.blobs = { ...blobs, put: (key, blob) => is_back.then(() => blobs.put(key, blob)) }
  const { client, id } = await talk(tenant, { recording: { is_on: true, notice: 'This call is recorded.' } })
  await small.pool.run(sql`update calls set lease_token = ${newId()} where workspace_id = ${tenant.id} and id = ${id}`)
  client.say('Yes.')
  assert.equal(await client.closed, 1_011)
  const next = await talk(tenant, {})
  next.client.send({ type: 'end' })
  await ended(tenant, next.id)
  comeBack()
  await waitUntil('the part is stored', async () => (await filesOf(tenant, await keysOf(tenant))).length === 1)
})

/** A bucket that fails this often. */
function failing(tenant: Tenant, failures: number) {
  const at = server.at(tenant.id)
  let left = failures
  const put: typeof at.tools.blobs.put = async (key, blob) => {
    left -= 1
    if (left >= 0) throw new Error('the bucket is away')
    await at.tools.blobs.put(key, blob)
  }
  return { ...at, tools: { ...at.tools, blobs: { ...at.tools.blobs, put } } }
}

test('parts wait for a bucket that is away, and the recording is joined when all are stored', async () => {
  const tenant = await server.workspace()
  const call = await tenant.addCall({ lease_until: Date.now() + 3_600_000 })
  const pauses: number[] = []
  const { promise: is_back, resolve: comeBack } = Promise.withResolvers<void>()
  const at = failing(tenant, 50)
  const recording = openRecording(at, {
    call,
    began_at: at.now,
    continues_at: undefined,
    log,
    pause: async (ms) => {
      pauses.push(ms)
      if (pauses.length === 49) await is_back
    },
  })
  recording.allow()
  recording.keep({ start_ms: 0, bytes: new Uint8Array(100 * bytes_per_ms) })
  recording.keep({ start_ms: 100, bytes: new Uint8Array(100 * bytes_per_ms) })
  await waitUntil('it was tried many times', () => pauses.length === 49)
  await server.pool.run(
    sql`update calls set recording_status = 'rendering', duration_ms = 200 where workspace_id = ${tenant.id} and id = ${call.id}`,
  )
  await server.pool.run(
    sql`insert into recording_files (workspace_id, id, blob_key, due_at)
      values (${tenant.id}, ${call.id}, ${`${tenant.id}/late.wav`}, ${clock.iso(at.now)})`,
  )
  await tenant.work()
  assert.equal((await getCall(tenant, call.id)).recording.status, 'rendering', 'the parts are waited for')
  comeBack()
  await recording.stored()
  assert.equal(Math.max(...pauses), 10_000)
  // The row was leased until the end of the longest upload.
  await server.pool.run(sql`update recording_files set lease_until = null where workspace_id = ${tenant.id}`)
  await tenant.work()
  assert.equal((await getCall(tenant, call.id)).recording.status, 'ready')
  const joined = await at.tools.blobs.open(`${tenant.id}/late.wav`)
  const bytes = Buffer.concat((await joined?.stream.toArray()) ?? []).subarray(header_bytes)
  assert.ok(bytes.length === 200 * bytes_per_ms && bytes.every((byte) => byte === 0))
  await at.tools.blobs.remove(`${tenant.id}/late.wav`)
})

test('more than half an hour of a call does not wait', async () => {
  const tenant = await server.workspace()
  const call = await tenant.addCall({ is_over: false })
  const at = failing(tenant, 1)
  const { promise: is_back, resolve: comeBack } = Promise.withResolvers<void>()
  const recording = openRecording(at, { call, began_at: at.now, continues_at: undefined, log, pause: () => is_back })
  recording.allow()
  const before = liveCalls.of(at).unstored_bytes
  for (let index = 0; index < 61; index += 1) recording.keep({ start_ms: index, bytes: new Uint8Array(bytes_per_ms) })
  assert.equal(liveCalls.of(at).unstored_bytes - before, 60 * bytes_per_ms)
  comeBack()
  await recording.stored()
  assert.equal((await rowsOf(tenant)).length, 60)
  assert.equal(liveCalls.of(at).unstored_bytes, before)
})

test('a call does not wait when all calls have too much in memory', async () => {
  const tenant = await server.workspace()
  const call = await tenant.addCall({ is_over: false })
  const at = failing(tenant, 0)
  const full = new LiveCalls({ live_calls_max: undefined, live_calls_workspace_max: undefined })
  assert.equal(full.holdUnstored(128 * 1024 * 1024 - 16), true)
  const recording = openRecording(withTool(at, liveCalls, full), {
    call,
    began_at: at.now,
    continues_at: undefined,
    log,
  })
  recording.allow()
  recording.keep({ start_ms: 0, bytes: new Uint8Array(17) })
  recording.keep({ start_ms: 1, bytes: new Uint8Array(16) })
  await recording.stored()
  assert.equal((await rowsOf(tenant)).length, 1)
})
