import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openPhoneNetwork } from '../peers/phone.ts'
import type { PhoneCall } from '../peers/phone-call.ts'
import { ended, newCaller, placeCall, turnsOf } from '../support/calls.ts'
import { enrollmentsOf, newCampaign, request } from '../support/dialing.ts'
import { addFakeSpeech } from '../support/fake-speech.ts'
import { openServer, testPool } from '../support/harness.ts'
import { listCalls, newPhoneChannel } from '../support/phone.ts'
import { phoneNumber } from '../support/samples.ts'
import { own_number } from '../support/sms.ts'

const server = await openServer(testPool())
after(server.close)
addFakeSpeech(server)
const network = await openPhoneNetwork()
after(() => network.close())

const question = 'Is Tuesday all right?'
const confirmation = 'I understand. We will not call you again. Goodbye.'
const scriptWith = (on: object[]) => ({
  start: 'greet',
  nodes: {
    greet: { say: question, on, else: { say: 'I heard something else.', go: 'bye' } },
    bye: { say: 'Goodbye.', go: '@end' },
  },
})
const script = scriptWith([{ intent: 'yes', go: 'bye' }])

async function openWorld(fields: object) {
  const tenant = await server.workspace()
  const agent_id = await newCaller(tenant, { script, ...fields })
  const channel = await newPhoneChannel(server, tenant, { network, agent_id })
  const callOut = async (): Promise<PhoneCall> => {
    const { to } = await placeCall(tenant, { agent_id, to: phoneNumber(), channel_id: channel.id })
    await tenant.work()
    return network.calls.findLast((one) => one.to === to) ?? assert.fail('it was dialled')
  }
  const callIn = async (): Promise<PhoneCall> =>
    network.call({ from: phoneNumber(), to: own_number, webhook_url: channel.inbound_url })
  return { tenant, agent_id, callOut, callIn }
}

type World = Awaited<ReturnType<typeof openWorld>>

/** Has the person do this once the agent has spoken. Returns what has become of the call. */
async function whenAsked({ tenant }: World, phone: PhoneCall, act: (person: PhoneCall['person']) => unknown) {
  await phone.untilStreaming()
  await phone.person.untilQuiet(await phone.person.untilHeard(0))
  await act(phone.person)
  await phone.ended
  return outcomeOf(tenant)
}

async function outcomeOf(tenant: World['tenant']) {
  const [{ id }] = await listCalls(tenant)
  const { end_reason, conversation_id, contact_id, results } = await ended(tenant, id)
  const turns = await turnsOf(tenant, conversation_id)
  const entries = (await tenant.call('GET', '/consents')).body.data
  const said: string[] = turns.map(({ text }: { text: string }) => text)
  return { end_reason, conversation_id, contact_id, results, turns, said, entries }
}

/** The key has ended the calls for good. */
function assertOptedOut(
  { end_reason, entries, conversation_id, turns }: Awaited<ReturnType<typeof outcomeOf>>,
  key = '9',
) {
  const seq = turns.find(({ role }: { role: string }) => role === 'contact')?.seq
  const [entry, ...others] = entries
  assert.deepEqual([end_reason, others.length], ['opted_out', 0])
  assert.deepEqual([entry?.kind, entry?.status, entry?.source], ['all', 'revoked', 'voice_request'])
  assert.deepEqual(entry?.evidence, { conversation_id, seq, rule: 'key', language: 'en', words: key })
}

test('who presses 9 in a call that the agent has made is never called again', async () => {
  const world = await openWorld({})
  const phone = await world.callOut()
  const outcome = await whenAsked(world, phone, (person) => person.press('9'))
  assertOptedOut(outcome)
  assert.deepEqual(outcome.said, [question, '9', confirmation])
  const again = await world.tenant.call('POST', '/calls', { agent_id: world.agent_id, to: phone.to })
  assert.deepEqual([again.status, again.body.error.details.rule], [409, 'opted_out'])
  const contact = await request(world.tenant, 'POST', '/contacts', { phone_number: phone.to })
  const campaign = await newCampaign(world.tenant, [contact])
  const [{ id }] = await enrollmentsOf(world.tenant, campaign)
  const { rules } = await request(world.tenant, 'GET', `/enrollments/${id}/explain`)
  const { because } = rules.find(({ rule }: { rule: string }) => rule === 'consent')
  assert.match(because, / with the key 9 in the conversation /)
})

