import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { WebSocket } from 'ws'
import { liveCalls } from '../../server/calls/live-calls.ts'
import * as channels from '../../server/channels/store.ts'
import { inTransaction } from '../../server/kit/at.ts'
import { waitUntil } from '../faults/client.ts'
import { openPhoneNetwork } from '../peers/phone.ts'
import type { Behaviour } from '../peers/phone-behaviour.ts'
import { ended, getCall, newCaller, placeCall, turnsOf } from '../support/calls.ts'
import { addFakeSpeech } from '../support/fake-speech.ts'
import { openServer, testPool } from '../support/harness.ts'
import { listCalls, newPhoneChannel, openBareStream, tokenIn } from '../support/phone.ts'
import { phoneNumber } from '../support/samples.ts'
import { own_number, postSigned } from '../support/sms.ts'

const server = await openServer(testPool(), { live_calls_max: 4, live_calls_workspace_max: 3 })
after(server.close)
addFakeSpeech(server)

/** What the carrier says of a call that it was asked about. */
let found = {}
const carrier = http.createServer((request, response) => {
  const sid = request.url?.split('/').at(-1)?.split('.')[0]
  const answer = request.method === 'POST' ? { sid: `CA${Date.now()}` } : { sid, ...found }
  response.writeHead(request.method === 'POST' ? 201 : 200).end(JSON.stringify(answer))
})
await new Promise<void>((resolve) => carrier.listen(0, '127.0.0.1', resolve))
after(() => {
  carrier.closeAllConnections()
  carrier.close()
})
const network = { url: `http://127.0.0.1:${(carrier.address() as AddressInfo).port}` }
/** By the number that is dialled. */
const people = new Map<string, Behaviour>()
const telephones = await openPhoneNetwork({ personFor: (form) => people.get(form.get('To') ?? '') ?? {} })
after(() => telephones.close())

const stream_url = `${server.url.replace('http', 'ws')}/phone`

test('what the carrier says of times is between the dial and now', async () => {
  const tenant = await server.workspace()
  const agent_id = await newCaller(tenant, { greeting: 'Hello.' })
  const channel = await newPhoneChannel(server, tenant, { network, agent_id })
  const odd_times = ['Thu, 01 Jan 1970 00:00:00 +0000', 'Fri, 31 Dec 9999 23:59:59 +0000', '-100000-01-01T00:00:00Z']
  for (const start_time of odd_times) {
    const placed = await placeCall(tenant, { agent_id, to: phoneNumber(), channel_id: channel.id })
    await tenant.work()
    found = { status: 'completed', start_time, end_time: new Date(Date.now() + 30_000).toUTCString() }
    await tenant.work(Date.now() + 61_000)
    const call = await getCall(tenant, placed.id)
    assert.deepEqual([call.status, call.outcome, call.end_reason], ['failed', 'error', 'system_error'], start_time)
    assert.ok(call.started_at <= (call.answered_at ?? call.ended_at), `${start_time}: ${call.answered_at}`)
  }
})

test('streams that never start keep nobody from talking', async () => {
  const tenant = await server.workspace()
  const agent_id = await newCaller(tenant, { greeting: 'Hello.' })
  const channel = await newPhoneChannel(server, tenant, { network, agent_id })
  const idle = Array.from({ length: 510 }, () => new WebSocket(stream_url).on('error', () => {}))
  await Promise.all(idle.map((socket) => Promise.race([once(socket, 'open'), once(socket, 'close')])))
  const form = { CallSid: 'CA1', CallStatus: 'ringing', From: '+14155550123', To: own_number }
  const answer = await postSigned(tenant, channel.inbound_url, form)
  const { socket, messages, closed, send } = await openBareStream(stream_url, tokenIn(answer.text))
  await Promise.race([once(socket, 'message'), closed])
  assert.equal(messages[0]?.event, 'media', 'the agent speaks')
  send({ event: 'stop', streamSid: 'MZ1', stop: {} })
  const [, call_id = ''] = /\/calls\/([^<]+)</.exec(answer.text) ?? []
  assert.equal((await ended(tenant, call_id)).end_reason, 'contact_hung_up')
  for (const one of idle) one.terminate()
})

