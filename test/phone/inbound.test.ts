import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, beforeEach, test } from 'node:test'
import { WebSocket } from 'ws'
import { sound } from '../../server/audio/sound.ts'
import { liveCalls, newLiveCall } from '../../server/calls/live-calls.ts'
import * as channels from '../../server/channels/store.ts'
import { addTokens } from '../../server/channels/usage.ts'
import { inTransaction } from '../../server/kit/at.ts'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { errorCode, invalidState } from '../../server/kit/problem.ts'
import { waitUntil } from '../faults/client.ts'
import { openPhoneNetwork } from '../peers/phone.ts'
import { ended, getCall, newCaller, turnsOf } from '../support/calls.ts'
import { unknown_id } from '../support/contacts.ts'
import { addFakeSpeech } from '../support/fake-speech.ts'
import { openServer, testPool } from '../support/harness.ts'
import { listCalls, newPhoneChannel, sayPhrase } from '../support/phone.ts'
import { own_number, postSigned, signatureOf } from '../support/sms.ts'

/** A sharded database may report a race for a unique value with another code, so that the transaction is not tried again. */
const asFromShard = (error: unknown): never => {
  throw errorCode(error) === '23505' ? Object.assign(new Error('duplicate key'), { code: 'XX000' }) : error
}
const pool = testPool()
const sharded: Pool = { ...pool, tx: (work, options) => pool.tx((db) => work(db).catch(asFromShard), options) }
const server = await openServer(sharded, { live_calls_max: 4, live_calls_workspace_max: 3 })
/** Room is kept for a stream for a while, and many streams are never opened here. */
const forgetAdmitted = () => {
  const later = server.at('', Date.now() + 10_000)
  return liveCalls.of(later).check(later, newLiveCall(later, undefined))
}
beforeEach(async () => {
  // Those of the test before may still end.
  await waitUntil('no call is driven', () => liveCalls.of(server.at('')).count === 0)
  await forgetAdmitted()
})
after(server.close)
addFakeSpeech(server)
const network = await openPhoneNetwork()
after(() => network.close())

const script = {
  start: 'greet',
  nodes: {
    greet: { say: 'Hello. Is Tuesday all right?', on: [{ intent: 'yes', go: 'bye' }], else: { go: 'greet' } },
    bye: { say: 'See you on Tuesday. Goodbye.', go: '@end' },
  },
}

/** Another workspace for each test, because they list its calls. */
async function openWorld(fields: object = { script }) {
  const tenant = await server.workspace()
  const agent_id = await newCaller(tenant, fields)
  const channel = await newPhoneChannel(server, tenant, { network, agent_id })
  const callIn = (from: string, more: object = {}) =>
    network.call({ from, to: own_number, webhook_url: channel.inbound_url, ...more })
  const theCall = async () => {
    const [call, ...others] = await listCalls(tenant)
    assert.ok(call && others.length === 0, 'there is one call')
    return call
  }
  return { tenant, agent_id, channel, callIn, theCall }
}

const caller = '+14155550123'
const form = (sid: string, more: Record<string, string> = {}) => ({
  CallSid: sid,
  CallStatus: 'ringing',
  Direction: 'inbound',
  From: caller,
  To: own_number,
  ...more,
})

/** The stream that the answer to a webhook names, without a person. */
function openStream(twiml: string) {
  const [, url = ''] = /<Stream url="([^"]+)"/.exec(twiml) ?? []
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(twiml) ?? []
  const socket = new WebSocket(url)
  const start = { streamSid: 'MZ1', customParameters: { token } }
  socket.on('open', () => socket.send(JSON.stringify({ event: 'start', start })))
  return { socket, closed: once(socket, 'close').then(([code]) => Number(code)) }
}

