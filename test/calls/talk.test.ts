import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../server/kit/postgres/sql.ts'
import { advance, appointment_script, getCall, newCaller, newTestCalls, placeCall, turnsOf } from '../support/calls.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { newProvider } from '../support/samples.ts'

const server = await serve()

/** Calls a person with an agent, and returns the call when it is over. */
async function callPerson(person: string, configuration: object, body: object = {}) {
  const tenant = await server.workspace()
  await newTestCalls(tenant)
  const agent_id = await newCaller(tenant, configuration)
  const { id } = await placeCall(tenant, { agent_id, to: `+141555501${person}`, ...body })
  await advance(tenant, 3_600)
  const call = await getCall(tenant, id)
  return { tenant, call, turns: await turnsOf(tenant, call.conversation_id) }
}

const wordsOf = (turns: { role: string; text: string }[]) => turns.map(({ role, text }) => `${role}: ${text}`)

const conversationOf = async ({ call }: Tenant, id: string) => (await call('GET', `/conversations/${id}`)).body.data

test('a message is left on a voicemail after the beep', async () => {
  const voicemail_message = 'Please call us back, {{contact.first_name|dear customer}}.'
  const { call, turns } = await callPerson('05', { script: appointment_script, voicemail_message })
  assert.equal(`${call.outcome}/${call.end_reason}/${call.ended_by}`, 'voicemail/voicemail_left/agent')
  assert.equal(turns.at(-1).heard, 'Please call us back, dear customer.')
})

test('a full mailbox gets no message', async () => {
  const { call, turns } = await callPerson('06', { script: appointment_script, voicemail_message: 'Call us.' })
  assert.equal(`${call.outcome}/${call.end_reason}`, 'voicemail/voicemail_hung_up')
  assert.ok(!wordsOf(turns).includes('agent: Call us.'))
})

test('a script presses a key in a phone menu, and waits without words', async () => {
  const script = {
    start: 'menu',
    nodes: {
      menu: { say: 'Hello.', on: [{ hear: ['press 2'], go: 'two' }], else: { go: 'menu' } },
      two: {
        press: '2',
        on: [{ intent: 'goodbye', go: 'bye' }],
        else: { say: 'We call about your order.', go: 'bye' },
      },
      bye: { say: 'Goodbye.', go: '@end' },
    },
  }
  const { call, turns } = await callPerson('08', { script })
  assert.equal(`${call.status}/${call.outcome}`, 'completed/menu')
  const pressed = turns.flatMap(({ tools }: { tools: { name: string; arguments: object }[] }) => tools)
  assert.deepEqual(
    pressed
      .filter(({ name }: { name: string }) => name === 'press_digits')
      .map((run: { arguments: object }) => run.arguments),
    [{ digits: '2' }],
  )
  const last = turns.findLast(({ role }: { role: string }) => role === 'agent')
  assert.equal(last.text, 'We call about your order. Goodbye.')
  const steps = turns.map(({ script }: { script: object | null }) => script)
  assert.deepEqual(steps.find(Boolean), { step: 'menu', reason: 'begin', heard: null })
  assert.deepEqual(last.script, { step: 'bye', reason: 'else', heard: null })
})

for (const { to, end_reason, words } of [
  { to: '+14155550200', end_reason: 'transferred', words: [] },
  {
    to: '+14155550201',
    end_reason: 'agent_hung_up',
    words: ["agent: I'm sorry, I could not reach them. Can I help you with something else?"],
  },
])
  test(`a transfer to ${to} ends as ${end_reason}`, async () => {
    const script = {
      start: 'hello',
      nodes: {
        hello: { say: 'Hello, I connect you.', go: 'sales' },
        sales: { tool: 'transfer', with: { to: 'sales' }, ok: 'after', failed: 'after' },
        after: { say: 'Goodbye.', go: '@end' },
      },
    }
    const transfers = [{ name: 'sales', phone_number: to }]
    const { call, turns } = await callPerson('00', { script, transfers })
    assert.equal(`${call.status}/${call.end_reason}`, `completed/${end_reason}`)
    for (const line of words) assert.ok(wordsOf(turns).includes(line), wordsOf(turns).join('\n'))
  })

test('the notice comes first, and a call with all its results has reached its goal', async () => {
  const script = {
    start: 'ask',
    nodes: {
      ask: { say: 'What is your name?', on: [{ slot: 'name', go: 'bye' }], else: { say: 'Again, please.', go: 'ask' } },
      bye: { say: 'Thank you. Goodbye.', go: '@end' },
    },
  }
  const recording = { is_on: true, notice: 'This call is recorded.' }
  const { call, turns } = await callPerson('00', { script, recording, results: [{ name: 'name', type: 'text' }] })
  const first = turns.find(({ role }: { role: string }) => role === 'agent')
  assert.equal(first.text, 'This call is recorded. What is your name?')
  assert.equal(call.end_reason, 'goal_reached')
  assert.ok(call.results.name)
})

