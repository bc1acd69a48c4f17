import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { liveCalls } from '../../server/calls/live-calls.ts'
import { announceRequest } from '../../server/calls/store.ts'
import { inTransaction } from '../../server/kit/at.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { waitUntil } from '../faults/client.ts'
import { openPhoneNetwork } from '../peers/phone.ts'
import { ended, getCall, newCaller, placeCall } from '../support/calls.ts'
import { addFakeSpeech } from '../support/fake-speech.ts'
import { openServer, testPool } from '../support/harness.ts'
import { listCalls, newPhoneChannel, openBareStream, sayPhrase, tokenIn } from '../support/phone.ts'
import { own_number, postSigned } from '../support/sms.ts'

const server = await openServer(testPool(), { live_calls_max: 50 })
after(server.close)
addFakeSpeech(server)
/** What the service has asked for instead of streams. */
const updates: string[] = []
const network = await openPhoneNetwork({
  transferFor: () => ({ takes: 'no_answer' }),
  troubleFor(kind, form) {
    if (kind === 'update') updates.push(form.get('Twiml') ?? '')
    return undefined
  },
})
after(() => network.close())

const caller = '+14155550123'
const form = { CallSid: 'CA1', CallStatus: 'ringing', Direction: 'inbound', From: caller, To: own_number }
const stream_url = `${server.url.replace('http', 'ws')}/phone`

async function openWorld(fields: object) {
  const tenant = await server.workspace()
  const agent_id = await newCaller(tenant, fields)
  const channel = await newPhoneChannel(server, tenant, { network, agent_id })
  const theCall = async () => {
    const [call] = await listCalls(tenant)
    return call
  }
  return { tenant, agent_id, channel, theCall }
}

/** Somebody calls, and the agent does something else with the call than to talk. */
async function openDetour(fields: object) {
  const world = await openWorld(fields)
  const phone = network.call({ from: caller, to: own_number, webhook_url: world.channel.inbound_url })
  await phone.untilStreaming()
  await phone.person.untilQuiet(await phone.person.untilHeard(0))
  await sayPhrase(phone.person, 'Yes.')
  await waitUntil('the stream has ended', () => phone.streams.every(({ closed_ms }) => closed_ms !== undefined))
  return { ...world, phone, ...(await world.theCall()) }
}

const pressing = {
  script: {
    start: 'greet',
    nodes: {
      greet: { say: 'Hello.', else: { go: 'press' } },
      press: { press: '12345678', else: { go: 'bye' } },
      bye: { say: 'Goodbye.', go: '@end' },
    },
  },
}
const transferring = {
  transfers: [{ name: 'office', phone_number: '+14155550111' }],
  script: {
    start: 'greet',
    nodes: {
      greet: { say: 'Hello.', else: { say: 'One moment.', go: 'office' } },
      office: { tool: 'transfer', with: { to: 'office' }, ok: 'after', failed: 'after' },
      after: { say: 'Goodbye.', else: { go: '@end' } },
    },
  },
}

