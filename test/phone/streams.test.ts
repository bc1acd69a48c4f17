import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, describe, test } from 'node:test'
import { WebSocket } from 'ws'
import { toMulaw } from '../../server/kit/sound/mulaw.ts'
import { waitUntil } from '../faults/client.ts'
import { openPhoneNetwork } from '../peers/phone.ts'
import { ended, newCaller, turnsOf } from '../support/calls.ts'
import { addFakeSpeech, loudnessOf } from '../support/fake-speech.ts'
import { openServer, testPool } from '../support/harness.ts'
import { insist, listCalls, newPhoneChannel, openBareStream, sayPhrase, tokenIn } from '../support/phone.ts'
import { own_number, postSigned } from '../support/sms.ts'

const server = await openServer(testPool(), { live_calls_max: 50 })
after(server.close)
addFakeSpeech(server)
const network = await openPhoneNetwork({
  transferFor: (to) => (to.endsWith('1') ? { takes: 'answers', talk_ms: 60_000 } : { takes: 'busy' }),
})
after(() => network.close())

const caller = '+14155550123'

async function openWorld(fields: object) {
  const tenant = await server.workspace()
  const agent_id = await newCaller(tenant, fields)
  const channel = await newPhoneChannel(server, tenant, { network, agent_id })
  const callIn = (more: object = {}) =>
    network.call({ from: caller, to: own_number, webhook_url: channel.inbound_url, ...more })
  const theCall = async () => {
    const [call, ...others] = await listCalls(tenant)
    assert.ok(call && others.length === 0, 'there is one call')
    return call
  }
  const said = async () => {
    const { conversation_id } = await theCall()
    const turns: Turn[] = await turnsOf(tenant, conversation_id)
    return turns.map(({ role, heard, is_interrupted }) => [role, heard, ...(is_interrupted ? ['cut'] : [])])
  }
  return { tenant, channel, callIn, theCall, said, untilEnded: async () => ended(tenant, (await theCall()).id) }
}

interface Turn {
  role: string
  heard: string
  is_interrupted: boolean
}

/** One word takes fake speech a tenth of a second. */
const long_sentence = Array.from({ length: 80 }, (_, index) => `word${index}`).join(' ')

const form = { CallSid: 'CA1', CallStatus: 'ringing', Direction: 'inbound', From: caller, To: own_number }
const stream_url = `${server.url.replace('http', 'ws')}/phone`