test('somebody calls, the agent answers and talks, and hangs up', async () => {
  const { tenant, agent_id, channel, callIn, theCall } = await openWorld()
  const phone = callIn(caller)
  const { parameters } = await phone.untilStreaming()
  assert.deepEqual(Object.keys(parameters), ['token'])
  await phone.person.untilHeard(0)
  const { id, status, direction, from, to, contact_id, channel_id } = await theCall()
  assert.deepEqual([status, direction, from, to], ['in_progress', 'inbound', caller, own_number])
  assert.deepEqual([channel_id, agent_id], [channel.id, (await theCall()).agent_id])
  await phone.person.untilQuiet(0)
  await sayPhrase(phone.person, 'Yes.')
  assert.deepEqual(await phone.ended, { status: 'completed', ended_by: 'service' })
  const call = await ended(tenant, id)
  assert.deepEqual([call.status, call.outcome, call.end_reason], ['completed', 'answered', 'agent_hung_up'])
  assert.deepEqual(
    (await turnsOf(tenant, call.conversation_id)).map((turn: { role: string; heard: string }) => [
      turn.role,
      turn.heard,
    ]),
    [
      ['agent', 'Hello. Is Tuesday all right?'],
      ['contact', 'Yes.'],
      ['agent', 'See you on Tuesday. Goodbye.'],
    ],
  )
  // The last question is answered with a hang-up: the end is written before.
  assert.match(phone.webhooks.at(-1)?.body ?? '', /<Hangup/)
  assert.equal(phone.webhooks.length, 2)
  const contact = (await tenant.call('GET', `/contacts/${contact_id}`)).body.data
  assert.deepEqual([contact.phone_number, contact.source], [caller, 'inbound'])
  assert.ok(contact.last_contact_at)
  const { counterpart, kind } = (await tenant.call('GET', `/conversations/${call.conversation_id}`)).body.data
  assert.deepEqual([counterpart, kind], [caller, 'voice'])
  const types = (await tenant.call('GET', '/events?limit=100')).body.data
    .filter(({ resource_id }: { resource_id: string }) => resource_id === id)
    .map(({ type }: { type: string }) => type)
  assert.deepEqual(types.toSorted(), ['call.answered', 'call.ended', 'call.started'])
  const transcript = await tenant.call('GET', `/calls/${id}/transcript?format=txt`)
  assert.match(transcript.text, /Agent: Hello\. Is Tuesday all right\?/)
})

test('who hangs up has ended the call, and a contact who calls again is the same', async () => {
  const { tenant, callIn } = await openWorld()
  for (let count = 0; count < 2; count += 1) {
    const phone = callIn(caller)
    await phone.untilStreaming()
    await phone.person.untilHeard(0)
    await phone.person.hangUp()
    const [{ id }] = await listCalls(tenant)
    const call = await ended(tenant, id)
    assert.deepEqual([call.status, call.end_reason, call.ended_by], ['completed', 'contact_hung_up', 'contact'])
  }
  const calls = await listCalls(tenant, `direction=inbound`)
  assert.equal(calls.length, 2)
  assert.equal(calls[0].contact_id, calls[1].contact_id)
})

test('withheld numbers have no contact', async () => {
  const { tenant, callIn } = await openWorld()
  for (const from of ['anonymous', '+266696687', 'Restricted', '', 'sip:someone@example.com']) {
    const phone = callIn(from)
    await phone.untilStreaming()
    const [{ id }] = await listCalls(tenant)
    await phone.person.hangUp()
    const call = await ended(tenant, id)
    assert.deepEqual([call.from, call.contact_id, call.to], [null, null, own_number], from)
  }
  assert.equal((await tenant.call('GET', '/contacts')).body.pagination.total, 0)
})

test('who has opted out is answered', async () => {
  const { tenant, callIn, theCall } = await openWorld()
  assert.equal((await tenant.call('POST', '/suppressions', { phone_number: caller })).status, 201)
  const phone = callIn(caller)
  await phone.untilStreaming()
  await phone.person.untilHeard(0)
  await phone.person.hangUp()
  assert.equal((await ended(tenant, (await theCall()).id)).outcome, 'answered')
})

