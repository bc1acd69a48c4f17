import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { openBareStream, tokenIn } from '../../support/phone.ts'
import { signatureOf } from '../../support/sms.ts'
import { describePause, isLong, type Pause, watchPauses } from '../pauses.ts'
import { shuffled } from '../random.ts'
import { newTenant } from '../service.ts'
import { stories } from '../voice/interruptions.ts'
import type { Channel, PhoneWorld } from './world.ts'

/** Others than the network send anything. What is not signed or has no token changes nothing, and nobody waits for it. */

const undisturbed_ms = 5_000
const refused_code = 4_401
const waits_for_close_ms = 10_000
/** μ-law silence of 20 ms. */
const frame = Buffer.alloc(160, 0xff).toString('base64')
const greeting = 'Hello, this is the office. What can I do for you?'

export async function checkHostile(world: PhoneWorld, { is_long }: { is_long: boolean }): Promise<string> {
  await using stack = new AsyncDisposableStack()
  const { api, service } = world
  const agent_id = await api.addAgent({ start: 'greet', nodes: { greet: { say: greeting, else: { go: 'greet' } } } })
  const channel = await world.addChannel({ agent_id })
  const pauses = await watchPauses(stack, service.url, await newTenant(world.pool))
  const story = { start: 'tell', nodes: { tell: { say: stories.join(' '), else: { go: 'tell' } } } }
  const talker = await api.talk(await api.addAgent(story))
  await pauses.takeLongest()
  // A machine that is busy with other things shows here.
  await sleep(undisturbed_ms)
  const alone = await pauses.takeLongest()
  const during: Record<string, Pause> = {}
  const parts = { checkSignatures, checkTokens, checkReports, checkFastSockets, checkBrokenSockets, checkIdleSockets }
  for (const [name, check] of Object.entries(parts)) {
    await check(world, channel)
    during[name.replace('check', '').toLowerCase()] = await pauses.takeLongest()
  }
  await talker.hangUp()
  const gaps = talker.findGaps()
  const list = Object.entries(during).map(([name, pause]) => `${name}: ${describePause(pause, alone)}`)
  const told = `the longest waits: ${list.join('; ')}; ${gaps.length} breaks in what someone else heard meanwhile`
  if (is_long) assert.ok(!Object.values(during).some(isLong), told)
  return `hostile requests and sockets: ${told}`
}

const formOf = (channel: Channel, more: Record<string, string> = {}): Record<string, string> => ({
  CallSid: `CA${randomBytes(16).toString('hex')}`,
  CallStatus: 'ringing',
  Direction: 'inbound',
  From: '+14155550123',
  To: channel.address ?? '',
  ...more,
})

async function post(url: string, form: Record<string, string>, signature = signatureOf(url, form)) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'x-twilio-signature': signature },
    body: new URLSearchParams(form),
  })
  return { status: response.status, text: await response.text() }
}

const urlOf = ({ service }: PhoneWorld, { id }: Channel): string => `${service.url}/phone/${id}`
const streamUrl = ({ service }: PhoneWorld): string => `${service.url.replace('http', 'ws')}/phone`

/** A call that has been answered with TwiML, and waits for its stream. */
async function openCall(world: PhoneWorld, channel: Channel) {
  const form = formOf(channel)
  const { status, text } = await post(urlOf(world, channel), form)
  assert.equal(status, 200, text)
  const [, id = ''] = /\/calls\/([^<]+)</.exec(text) ?? []
  return { id, form, token: tokenIn(text) }
}

async function checkSignatures(world: PhoneWorld, channel: Channel): Promise<void> {
  const { id, form } = await openCall(world, channel)
  const inbound = urlOf(world, channel)
  const urls = [inbound, ...['', '/status', '/machine', '?after=digits'].map((end) => `${inbound}/calls/${id}${end}`)]
  for (const url of urls) {
    const right = signatureOf(url, form)
    const wrong = [
      '',
      'x',
      `${right}A`,
      signatureOf(`${url}/`, form),
      signatureOf(url, { ...form, From: '' }),
      signatureOf(url, form, 'other'),
    ]
    for (const signature of wrong) {
      const { status } = await post(url, { ...form, CallStatus: 'ringing' }, signature)
      assert.equal(status, 403, `${url} with the signature "${signature}"`)
    }
  }
  const many = Array.from({ length: 300 }, () => post(inbound, formOf(channel), randomBytes(20).toString('base64')))
  for (const { status } of await Promise.all(many)) assert.ok([403, 429, 503].includes(status), String(status))
  assert.equal((await world.api.send('GET', `/calls/${id}`)).status, 'queued')
  await world.api.send('POST', `/calls/${id}/cancel`)
}

async function checkTokens(world: PhoneWorld, channel: Channel): Promise<void> {
  const { id, token, form } = await openCall(world, channel)
  const first = await openBareStream(streamUrl(world), token)
  await once(first.socket, 'message')
  const again = await Promise.all(Array.from({ length: 20 }, () => openBareStream(streamUrl(world), token)))
  for (const { closed } of again) assert.equal(await closed, refused_code, 'a token opens one stream')
  assert.equal(first.socket.readyState, WebSocket.OPEN)
  // Two streams with one token at the same moment.
  const next = tokenIn(
    (await post(`${urlOf(world, channel)}/calls/${id}`, { ...form, CallStatus: 'in-progress' })).text,
  )
  const both = await Promise.all([openBareStream(streamUrl(world), next), openBareStream(streamUrl(world), next)])
  assert.equal(await Promise.race(both.map(({ closed }) => closed)), refused_code)
  const [open] = both.filter(({ socket }) => socket.readyState === WebSocket.OPEN)
  const unused = tokenIn(
    (await post(`${urlOf(world, channel)}/calls/${id}`, { ...form, CallStatus: 'in-progress' })).text,
  )
  open?.send({ event: 'stop', streamSid: 'MZ1', stop: {} })
  await world.api.untilEnded(id)
  const late = await openBareStream(streamUrl(world), unused)
  assert.equal(await late.closed, refused_code, 'the call has ended')
}