test('the key works while the agent speaks, also in its notice, and counts once', async () => {
  const in_greeting = { greeting: `${'Hello again. '.repeat(20)}${question}` }
  const in_notice = { recording: { notice: `${'This call is recorded. '.repeat(10)}` } }
  const pressTwice = async (fields: object) => {
    const world = await openWorld(fields)
    const { person, untilStreaming, ended: over } = await world.callOut()
    await untilStreaming()
    const heard_ms = await person.untilHeard(0)
    // What was heard is reported after a while.
    await person.until('some of it is heard', () => person.now() > heard_ms + 1_000)
    person.press('9')
    await person.until('the agent is interrupted', () => person.clears.length > 0)
    await person.untilHeard(person.now())
    person.press('9')
    await over
    const outcome = await outcomeOf(world.tenant)
    assertOptedOut(outcome)
    assert.deepEqual([outcome.turns[0].is_interrupted, outcome.said[2]], [true, confirmation])
  }
  await Promise.all([in_greeting, in_notice].map(pressTwice))
})

test('who presses the key and hangs up has opted out', async () => {
  const world = await openWorld({})
  const outcome = await whenAsked(world, await world.callOut(), async (person) => {
    person.press('9')
    await person.hangUp()
  })
  assertOptedOut(outcome)
})

/** The key ends the calls of an agent with this configuration. */
async function assertEnds(fields: object, key = '9'): Promise<void> {
  const world = await openWorld(fields)
  assertOptedOut(await whenAsked(world, await world.callOut(), (person) => person.press(key)), key)
}

/** The script hears the digits, and nobody opts out. */
async function assertTyped(fields: object, { digits = '9', comes_in = false } = {}) {
  const world = await openWorld(fields)
  const phone = await (comes_in ? world.callIn() : world.callOut())
  const outcome = await whenAsked(world, phone, (person) => person.press(digits))
  assert.deepEqual([outcome.end_reason, outcome.entries, outcome.said[1]], ['agent_hung_up', [], digits])
  return outcome
}

test('another key ends the calls if the version names it, and 9 does not', async () => {
  await Promise.all([assertEnds({ opt_out_key: '#' }, '#'), assertTyped({ opt_out_key: '#' })])
})

test('the key with other digits after it is a number', async () => {
  await assertTyped({}, { digits: '912' })
})

test('without a key, and in a call that comes in, nobody opts out by one', async () => {
  await Promise.all([assertTyped({ opt_out_key: null }), assertTyped({}, { comes_in: true })])
})

test('the key is named before the first words, and not in a call that comes in', async () => {
  const named = 'Wenn Sie keine Anrufe mehr möchten, drücken Sie die Taste 9.'
  const [dialed, came_in] = await Promise.all([
    openWorld({ language: 'de' }).then(async (world) =>
      whenAsked(world, await world.callOut(), (person) => person.press('9')),
    ),
    assertTyped({ language: 'de', opt_out_notice: true }, { comes_in: true }),
  ])
  assert.deepEqual([dialed.end_reason, dialed.turns[0].heard], ['opted_out', `${named} ${question}`])
  assert.equal(dialed.entries[0].evidence.language, 'de')
  assert.equal(came_in.said[0], question)
})

test('a step of a script that waits for digits takes the key', async () => {
  const at = (branch: object) => ({ script: scriptWith([{ ...branch, go: 'bye' }]) })
  await Promise.all([
    assertTyped(at({ slot: 'digits' })),
    assertTyped(at({ slot: 'phone' })),
    assertTyped(at({ hear: ['yes', 'nine'] })),
    // The greeting asks what the first step answers.
    assertTyped({ ...at({ slot: 'digits' }), greeting: 'Your number?' }),
    assertEnds(at({ slot: 'time' })),
    assertEnds(at({ hear: ['press 9', 'the nine'] })),
  ])
})