test('who opts out in a call is the number that calls', async () => {
  const { tenant, callIn, theCall } = await openWorld()
  const phone = callIn(caller)
  await phone.untilStreaming()
  await phone.person.untilQuiet(await phone.person.untilHeard(0))
  await sayPhrase(phone.person, 'Stop calling me.')
  assert.equal((await phone.ended).ended_by, 'service')
  const { id, contact_id } = await theCall()
  assert.equal((await ended(tenant, id)).end_reason, 'opted_out')
  const [entry] = (await tenant.call('GET', '/consents')).body.data
  assert.deepEqual([entry.contact_id, entry.status, entry.source], [contact_id, 'revoked', 'voice_request'])
  const agent_id = await newCaller(tenant)
  const refused = await tenant.call('POST', '/calls', { agent_id, to: caller })
  assert.equal(refused.body.error.details.rule, 'opted_out')
})

test('a call is hung up over the API', async () => {
  const { tenant, callIn, theCall } = await openWorld()
  const phone = callIn(caller)
  await phone.untilStreaming()
  await phone.person.untilHeard(0)
  const { id } = await theCall()
  assert.equal((await tenant.call('POST', `/calls/${id}/hang_up`)).status, 200)
  assert.deepEqual(await phone.ended, { status: 'completed', ended_by: 'service' })
  assert.equal((await ended(tenant, id)).end_reason, 'human_hung_up')
})

test('a disabled channel rejects, and records nothing', async () => {
  const { tenant, channel, callIn } = await openWorld()
  const change = { id: channel.id, change: { status: 'disabled' as const }, isCurrent: () => true }
  await inTransaction(server.at(tenant.id), (at) => channels.update(at, change))
  assert.deepEqual(await callIn(caller).ended, { status: 'no-answer', ended_by: 'service' })
  assert.deepEqual(await listCalls(tenant), [])
  assert.equal((await tenant.call('GET', '/contacts')).body.pagination.total, 0)
})

test('a number that calls itself is rejected', async () => {
  const { tenant, callIn } = await openWorld()
  assert.deepEqual(await callIn(own_number).ended, { status: 'no-answer', ended_by: 'service' })
  assert.deepEqual(await listCalls(tenant), [])
})

test('a channel without an agent rejects', async () => {
  const { tenant, channel, callIn } = await openWorld()
  // The API allows it neither for a channel nor for an agent. Both may change while a call comes in.
  for (const agent_id of [null, unknown_id]) {
    await server.pool.run(
      sql`update channels set agent_id = ${agent_id} where workspace_id = ${tenant.id} and id = ${channel.id}`,
    )
    assert.deepEqual(await callIn(caller).ended, { status: 'no-answer', ended_by: 'service' })
  }
  assert.deepEqual(await listCalls(tenant), [])
})

test('without a free line it is busy', async () => {
  const { tenant, callIn } = await openWorld()
  const settings = await tenant.call('PATCH', '/workspace', { settings: { calls_in_flight_max: 1 } })
  assert.equal(settings.status, 200, settings.text)
  const first = callIn(caller)
  await first.untilStreaming()
  assert.deepEqual(await callIn('+14155550124').ended, { status: 'busy', ended_by: 'service' })
  assert.equal((await listCalls(tenant)).length, 1)
  await first.person.hangUp()
})

test('a process with as many calls as it can have is busy', async () => {
  const { tenant, channel, callIn } = await openWorld()
  const waiting = await postSigned(tenant, channel.inbound_url, form('CA9', { From: '+14155550125' }))
  const [{ id }] = await listCalls(tenant)
  await forgetAdmitted()
  const phones = ['1', '2', '3'].map((digit) => callIn(`+1415555012${digit}`))
  await Promise.all(phones.map((phone) => phone.untilStreaming()))
  await waitUntil('all are driven', () => liveCalls.of(server.at('')).count === 3)
  assert.deepEqual(await callIn('+14155550124').ended, { status: 'busy', ended_by: 'service' })
  // A stream for which there is no room is closed, and the next one waits a second. The call goes on when there is.
  assert.equal(await openStream(waiting.text).closed, 1_013)
  const ask = () => postSigned(tenant, `${channel.inbound_url}/calls/${id}`, form('CA9', { CallStatus: 'in-progress' }))
  const again = await ask()
  assert.match(again.text, /<Pause length="1"\/><Connect>/)
  for (const { person } of phones) await person.hangUp()
  await waitUntil('all have ended', () => liveCalls.of(server.at('')).count === 0)
  const stream = openStream(again.text)
  await waitUntil('it is in progress', async () => (await getCall(tenant, id)).status === 'in_progress')
  assert.doesNotMatch((await ask()).text, /<Pause/)
  stream.socket.send(JSON.stringify({ event: 'stop' }))
  assert.equal((await ended(tenant, id)).end_reason, 'contact_hung_up')
})