test('the key that ends calls for good is named where the language is not heard, or if the version says so', async () => {
  const server_speech = { speak: null, listen: { provider: 'Ears', model: null, language: null } }
  const german = 'Wenn Sie keine Anrufe mehr möchten, drücken Sie die Taste'
  for (const [configuration, first] of [
    [{ language: 'de-AT' }, `${german} 9. Hallo.`],
    [{ language: 'de', opt_out_key: '#' }, `${german} Raute. Hallo.`],
    [{ language: 'de', opt_out_key: '*', recording: { notice: 'Aufnahme.' } }, `Aufnahme. ${german} Stern. Hallo.`],
    [{ language: 'de', opt_out_key: null, recording: { notice: 'Aufnahme.' } }, 'Aufnahme. Hallo.'],
    [{ language: 'de', speech: server_speech }, 'Hallo.'],
    [{ language: 'de', speech: server_speech, opt_out_notice: true }, `${german} 9. Hallo.`],
    [{ language: 'en-GB' }, 'Hallo.'],
    [{ opt_out_notice: true, recording: { is_on: false } }, 'To get no more calls, press 9. Hallo.'],
    [{ opt_out_notice: true, opt_out_key: null }, 'Hallo.'],
  ] as const) {
    const tenant = await server.workspace()
    await newTestCalls(tenant)
    await tenant.call('POST', '/providers', newProvider({ name: 'Ears', kind: 'deepgram' }))
    const script = { start: 'bye', nodes: { bye: { say: 'Hallo.', go: '@end' } } }
    const agent_id = await newCaller(tenant, { script, ...configuration })
    const { id } = await placeCall(tenant, { agent_id, to: '+14155550100' })
    await advance(tenant, 3_600)
    const { conversation_id } = await getCall(tenant, id)
    const [turn] = (await turnsOf(tenant, conversation_id)).filter(({ role }: { role: string }) => role === 'agent')
    assert.equal(turn.text, first, JSON.stringify(configuration))
  }
})

test('a result that has the name of a member of all objects is not there before it is', async () => {
  const script = { start: 'bye', nodes: { bye: { say: 'Goodbye.', go: '@end' } } }
  const { call } = await callPerson('00', { script, results: [{ name: 'constructor', type: 'text' }] })
  assert.equal(call.end_reason, 'agent_hung_up')
})

test('without recording there is none', async () => {
  const { tenant, call } = await callPerson('00', { script: appointment_script, recording: { is_on: false } })
  assert.deepEqual(call.recording, { status: 'none', duration_ms: null, format: null })
  assert.equal((await tenant.call('GET', `/calls/${call.id}/recording`)).status, 404)
})

test('who says so is never called again', async () => {
  const { tenant, call } = await callPerson('11', { script: appointment_script })
  const again = await tenant.call('POST', '/calls', { agent_id: call.agent_id, to: call.to })
  assert.deepEqual([again.status, again.body.error.details.rule], [409, 'opted_out'])
  const [entry] = (await tenant.call('GET', '/consents')).body.data
  assert.deepEqual([entry.kind, entry.status, entry.source], ['all', 'revoked', 'voice_request'])
  assert.equal((await conversationOf(tenant, call.conversation_id)).close_reason, 'opted_out')
})

test('an opt-out between the request and the dial keeps the number from being dialled', async () => {
  const tenant = await server.workspace()
  await newTestCalls(tenant)
  const agent_id = await newCaller(tenant)
  const { now } = (await tenant.call('GET', '/test_clock')).body.data
  const scheduled_at = new Date(Date.parse(now) + 60_000).toISOString()
  const { id, to } = await placeCall(tenant, { agent_id, to: '+14155550100', scheduled_at })
  assert.equal((await tenant.call('POST', '/suppressions', { phone_number: to, kind: 'voice' })).status, 201)
  await advance(tenant, 120)
  const call = await getCall(tenant, id)
  assert.deepEqual([call.status, call.outcome, call.started_at], ['failed', 'blocked', null])
})

test('a call is not made by a channel that was disabled meanwhile', async () => {
  const tenant = await server.workspace()
  await newTestCalls(tenant)
  const agent_id = await newCaller(tenant)
  const { now } = (await tenant.call('GET', '/test_clock')).body.data
  const scheduled_at = new Date(Date.parse(now) + 60_000).toISOString()
  const { id, channel_id } = await placeCall(tenant, { agent_id, to: '+14155550100', scheduled_at })
  await server.pool.run(
    sql`update channels set status = 'disabled' where workspace_id = ${tenant.id} and id = ${channel_id}`,
  )
  await advance(tenant, 120)
  const call = await getCall(tenant, id)
  assert.deepEqual([call.status, call.outcome, call.started_at], ['failed', 'blocked', null])
})

test('a carrier error is gone the second time', async () => {
  const tenant = await server.workspace()
  await newTestCalls(tenant)
  const agent_id = await newCaller(tenant)
  const body = { agent_id, to: '+14155550116' }
  const first = await placeCall(tenant, body)
  await advance(tenant, 600)
  const second = await placeCall(tenant, body)
  await advance(tenant, 600)
  assert.equal((await getCall(tenant, first.id)).outcome, 'error')
  assert.equal((await getCall(tenant, second.id)).outcome, 'answered')
})

test('what was said in a call is found, and its events are there once', async () => {
  const { tenant, call } = await callPerson('00', { script: appointment_script })
  const found = (await tenant.call('GET', `/calls?search=${encodeURIComponent('TÚESDAY at nine')}`)).body.data
  assert.deepEqual(
    found.map(({ id }: { id: string }) => id),
    [call.id],
  )
  const events = (await tenant.call('GET', '/events?limit=100')).body.data
  const types = events.map(({ type }: { type: string }) => type).filter((type: string) => type.startsWith('call.'))
  assert.deepEqual(types.sort(), ['call.answered', 'call.ended', 'call.recording_ready', 'call.started'])
})

test('models and tools over the network are not used in a test workspace, unless it allows them', async () => {
  const { call, turns } = await callPerson('00', { instructions: 'Be kind.' })
  assert.equal(call.outcome, 'answered')
  assert.match(turns.find(({ role }: { role: string }) => role === 'agent').text, /can't answer right now/)
})