test('a call is not transferred to its own number, where the agent would answer it again', async () => {
  const tenant = await server.workspace()
  const script = {
    start: 'greet',
    nodes: {
      greet: { say: 'One moment.', go: 'office' },
      office: { tool: 'transfer', with: { to: 'office' }, ok: 'after', failed: 'after' },
      after: { say: 'Goodbye.', go: '@end' },
    },
  }
  const transfers = [{ name: 'office', phone_number: own_number }]
  const agent_id = await newCaller(tenant, { script, transfers })
  const channel = await newPhoneChannel(server, tenant, { network: telephones, agent_id })
  const phone = telephones.call({ from: '+14155550123', to: own_number, webhook_url: channel.inbound_url })
  await phone.untilStreaming()
  const [call] = await listCalls(tenant)
  await waitUntil('the agent goes on', async () => {
    const { conversation_id } = await getCall(tenant, call.id)
    const turns: { text: string }[] = conversation_id === null ? [] : await turnsOf(tenant, conversation_id)
    return turns.some(({ text }) => text.includes('could not reach them'))
  })
  assert.deepEqual(phone.transfers, [])
  await phone.person.hangUp()
  assert.equal((await ended(tenant, call.id)).end_reason, 'contact_hung_up')
})

test('a channel is not deleted while someone is on its line, who would hear an error', async () => {
  const tenant = await server.workspace()
  const agent_id = await newCaller(tenant, { greeting: 'Hello.' })
  const channel = await newPhoneChannel(server, tenant, { network: telephones, agent_id })
  const remove = () =>
    inTransaction(server.at(tenant.id), (at) => channels.remove(at, { id: channel.id, isCurrent: () => true }))
  const scheduled_at = new Date(Date.now() + 3_600_000).toISOString()
  await placeCall(tenant, { agent_id, to: phoneNumber(), channel_id: channel.id, scheduled_at })
  const placed = await placeCall(tenant, { agent_id, to: phoneNumber(), channel_id: channel.id })
  await tenant.work()
  const phone = await telephones.nextCall()
  const refused = { code: 'INVALID_STATE', details: { used_by: [{ kind: 'call', id: placed.id }] } }
  await assert.rejects(remove(), refused)
  await phone.untilStreaming()
  await assert.rejects(remove(), refused)
  await phone.person.hangUp()
  await ended(tenant, placed.id)
  assert.deepEqual(await remove(), { deleted: true })
})

test('who calls does not take the room of those who are called, and would hear nobody', async () => {
  const tenant = await server.workspace()
  const agent_id = await newCaller(tenant, { greeting: 'Hello.' })
  const channel = await newPhoneChannel(server, tenant, { network: telephones, agent_id })
  const callIn = (from: string) => telephones.call({ from, to: own_number, webhook_url: channel.inbound_url })
  const numbers = [phoneNumber(), phoneNumber()]
  for (const to of numbers) {
    people.set(to, { takes: 'no_answer' })
    await placeCall(tenant, { agent_id, to, channel_id: channel.id })
  }
  await tenant.work()
  const [one, other] = [await telephones.nextCall(), await telephones.nextCall()]
  await waitUntil('the calls of other tests have left', () => liveCalls.of(server.at('')).count === 0)
  const caller = callIn('+14155550123')
  await caller.untilStreaming()
  assert.deepEqual(await callIn('+14155550124').ended, { status: 'busy', ended_by: 'service' })
  one.person.answer()
  await one.untilStreaming()
  await waitUntil('both are driven', () => liveCalls.of(server.at('')).count === 2)
  // Who has answered counts once, and who doesn't answer no longer.
  assert.deepEqual(await callIn('+14155550125').ended, { status: 'busy', ended_by: 'service' })
  other.person.decline()
  await other.reported
  const last = callIn('+14155550126')
  await last.untilStreaming()
  for (const { person } of [caller, one, last]) await person.hangUp()
})
