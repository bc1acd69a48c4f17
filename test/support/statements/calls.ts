import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { withoutQuiet } from '../../../server/calls/change/quiet-hours.ts'
import { due_calls, findToTake, isAwaited, parseSocketToken, take } from '../../../server/calls/claim.ts'
import { store } from '../../../server/calls/record/files.ts'
import { openRecording } from '../../../server/calls/record/parts.ts'
import {
  endLease,
  findLost,
  findNotOver,
  findOtherCarrierIds,
  isEndedOrHeld,
  postponeEnds,
  renewLeases,
} from '../../../server/calls/rows.ts'
import { readWithVoice } from '../../../server/channels/store.ts'
import { readTalk } from '../../../server/conversations/claim.ts'
import { findEndedRuns } from '../../../server/conversations/tool-runs.ts'
import type { Service } from '../../../server/kit/at.ts'
import * as clock from '../../../server/kit/clock.ts'
import { newId } from '../../../server/kit/id.ts'
import { openLog } from '../../../server/kit/log.ts'
import { moveDue } from '../../../server/kit/work/due.ts'
import * as retention from '../../../server/retention.ts'
import { waitUntil } from '../../faults/client.ts'
import { advance, ended, getCall, newCaller } from '../calls.ts'
import type { Server } from '../harness.ts'
import { newPhoneChannel } from '../phone.ts'
import { addRecordedCall, one_word } from '../recorded-calls.ts'
import { phoneNumber } from '../samples.ts'
import { postSigned } from '../sms.ts'
import { openVoiceClient, placeWebCall } from '../voice-client.ts'

const never = () => false
const log = openLog('silent')

/** Calls that are found, canceled, redacted and deleted. */
export async function placeCalls(server: Server): Promise<void> {
  const tenant = await server.workspace()
  const { call, addCall } = tenant
  await call('PATCH', '/workspace', { settings: { calls_keep_days: 1 } })
  const agent_id = (await call('POST', '/agents', { name: 'Reception' })).body.data.id
  await tenant.addChannel({ kind: 'voice', agent_id: null })
  await readWithVoice({ db: server.pool })
  const to = phoneNumber()
  assert.equal((await call('POST', '/calls', { agent_id, to })).status, 400)
  assert.equal((await call('POST', '/calls', { agent_id, to, simulate: '00' })).status, 201)
  const { id, conversation_id } = await addCall({ agent_id, is_over: true })
  const time = clock.iso(clock.wall())
  const filters = [
    'status=queued',
    'outcome=answered',
    'direction=outbound',
    'search=good',
    'search=a,%20b',
    'contact_id=x',
    `agent_id=${agent_id}`,
    `created_after=${time}&created_before=${time}`,
  ]
  for (const filter of filters) assert.equal((await call('GET', `/calls?${filter}`)).status, 200)
  await call('GET', `/calls/${id}`)
  await moveDue(server.at(tenant.id), due_calls)
  await call('POST', `/conversations/${conversation_id}/redact`)
  const in_two_days = () => clock.wall() + 2 * clock.day_ms
  const service: Service = { ...server.at(tenant.id), pool: server.pool }
  const options = { service, events_keep_days: 30, isStopping: never, log, now: in_two_days }
  await retention.removeExpiredIn(options, tenant.id)
  assert.equal((await call('GET', `/calls/${id}`)).status, 404)
}

/** Calls that are scheduled, driven by an advance, and continued by people. */
export async function driveCalls(server: Server): Promise<void> {
  const tenant = await server.workspace()
  const at = server.at(tenant.id)
  await tenant.addTestClock()
  const script = { start: 'hi', nodes: { hi: { say: 'Hello?', on: [{ intent: 'yes', go: '@end' }] } } }
  const agent_id = (await tenant.call('POST', '/agents', { name: 'Reception', script })).body.data.id
  const scheduled_at = clock.iso(at.now + 1_000)
  const contact_id = (await tenant.call('POST', '/contacts', { phone_number: '+14155550109' })).body.data.id
  const { id } = (await tenant.call('POST', '/calls', { agent_id, contact_id, scheduled_at })).body.data
  await advance(tenant, 15)
  const { conversation_id } = (await tenant.call('GET', `/calls/${id}`)).body.data
  await tenant.call('POST', `/conversations/${conversation_id}/hand_over`)
  await tenant.call('POST', `/conversations/${conversation_id}/answers`, { text: 'Hello.' })
  await advance(tenant, 2_000)
  assert.equal((await tenant.call('GET', `/calls/${id}`)).body.data.status, 'completed')
  await renewLeases(at, [])
  assert.equal((await findEndedRuns(at, { conversation_id, ids: [newId()] })).size, 0)
  const at_night = { ...at, now: clock.parse('2027-03-02T10:00:00Z') }
  const waiting = {
    id: newId(),
    contact_id,
    conversation_id: null,
    to: '+14155550109',
    started_at: null,
    request: null,
    line: null,
    carrier_id: null,
    is_dialing: false,
  }
  const callback = { ...waiting, status: 'scheduled' as const, keeps_quiet_hours: true }
  assert.deepEqual(await withoutQuiet(at_night, [callback], newId()), [])
}