describe('a call', { concurrency: true }, () => {
  test('that another process has taken goes on, although it was over here', async () => {
    const { tenant, channel, theCall } = await openWorld({ greeting: 'Hello.' })
    const { text } = await postSigned(tenant, channel.inbound_url, form)
    const stream = await openBareStream(stream_url, tokenIn(text))
    await waitUntil('it is in progress', async () => (await theCall()).status === 'in_progress')
    const { id } = await theCall()
    // As a drive that has not yet seen that it has lost its lease.
    const live_calls = liveCalls.of(server.at(''))
    live_calls.noteEnd(id, randomUUID())
    const next = await postSigned(tenant, `${channel.inbound_url}/calls/${id}`, { ...form, CallStatus: 'in-progress' })
    live_calls.forgetEnd(id)
    assert.match(next.text, /<Stream /)
    stream.send({ event: 'stop', stop: {} })
    await ended(tenant, id)
  })

  test('that another process has taken is not hung up', async () => {
    const { tenant, id, conversation_id, phone } = await openDetour(pressing)
    await inTransaction(server.at(tenant.id), async (at) => {
      await at.db.run(
        sql`update calls set lease_token = ${randomUUID()}, request = 'hang_up'
          where workspace_id = ${tenant.id} and id = ${id}`,
      )
      announceRequest(at, { id, conversation_id })
    })
    await phone.ended
    assert.deepEqual(
      updates.filter((twiml) => twiml.includes('<Hangup')),
      [],
    )
    await waitUntil('it has ended', async () => {
      await tenant.work(Date.now() + 120_000)
      return (await getCall(tenant, id)).ended_at !== null
    })
  })

  for (const [what, fields] of [
    ['keys are pressed', pressing],
    ['a number rings that is to take over', transferring],
  ] as const)
    test(`that the caller ends while ${what} was hung up by the caller`, async () => {
      const { tenant, id, phone } = await openDetour(fields)
      await phone.person.hangUp()
      const { status, end_reason, ended_by } = await ended(tenant, id)
      assert.deepEqual([status, end_reason, ended_by], ['completed', 'contact_hung_up', 'contact'])
    })

  test('that the other side ends between two streams was hung up by it', async () => {
    const { tenant, channel, theCall } = await openWorld({ greeting: 'Hello.' })
    const { text } = await postSigned(tenant, channel.inbound_url, { ...form, CallSid: 'CA3' })
    const stream = await openBareStream(stream_url, tokenIn(text))
    await waitUntil('the agent speaks', () => stream.messages.some(({ event }) => event === 'media'))
    stream.socket.terminate()
    const { id } = await theCall()
    const report = { ...form, CallSid: 'CA3', CallStatus: 'completed' }
    assert.equal((await postSigned(tenant, `${channel.inbound_url}/calls/${id}/status`, report)).status, 200)
    assert.equal((await ended(tenant, id)).end_reason, 'contact_hung_up')
  })

  test('says what was done before a stream that nobody has taken', async () => {
    const { tenant, channel, theCall } = await openWorld({ greeting: 'Hello.' })
    const asked = { ...form, CallSid: 'CA4', CallStatus: 'in-progress' }
    const { text } = await postSigned(tenant, channel.inbound_url, { ...form, CallSid: 'CA4' })
    const stream = await openBareStream(stream_url, tokenIn(text))
    await waitUntil('it is in progress', async () => (await theCall()).status === 'in_progress')
    const { id } = await theCall()
    const hasAfter = (twiml: string) => twiml.includes('name="after" value="transfer"')
    const nextUrl = (twiml: string) => /<Redirect[^>]*>([^<]+)</.exec(twiml)?.[1] ?? ''
    const first = await postSigned(tenant, `${channel.inbound_url}/calls/${id}?after=transfer`, asked)
    const second = await postSigned(tenant, nextUrl(first.text), asked)
    assert.deepEqual(
      [first, second].map(({ text }) => hasAfter(text)),
      [true, true],
    )
    const taken = await openBareStream(stream_url, tokenIn(second.text))
    assert.equal(await stream.closed, 1_000)
    const third = await postSigned(tenant, nextUrl(second.text), asked)
    assert.equal(hasAfter(third.text), false)
    assert.doesNotMatch(nextUrl(third.text), /transfer/)
    taken.send({ event: 'stop', stop: {} })
    await ended(tenant, id)
  })

  test('between two numbers of a workspace is two calls', async () => {
    const { tenant, agent_id, channel } = await openWorld({ greeting: 'Hello.' })
    const other = await newPhoneChannel(server, tenant, { network, agent_id, address: '+14155550177' })
    const placed = await placeCall(tenant, { agent_id, to: other.address, channel_id: channel.id })
    await tenant.work()
    const calling = network.calls.findLast(({ to, direction }) => to === other.address && direction === 'outbound-api')
    assert.ok(calling)
    const called = network.call({ from: own_number, to: other.address, webhook_url: other.inbound_url })
    await Promise.all([calling, called].map((phone) => phone.untilStreaming()))
    await Promise.all([calling, called].map(({ person }) => person.untilHeard(0)))
    const calls = await listCalls(tenant)
    assert.deepEqual(calls.map(({ direction }) => direction).sort(), ['inbound', 'outbound'])
    for (const { from, to } of calls) assert.deepEqual([from, to], [own_number, other.address])
    const received = calls.find(({ direction }) => direction === 'inbound')
    assert.notEqual(received.id, placed.id)
    await Promise.all([calling, called].map(({ person }) => person.hangUp()))
    for (const { id } of calls) assert.equal((await ended(tenant, id)).end_reason, 'contact_hung_up')
  })
})
