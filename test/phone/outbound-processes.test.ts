import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { LiveCalls, liveCalls } from '../../server/calls/live-calls.ts'
import { waitUntil } from '../faults/client.ts'
import { openPhoneNetwork } from '../peers/phone.ts'
import type { Behaviour } from '../peers/phone-behaviour.ts'
import type { PhoneCall } from '../peers/phone-call.ts'
import { ended, getCall, newCaller, placeCall, turnsOf } from '../support/calls.ts'
import { addFakeSpeech } from '../support/fake-speech.ts'
import { openServer, testPool } from '../support/harness.ts'
import { newPhoneChannel, sayPhrase } from '../support/phone.ts'
import { phoneNumber } from '../support/samples.ts'
import { startVoiceProcess } from '../support/voice-process.ts'

/* The worker of one process dials, and the streams open at another one. */

const secrets_key = randomBytes(32).toString('base64')
const limits = { live_calls_max: 3, live_calls_workspace_max: 2 }
const server = await openServer(testPool(), { secrets_key, ...limits })
after(server.close)
addFakeSpeech(server)
const other = await startVoiceProcess({ secrets_key, public_url: server.url })
after(other.kill)

/** By the number that is dialled. */
const people = new Map<string, Behaviour>()
let reports_go_to = server.url
const network = await openPhoneNetwork({
  personFor: (form) => people.get(form.get('To') ?? '') ?? {},
  route(url) {
    if (url.startsWith('ws')) return other.url.replace('/voice', '/phone')
    return url.replace(server.url, reports_go_to)
  },
})
after(() => network.close())

const tenant = await server.workspace()

async function openChannel(fields: object): Promise<{ agent_id: string; channel_id: string }> {
  const agent_id = await newCaller(tenant, fields)
  const channel = await newPhoneChannel(server, tenant, { network, agent_id, address: phoneNumber() })
  return { agent_id, channel_id: channel.id }
}

async function place(person: Behaviour, from: { agent_id: string; channel_id: string }): Promise<Placed> {
  const to = phoneNumber()
  people.set(to, person)
  return placeCall(tenant, { to, ...from })
}

type Placed = { id: string; to: string }

const phoneOf = ({ to }: Placed) => network.calls.findLast((one) => one.to === to)

async function call(person: Behaviour, fields: object): Promise<{ id: string; phone: PhoneCall }> {
  const placed = await place(person, await openChannel(fields))
  await tenant.work()
  const phone = phoneOf(placed)
  assert.ok(phone)
  return { id: placed.id, phone }
}

test('a call that one process has dialled is held by another one', async () => {
  const script = { start: 'greet', nodes: { greet: { say: 'Hello.', else: { say: 'Goodbye.', go: '@end' } } } }
  const { id, phone } = await call({}, { script })
  await phone.untilStreaming()
  await phone.person.untilQuiet(await phone.person.untilHeard(0))
  await sayPhrase(phone.person, 'Yes.')
  assert.deepEqual(await phone.ended, { status: 'completed', ended_by: 'service' })
  const found = await ended(tenant, id)
  assert.deepEqual([found.status, found.outcome, found.end_reason], ['completed', 'answered', 'agent_hung_up'])
  assert.equal(liveCalls.of(server.at('')).count, 0)
})

test('the process that holds a call learns who has answered from the one that gets the report', async () => {
  const voicemail = { greeting: new Int16Array(0), verdict: { answered_by: 'machine_end_beep', after_ms: 500 } }
  const { id, phone } = await call(voicemail, { greeting: 'Hello.', voicemail_message: 'Please call us back.' })
  await phone.ended
  const found = await ended(tenant, id)
  assert.deepEqual([found.outcome, found.end_reason], ['voicemail', 'voicemail_left'])
  const words = (await turnsOf(tenant, found.conversation_id)).map(({ heard }: { heard: string }) => heard)
  assert.match(words.join(' '), /Please call us back\./)
})

test('reports at a process that has dialled nothing count as well', async () => {
  reports_go_to = other.url.replace('ws', 'http').replace('/voice', '')
  const { id, phone } = await call({ takes: 'busy' }, {})
  await phone.reported
  assert.equal((await ended(tenant, id)).outcome, 'busy')
})

test('a process without streams has as many calls at a time as it may have live ones', async () => {
  liveCalls.set(server.at(''), new LiveCalls(limits))
  const from = await openChannel({ greeting: 'Hello.' })
  const placed = [await place({}, from), await place({}, from), await place({}, from)]
  await tenant.work()
  const dialed = placed.filter(phoneOf)
  assert.equal(dialed.length, 2)
  for (const one of dialed) await phoneOf(one)?.untilStreaming()
  await waitUntil('both are held elsewhere', async () => {
    const calls = await Promise.all(dialed.map(({ id }) => getCall(tenant, id)))
    return calls.every(({ conversation_id }) => conversation_id !== null)
  })
  await tenant.work(Date.now() + 5_000)
  assert.equal(placed.filter(phoneOf).length, 2)
  for (const one of dialed) {
    await phoneOf(one)?.person.hangUp()
    await ended(tenant, one.id)
  }
  await tenant.work(Date.now() + 10_000)
  assert.equal(placed.filter(phoneOf).length, 3)
})