test('of many who call at once as many are connected as there is room for', async () => {
  const { tenant, channel } = await openWorld()
  const live_calls = liveCalls.of(server.at(''))
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      postSigned(tenant, channel.inbound_url, form(`CB${index}`, { From: `+1415555${1300 + index}` })),
    ),
  )
  const counted = Object.groupBy(answers, ({ text }) => (/<Connect>/.test(text) ? 'connected' : 'busy'))
  assert.deepEqual([counted.connected?.length, counted.busy?.length], [3 - live_calls.count, 17 + live_calls.count])
})

test('without tokens for today it is busy, unless the agent needs none', async () => {
  for (const [fields, ended_by] of [
    [{ greeting: 'Hello.' }, 'service'],
    [{ script }, 'person'],
  ] as const) {
    const { tenant, channel, callIn } = await openWorld(fields)
    const at = server.at(tenant.id)
    const change = { id: channel.id, change: { tokens_per_day_max: 10 }, isCurrent: () => true }
    await inTransaction(at, (at) => channels.update(at, change))
    await inTransaction(at, (at) => addTokens(at, [{ channel_id: channel.id, tokens: 10 }]))
    const phone = callIn(caller, { hangs_up_after_ms: 500 })
    assert.equal((await phone.ended).ended_by, ended_by)
    assert.equal((await listCalls(tenant)).length, ended_by === 'person' ? 1 : 0)
  }
})

test('a call for an agent that can not hear is rejected, and recorded', async () => {
  const { tenant, callIn, theCall } = await openWorld()
  const speech = sound.of(server.at(''))
  const { find } = speech
  speech.find = async () => {
    throw invalidState('Offline speech is not installed.', { reason: 'speech_not_installed' })
  }
  const phone = callIn(caller)
  const end = await phone.ended.finally(() => {
    speech.find = find
  })
  assert.deepEqual(end, { status: 'no-answer', ended_by: 'service' })
  const call = await theCall()
  assert.deepEqual([call.status, call.outcome, call.end_reason, call.from], ['failed', 'error', 'system_error', caller])
  const events = (await tenant.call('GET', '/events?type=call.ended')).body.data
  assert.equal(events.length, 1)
})

test('the version that can hear and speak is the one that answers', async () => {
  const { tenant, agent_id, channel } = await openWorld({ greeting: 'Hello.' })
  await tenant.call('PATCH', `/agents/${agent_id}`, { language: 'de' })
  const { id: version_id } = (await tenant.call('POST', `/agents/${agent_id}/versions`)).body.data
  const deployed = await tenant.call('POST', `/agents/${agent_id}/deploy`, { version_id, percent: 50 })
  assert.equal(deployed.status, 200, deployed.text)
  const speech = sound.of(server.at(''))
  const { find } = speech
  // Only the old one can.
  speech.find = async (at, configuration) => {
    if (configuration.language === 'de') throw invalidState('No.', { reason: 'speech_not_available' })
    return find(at, configuration)
  }
  const labels = new Set<string>()
  try {
    for (let count = 0; count < 12; count += 1) {
      const from = `+1415555${1_000 + count}`
      await forgetAdmitted()
      const { text } = await postSigned(tenant, channel.inbound_url, form(`CA${count}`, { From: from }))
      const [{ id, agent_version, status }] = await listCalls(tenant)
      labels.add(agent_version.version_label)
      const is_old = agent_version.version_label === 'v1'
      assert.deepEqual([/<Stream /.test(text), status], [is_old, is_old ? 'queued' : 'failed'], from)
      if (is_old) await tenant.call('POST', `/calls/${id}/cancel`)
    }
  } finally {
    speech.find = find
  }
  assert.equal(labels.size, 2)
})