/** Reports of a call that rings, doubled and in any order: it is the same call. */
async function checkReports(world: PhoneWorld, channel: Channel): Promise<void> {
  const { api, random, people, network } = world
  const to = `+1212${6_000_000 + network.calls.length}`
  people.set(to, { takes: 'busy', after_ms: 500, reports: { copies: 3, order: 'reversed' } })
  const { id } = await api.send('POST', '/calls', { agent_id: channel.agent_id, channel_id: channel.id, to })
  const call = await api.untilEnded(id)
  assert.deepEqual([call.status, call.outcome], ['failed', 'busy'])
  const url = `${urlOf(world, channel)}/calls/${id}`
  const statuses = [
    'initiated',
    'ringing',
    'in-progress',
    'completed',
    'busy',
    'no-answer',
    'failed',
    'canceled',
    'other',
    '',
  ]
  const { sid = '' } = network.calls.find((one) => one.to === to) ?? {}
  const late = shuffled(random, [...statuses, ...statuses]).map((CallStatus) =>
    formOf(channel, { CallSid: sid, CallStatus }),
  )
  for (const { status } of await Promise.all(late.map((form) => post(`${url}/status`, form)))) assert.equal(status, 200)
  const verdict = await post(`${url}/machine`, formOf(channel, { CallSid: sid, AnsweredBy: 'machine_end_beep' }))
  assert.equal(verdict.status, 200)
  assert.match((await post(url, formOf(channel, { CallSid: sid, CallStatus: 'in-progress' }))).text, /<Hangup/)
  const after = await api.send('GET', `/calls/${id}`)
  assert.deepEqual([after.status, after.outcome, after.ended_at], [call.status, call.outcome, call.ended_at])
  // A channel has no calls of another one.
  const other = await world.addChannel({ agent_id: channel.agent_id ?? '' })
  const strange = `${urlOf(world, other)}/calls/${id}`
  for (const end of ['', '/status', '/machine'])
    assert.equal((await post(strange + end, formOf(other, { CallStatus: 'completed' }))).status, 404)
}

/** A stream at ten times real time, with and without times, and some that claim to be far ahead. */
async function checkFastSockets(world: PhoneWorld, channel: Channel): Promise<void> {
  const timestamps = [
    (index: number) => ({ timestamp: String(index * 20) }),
    () => ({}),
    (index: number) => ({ timestamp: String(index * 1_000_000) }),
  ]
  await Promise.all(
    timestamps.map(async (timeOf) => {
      const { id, token } = await openCall(world, channel)
      const stream = await openBareStream(streamUrl(world), token)
      const gone = stream.closed.then(() => true)
      for (let index = 0; stream.socket.readyState === WebSocket.OPEN && index < 5_000; index += 10) {
        for (let more = 0; more < 10; more += 1)
          stream.send({ event: 'media', streamSid: 'MZ1', media: { payload: frame, ...timeOf(index + more) } })
        await sleep(20)
      }
      assert.ok(await Promise.race([gone, sleep(waits_for_close_ms, false)]), 'who sends too fast is closed')
      await world.api.untilEnded(id)
    }),
  )
}

const broken: (Buffer | string)[] = [
  'x',
  '{}',
  '[]',
  'null',
  '{"event":"start"}',
  '{"event":"media","media":{"payload":"!!"}}',
  `${'['.repeat(8_000)}${']'.repeat(8_000)}`,
  JSON.stringify({ event: 'start', start: { customParameters: { token: 'x'.repeat(15_000) } } }),
  'x'.repeat(20_000),
  Buffer.alloc(10_000),
]

/** Before the start and after it. */
async function checkBrokenSockets(world: PhoneWorld, channel: Channel): Promise<void> {
  const isClosed = (socket: WebSocket) =>
    Promise.race([once(socket, 'close').then(() => true), sleep(waits_for_close_ms, false)])
  for (const message of broken) {
    const socket = new WebSocket(streamUrl(world))
    await once(socket, 'open')
    socket.send(message)
    assert.ok(await isClosed(socket), `closed after ${String(message).slice(0, 50)}`)
  }
  const { id, token } = await openCall(world, channel)
  const stream = await openBareStream(streamUrl(world), token)
  await once(stream.socket, 'message')
  stream.socket.send(Buffer.alloc(100))
  assert.ok(await isClosed(stream.socket))
  await world.api.untilEnded(id)
}

/** Many that say nothing, and one that has the agent speak and reads nothing. */
async function checkIdleSockets(world: PhoneWorld, channel: Channel): Promise<void> {
  const sockets = Array.from({ length: 400 }, () => new WebSocket(streamUrl(world)))
  for (const socket of sockets) socket.on('error', () => {})
  const { id, token } = await openCall(world, channel)
  const stream = await openBareStream(streamUrl(world), token)
  stream.socket.pause()
  await sleep(6_000)
  for (const socket of [...sockets, stream.socket]) socket.terminate()
  await world.api.untilEnded(id)
  const { phone } = await world.api.talk(channel.agent_id ?? '')
  await phone.person.untilHeard(0)
  await phone.person.hangUp()
}