/** The recording is deleted, and its file removed, while it is stored. */
export async function deleteWhileStored(server: Server): Promise<void> {
  const tenant = await server.workspace()
  const id = await addRecordedCall(server.pool, tenant, one_word)
  const at = server.at(tenant.id)
  const put = async () => {
    await tenant.call('DELETE', `/calls/${id}/recording`)
    await tenant.work()
  }
  const tools = { ...at.tools, blobs: { ...at.tools.blobs, put } }
  const call = { id, created_at: '2026-11-15T09:30:00.000Z' }
  await store({ ...at, tools }, call, { size: 0, stream: Readable.from([]) })
}

/** A call in a browser that is taken, and one whose client comes back, with a recording. */
export async function talkInBrowser(server: Server): Promise<void> {
  const tenant = await server.workspace()
  const at = server.at(tenant.id)
  const agent_id = await newCaller(tenant, { greeting: 'Hello.' })
  const waiting = await placeWebCall(tenant, { agent_id })
  const token = parseSocketToken(waiting.token)
  assert.ok(token)
  const wanted = { line: 'browser' as const, id: token.call_id, token: token.hash, origin: null }
  const opening = { ...wanted, next_token: 'next', held: null }
  assert.ok(await findToTake(at, opening))
  const taken = await take(at, opening)
  assert.ok(taken && (await isAwaited(at, opening)))
  assert.deepEqual(await findLost(at, [taken]), [])
  assert.equal(await isEndedOrHeld(at, taken), true)
  await postponeEnds(at, [{ id: taken.id, token: taken.token, due_at: clock.iso(at.now + 60_000) }])
  assert.deepEqual(await findLost(at, [taken]), [])
  assert.equal(await endLease(at, taken), 1)
  const place = await placeWebCall(tenant, { agent_id, is_test: true })
  const client = openVoiceClient(place)
  const { token: next } = await client.next('ready')
  await waitUntil('the agent has spoken', async () => (await getCall(tenant, place.call.id)).turn_count === 1)
  client.end()
  const back = openVoiceClient({ url: place.url, token: String(next) })
  await back.next('ready')
  back.send({ type: 'end' })
  const { conversation_id } = await ended(tenant, place.call.id)
  assert.equal((await readTalk(at, conversation_id)).turns.length, 1)
  await waitUntil('the recording is ready', async () => {
    await tenant.work()
    return (await getCall(tenant, place.call.id)).recording.status === 'ready'
  })
  for (const range of ['bytes=0-', 'bytes=1-'])
    assert.equal((await tenant.call('GET', `/calls/${place.call.id}/recording`, undefined, { range })).status, 206)
  const channel = await tenant.addChannel({ kind: 'voice', provider: 'web', agent_id })
  assert.equal((await tenant.send(`${channel.public_url}/calls`, {})).status, 201)
  await deletePart(server)
}

/** Somebody calls, and the carrier asks what is next. Then the agent calls, and the carrier can't be asked. */
export async function talkByPhone(server: Server): Promise<void> {
  const tenant = await server.workspace()
  const { call } = tenant
  const agent_id = await newCaller(tenant, { greeting: 'Hello.' })
  const channel = await newPhoneChannel(server, tenant, { network: { url: 'http://127.0.0.1' }, agent_id })
  const form = { CallSid: 'CA1', CallStatus: 'in-progress', From: '+14155550123', To: channel.address }
  assert.equal((await postSigned(tenant, channel.inbound_url, form)).status, 200)
  assert.equal((await postSigned(tenant, channel.inbound_url, form)).status, 200)
  const placed = await call('POST', '/calls', { agent_id, to: '+14155550124', channel_id: channel.id })
  await tenant.work()
  const report = { CallSid: 'CA2', CallStatus: 'ringing' }
  const url = `${channel.inbound_url}/calls/${placed.body.data.id}/status`
  assert.equal((await postSigned(tenant, url, report)).status, 200)
  const { id } = placed.body.data
  assert.deepEqual(await findNotOver(server.at(tenant.id), { ids: [id], counts_taken: false }), new Set([id]))
  const owned = { id, carrier_ids: ['CA1', 'CA2'] }
  assert.deepEqual(await findOtherCarrierIds(server.at(tenant.id), owned), new Set(['CA1']))
}

/** A part of a recording is deleted while it is stored. */
async function deletePart(server: Server): Promise<void> {
  const tenant = await server.workspace()
  const call = await tenant.addCall()
  const at = server.at(tenant.id)
  const { promise, resolve } = Promise.withResolvers<void>()
  const put = async () => {
    resolve()
    throw new Error('the bucket is away')
  }
  const outside = { ...at, tools: { ...at.tools, blobs: { ...at.tools.blobs, put } } }
  const recording = openRecording(outside, { call, began_at: at.now, continues_at: undefined, log })
  recording.allow()
  recording.keep({ start_ms: 0, bytes: new Uint8Array(16) })
  await promise
  assert.equal((await tenant.call('DELETE', `/calls/${call.id}/recording`)).status, 200)
  await tenant.work()
}