test('requests that the carrier has not signed are refused', async () => {
  const { tenant, channel, theCall } = await openWorld()
  const wrong = await postSigned(tenant, channel.inbound_url, form('CA1'), 'x'.repeat(28))
  assert.equal(wrong.status, 403)
  assert.equal(wrong.body.error.code, 'FORBIDDEN')
  assert.deepEqual(await listCalls(tenant), [])
  assert.equal((await postSigned(tenant, channel.inbound_url, form('CA1'))).status, 200)
  const { id } = await theCall()
  const url = `${channel.inbound_url}/calls/${id}`
  const question = form('CA1', { CallStatus: 'in-progress' })
  assert.equal((await postSigned(tenant, url, question, 'x'.repeat(28))).status, 403)
  // A signature is for one URL only, with its query.
  assert.equal((await postSigned(tenant, `${url}?after=digits`, question, signatureOf(url, question))).status, 403)
  assert.equal((await postSigned(tenant, `${url}?after=digits`, question)).status, 200)
  assert.equal((await postSigned(tenant, `${url}?after=dinner`, question)).status, 400)
})

test('messages and calls have channels of their own', async () => {
  const { tenant, channel } = await openWorld()
  const as_sms = channel.inbound_url.replace('/phone/', '/sms/')
  assert.equal((await postSigned(tenant, as_sms, form('CA1'))).status, 404)
  const other = await openWorld()
  assert.equal((await postSigned(tenant, channel.inbound_url, form('CA2'))).status, 200)
  const [{ id }] = await listCalls(tenant)
  const elsewhere = `${other.channel.inbound_url}/calls/${id}`
  assert.equal((await postSigned(other.tenant, elsewhere, form('CA2'))).status, 404)
})

test('a call must have an id, and be for the number of the channel', async () => {
  const { tenant, channel } = await openWorld()
  for (const wrong of [form(''), form('CA1', { To: '+14155550199' })])
    assert.equal((await postSigned(tenant, channel.inbound_url, wrong)).status, 400)
  assert.deepEqual(await listCalls(tenant), [])
})

test('a call that is reported again is the same call, also at the same moment', async () => {
  const { tenant, channel, theCall } = await openWorld()
  const report = () => postSigned(tenant, channel.inbound_url, form('CA7'))
  const answers = await Promise.all(Array.from({ length: 5 }, report))
  assert.deepEqual(
    answers.map(({ status, text }) => [status, /<Stream /.test(text)]),
    Array.from({ length: 5 }, () => [200, true]),
  )
  const { id } = await theCall()
  await tenant.call('POST', `/calls/${id}/cancel`)
  const { text } = await report()
  assert.match(text, /<Reject/)
  assert.equal((await theCall()).status, 'canceled')
})

test('a call whose stream is never opened fails after a minute', async () => {
  const { tenant, channel, theCall } = await openWorld()
  const url = (await postSigned(tenant, channel.inbound_url, form('CA8'))).text
  assert.match(url, /<Stream /)
  const { id } = await theCall()
  await tenant.work(Date.now() + 59_000)
  assert.equal((await getCall(tenant, id)).status, 'queued')
  await tenant.work(Date.now() + 61_000)
  const call = await getCall(tenant, id)
  assert.deepEqual([call.status, call.outcome, call.end_reason], ['failed', 'no_answer', 'not_answered'])
})

test('a test workspace rejects: nobody can speak while its clock stands still', async () => {
  // Channels at Twilio can't be created there, so this one is moved.
  const { tenant, callIn } = await openWorld()
  await tenant.addTestClock(Date.parse('2027-03-01T09:00:00.000Z'))
  assert.equal((await callIn(caller).ended).ended_by, 'service')
  assert.deepEqual(await listCalls(tenant), [])
})