describe('a stream', { concurrency: 5 }, () => {
  test('is cleared at once when the contact interrupts, and what was heard is right', async () => {
    const { callIn, theCall, said } = await openWorld({
      script: {
        start: 'one',
        nodes: {
          one: { say: long_sentence, on: [{ intent: 'no', go: 'bye' }], else: { go: 'bye' } },
          bye: { say: 'Fine. Goodbye.', go: '@end' },
        },
      },
    })
    const phone = callIn()
    const { person } = phone
    await phone.untilStreaming()
    const start_ms = await person.untilHeard(0)
    await person.until('some words were heard', () => person.now() > start_ms + 1_500)
    await sayPhrase(person, 'No, thank you.', 900)
    await person.until('it is quiet', () => person.clears.length > 0)
    const [cleared_ms = 0] = person.clears
    assert.equal((await phone.ended).ended_by, 'service')
    await theCall()
    const [cut, answer, bye] = await said()
    assert.deepEqual(
      [cut?.[0], cut?.[2], answer, bye],
      ['agent', 'cut', ['contact', 'No, thank you.'], ['agent', 'Fine. Goodbye.']],
    )
    // What the person could hear until the cut: a word is whole, or not there.
    const words = (cut?.[1] ?? '').split(' ').length
    const heard_words = (cleared_ms - start_ms) / 100
    assert.ok(words <= heard_words + 1, `${words} words of ${heard_words}`)
    // Marks come back late on a busy machine.
    assert.ok(words >= heard_words / 2, `${words} words of ${heard_words}`)
  })

  test('brings the keys that the contact presses', async () => {
    const { callIn, said } = await openWorld({ script: keypad_script })
    const phone = callIn()
    await phone.untilStreaming()
    await phone.person.untilQuiet(await phone.person.untilHeard(0))
    phone.person.press('42#')
    assert.equal((await phone.ended).ended_by, 'service')
    assert.deepEqual((await said())[1], ['contact', '42#'])
  })

  test('that breaks is followed by another one, and the talk goes on without a word about it', async () => {
    const { callIn, said, untilEnded } = await openWorld({ script: question_script })
    const phone = callIn()
    await phone.untilStreaming()
    await phone.person.untilHeard(0)
    phone.cutStream()
    await phone.untilStreaming(1)
    await waitUntil('the agent has asked', async () => (await said())[0]?.[1] === 'Hello. Is Tuesday all right?')
    assert.equal((await insist(phone, 'Yes.')).ended_by, 'service')
    assert.deepEqual(await said(), [
      ['agent', 'Hello. Is Tuesday all right?'],
      ['contact', 'Yes.'],
      ['agent', 'Goodbye.'],
    ])
    assert.equal((await untilEnded()).end_reason, 'agent_hung_up')
    assert.equal(phone.streams.length, 2)
  })

  test('that does not come back ends the call after ten seconds', async () => {
    const { tenant, channel, theCall, untilEnded } = await openWorld({ greeting: 'Hello.' })
    const { text } = await postSigned(tenant, channel.inbound_url, form)
    const stream = await openBareStream(stream_url, tokenIn(text))
    await waitUntil('the agent speaks', () => stream.messages.some(({ event }) => event === 'media'))
    const lost_at = Date.now()
    stream.socket.terminate()
    const { end_reason, ended_at } = await untilEnded()
    assert.equal(end_reason, 'carrier_error')
    assert.ok(Date.parse(ended_at) - lost_at >= 9_000)
    const next = await postSigned(tenant, `${channel.inbound_url}/calls/${(await theCall()).id}`, form)
    assert.match(next.text, /<Hangup/)
  })

  test('that brings nothing is broken, and the agent does not hang up as if its words had been heard', async () => {
    const { tenant, channel, untilEnded } = await openWorld({
      script: { start: 'only', nodes: { only: { say: long_sentence, go: '@end' } } },
    })
    const { text } = await postSigned(tenant, channel.inbound_url, form)
    const stream = await openBareStream(stream_url, tokenIn(text))
    assert.equal(await stream.closed, 1_006)
    assert.equal((await untilEnded()).end_reason, 'carrier_error')
  })

  test('opens with a token once', async () => {
    const { tenant, channel, theCall } = await openWorld({ greeting: 'Hello.' })
    const { text } = await postSigned(tenant, channel.inbound_url, form)
    const token = tokenIn(text)
    const first = await openBareStream(stream_url, token)
    await waitUntil('it is in progress', async () => (await theCall()).status === 'in_progress')
    assert.equal(await (await openBareStream(stream_url, token)).closed, 4_401)
    assert.equal(first.socket.readyState, WebSocket.OPEN)
    // A newer token is of the same call, and takes it from the first stream.
    const again = await postSigned(tenant, channel.inbound_url, form)
    const second = await openBareStream(stream_url, tokenIn(again.text))
    assert.equal(await first.closed, 1_000)
    second.send({ event: 'stop', streamSid: 'MZ1', stop: {} })
    assert.equal((await ended(tenant, (await theCall()).id)).end_reason, 'contact_hung_up')
  })

  test('with a token that is unknown, old or none opens nothing', async () => {
    const { tenant, channel, theCall } = await openWorld({ greeting: 'Hello.' })
    const old = tokenIn((await postSigned(tenant, channel.inbound_url, form)).text)
    const token = tokenIn((await postSigned(tenant, channel.inbound_url, form)).text)
    const changed = token.slice(0, -3) + (token.endsWith('AAA') ? 'BBB' : 'AAA')
    for (const wrong of [old, changed, 'x', '']) {
      const stream = await openBareStream(stream_url, wrong)
      assert.equal(await stream.closed, 4_401, wrong)
    }
    assert.equal((await theCall()).status, 'queued')
    await tenant.call('POST', `/calls/${(await theCall()).id}/cancel`)
    assert.equal(await (await openBareStream(stream_url, token)).closed, 4_401, 'the call is over')
    const next = await postSigned(tenant, `${channel.inbound_url}/calls/${(await theCall()).id}`, form)
    assert.match(next.text, /<Hangup/)
  })

  for (const [name, send] of [
    [
      'ten times faster than time',
      (stream) => {
        for (let index = 0; index < 600; index += 1)
          stream.send({ event: 'media', media: { payload: frame, timestamp: String(index * 20) } })
      },
    ],
    [
      'with a flood of marks',
      (stream) => {
        for (let index = 0; index < 300; index += 1) stream.send({ event: 'mark', mark: { name: 'x' } })
      },
    ],
    ['with garbage', (stream) => stream.socket.send('{"event":1}')],
    [
      'with huge frames',
      (stream) => stream.socket.send(JSON.stringify({ event: 'media', media: { payload: 'A'.repeat(4_000) } })),
    ],
  ] as [string, (stream: Awaited<ReturnType<typeof openBareStream>>) => void][])
    test(`${name} is closed, and another one goes on`, async () => {
      const { tenant, channel, theCall } = await openWorld({ greeting: 'Hello.' })
      const { text } = await postSigned(tenant, channel.inbound_url, form)
      const stream = await openBareStream(stream_url, tokenIn(text))
      await waitUntil('the agent speaks', () => stream.messages.some(({ event }) => event === 'media'))
      send(stream)
      assert.equal(await stream.closed, 1_008)
      const { id } = await theCall()
      const next = await postSigned(tenant, `${channel.inbound_url}/calls/${id}`, {
        ...form,
        CallStatus: 'in-progress',
      })
      const again = await openBareStream(stream_url, tokenIn(next.text))
      again.send({ event: 'stop', stop: {} })
      assert.equal((await ended(tenant, id)).end_reason, 'contact_hung_up')
    })

  test('that begins with something else than start is closed', async () => {
    for (const first of ['garbage', '{"event":"media","media":{"payload":""}}', '{"event":"start","start":{}}']) {
      const socket = new WebSocket(stream_url)
      socket.on('open', () => socket.send(first))
      const [code] = await once(socket, 'close')
      assert.equal(code, 1_008, first)
    }
  })

  test('ends for digits that the agent presses, and another one follows', async () => {
    const { callIn, said, untilEnded } = await openWorld({
      script: {
        start: 'menu',
        nodes: {
          menu: { say: 'One moment.', else: { go: 'press' } },
          press: { press: '12', else: { go: 'bye' } },
          bye: { say: 'Goodbye.', go: '@end' },
        },
      },
    })
    const phone = callIn()
    await phone.untilStreaming()
    await phone.person.untilQuiet(await phone.person.untilHeard(0))
    await sayPhrase(phone.person, 'Yes.')
    const { parameters } = await phone.untilStreaming(1)
    assert.equal(parameters.after, 'digits')
    assert.deepEqual(
      phone.pressed.map(({ digits }) => digits),
      ['w1w2'],
    )
    assert.equal((await insist(phone, 'Yes.')).ended_by, 'service')
    assert.equal((await untilEnded()).end_reason, 'agent_hung_up')
    assert.deepEqual((await said()).at(-1), ['agent', 'Goodbye.'])
  })

  test('ends for a transfer, and so does the call when someone takes over', async () => {
    const { callIn, untilEnded, said } = await openWorld(transferring('+14155550111'))
    const phone = callIn()
    await phone.untilStreaming()
    await phone.person.untilQuiet(await phone.person.untilHeard(0))
    await sayPhrase(phone.person, 'Yes.')
    const { end_reason, ended_by, status } = await untilEnded()
    assert.deepEqual([status, end_reason, ended_by], ['completed', 'transferred', 'agent'])
    assert.deepEqual(
      phone.transfers.map(({ to }) => to),
      ['+14155550111'],
    )
    // They talk on.
    assert.equal(phone.ended_at, undefined)
    assert.equal((await said()).at(-1)?.[0], 'agent')
    await phone.person.hangUp()
  })

  test('follows a transfer that nobody takes, and the agent says so', async () => {
    const { callIn, untilEnded, said } = await openWorld(transferring('+14155550112'))
    const phone = callIn()
    await phone.untilStreaming()
    await phone.person.untilQuiet(await phone.person.untilHeard(0))
    await sayPhrase(phone.person, 'Yes.')
    const { parameters } = await phone.untilStreaming(1)
    assert.equal(parameters.after, 'transfer')
    await phone.person.untilQuiet(await phone.person.untilHeard(phone.person.now()))
    await phone.person.hangUp()
    assert.equal((await untilEnded()).end_reason, 'contact_hung_up')
    assert.deepEqual((await said()).at(-1), [
      'agent',
      "I'm sorry, I could not reach them. Can I help you with something else?",
    ])
  })
})

const frame = Buffer.alloc(160, toMulaw(loudnessOf('Yes.'))).toString('base64')
const keypad_script = {
  start: 'greet',
  nodes: { greet: { say: 'Your code, please.', else: { go: 'bye' } }, bye: { say: 'Thank you. Goodbye.', go: '@end' } },
}
const question_script = {
  start: 'greet',
  nodes: {
    greet: { say: 'Hello. Is Tuesday all right?', on: [{ intent: 'yes', go: 'bye' }], else: { go: 'greet' } },
    bye: { say: 'Goodbye.', go: '@end' },
  },
}
const transferring = (phone_number: string) => ({
  transfers: [{ name: 'office', phone_number }],
  script: {
    start: 'greet',
    nodes: {
      greet: { say: 'Hello.', else: { say: 'One moment.', go: 'office' } },
      office: { tool: 'transfer', with: { to: 'office' }, ok: 'after', failed: 'after' },
      after: { say: 'Goodbye.', else: { go: '@end' } },
    },
  },
})
