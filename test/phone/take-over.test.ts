import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { waitUntil } from '../faults/client.ts'
import { openPhoneNetwork } from '../peers/phone.ts'
import type { PhoneCall } from '../peers/phone-call.ts'
import { ended, getCall, newCaller, placeCall, turnsOf } from '../support/calls.ts'
import { addFakeSpeech } from '../support/fake-speech.ts'
import { openServer, testPool } from '../support/harness.ts'
import { insist, listCalls, newPhoneChannel, sayPhrase } from '../support/phone.ts'
import { own_number } from '../support/sms.ts'
import { startVoiceProcess } from '../support/voice-process.ts'

const secrets_key = randomBytes(32).toString('base64')
const server = await openServer(testPool(), { secrets_key })
after(server.close)
addFakeSpeech(server)
// Both have one address.
const other = await startVoiceProcess({ secrets_key, public_url: server.url })
let is_killed = false
/** Streams go to the other process as long as it lives, and questions to this one. */
const network = await openPhoneNetwork({
  route: (url) => (url.startsWith('ws') && !is_killed ? other.url.replace('/voice', '/phone') : url),
  transferFor: () => ({ takes: 'busy', after_ms: 6_000 }),
  // A voicemail, whose greeting goes on until then.
  personFor: () => ({
    verdict: { answered_by: 'machine_start', after_ms: 100 },
    async acts(person) {
      while (!is_killed) await sayPhrase(person, 'I would like to book a table.')
    },
  }),
})
after(() => network.close())

const tenant = await server.workspace()
const script = {
  start: 'greet',
  nodes: {
    greet: { say: 'Hello. Is Tuesday all right?', on: [{ intent: 'yes', go: 'time' }], else: { go: 'bye' } },
    time: { say: 'Good. At nine?', on: [{ intent: 'yes', go: 'bye' }], else: { go: 'bye' } },
    bye: { say: 'See you on Tuesday. Goodbye.', go: '@end' },
  },
}
const recording = { is_on: true, notice: 'This call is recorded.' }
const transfer_script = {
  start: 'greet',
  nodes: {
    greet: { say: 'Hello.', else: { say: 'One moment.', go: 'office' } },
    office: { tool: 'transfer', with: { to: 'office' }, ok: 'after', failed: 'after' },
    after: { say: 'Goodbye.', else: { go: '@end' } },
  },
}
const press_script = {
  start: 'greet',
  nodes: {
    greet: { say: 'Hello.', else: { go: 'press' } },
    press: { press: '12345678', else: { go: 'bye' } },
    bye: { say: 'Goodbye.', go: '@end' },
  },
}

const own_numbers = [own_number, '+14155550101', '+14155550102', '+14155550103']
async function callIn(address: string, fields: object) {
  const agent_id = await newCaller(tenant, fields)
  const channel = await newPhoneChannel(server, tenant, { network, agent_id, address })
  const phone = network.call({ from: '+14155550123', to: address, webhook_url: channel.inbound_url })
  await phone.untilStreaming()
  const { person } = phone
  await person.untilQuiet(await person.untilHeard(0))
  const [{ id }] = await listCalls(tenant, `channel_id=${channel.id}`)
  return { phone, id }
}

async function callOut(address: string, fields: object) {
  const agent_id = await newCaller(tenant, fields)
  const channel = await newPhoneChannel(server, tenant, { network, agent_id, address })
  const { id } = await placeCall(tenant, { agent_id, to: '+14155550199', channel_id: channel.id })
  await tenant.work()
  const phone = await network.nextCall()
  await phone.untilStreaming()
  return { phone, id }
}

const [asking, gone, transferring, pressing, greeting] = await Promise.all([
  callIn(own_numbers[0] ?? '', { script, recording }),
  callIn(own_numbers[1] ?? '', { script }),
  callIn(own_numbers[2] ?? '', {
    script: transfer_script,
    transfers: [{ name: 'office', phone_number: '+14155550111' }],
  }),
  callIn(own_numbers[3] ?? '', { script: press_script }),
  callOut('+14155550104', { greeting: 'Hello.', voicemail_message: 'Please call us back.' }),
])
const saidIn = async (id: string) => {
  const { conversation_id } = await getCall(tenant, id)
  const turns: { role: string; heard: string }[] = await turnsOf(tenant, conversation_id)
  return turns.map(({ role, heard }) => [role, heard])
}
/** Who has answered, as the carrier says and as was heard. */
const machinesIn = async (id: string): Promise<string[]> =>
  (await tenant.call('GET', `/calls/${id}/events?limit=100`)).body.data
    .map(({ kind }: { kind: string }) => kind)
    .filter((kind: string) => kind === 'machine.voicemail')

await Promise.all([asking, transferring, pressing].map(({ phone }) => sayPhrase(phone.person, 'Yes.')))
await waitUntil('the agent has asked again', async () => (await saidIn(asking.id)).at(-1)?.[1] === 'Good. At nine?')
const isAway = ({ streams }: PhoneCall) => streams.every(({ closed_ms }) => closed_ms !== undefined)
await waitUntil('a number is dialled', () => transferring.phone.transfers.length > 0 && isAway(transferring.phone))
await waitUntil('keys are pressed', () => isAway(pressing.phone))
await waitUntil('a voicemail was found', async () => (await machinesIn(greeting.id)).length === 2)
is_killed = true
const killed_at = Date.now()
// Its telephone is out of reach at the same moment.
gone.phone.end({ status: 'failed', ended_by: 'peer' })
await other.kill()

describe('a call whose process was killed', { concurrency: true }, () => {
  test('goes on in the process of its next stream', async () => {
    const { phone, id } = asking
    const { opened_ms = 0 } = await phone.untilStreaming(1)
    await phone.person.untilQuiet(await phone.person.untilHeard(opened_ms))
    await sayPhrase(phone.person, 'Yes.')
    assert.equal((await phone.ended).ended_by, 'service')
    const call = await ended(tenant, id)
    assert.equal(call.end_reason, 'agent_hung_up')
    assert.deepEqual(await saidIn(id), [
      ['agent', 'This call is recorded. Hello. Is Tuesday all right?'],
      ['contact', 'Yes.'],
      ['agent', 'Good. At nine?'],
      ['agent', 'Sorry, we were cut off. At nine?'],
      ['contact', 'Yes.'],
      ['agent', 'See you on Tuesday. Goodbye.'],
    ])
    // One recording, on the time line of the whole call.
    await waitUntil('the recording is ready', async () => {
      await tenant.work()
      return (await getCall(tenant, id)).recording.status === 'ready'
    })
    const file = await tenant.call('GET', `/calls/${id}/recording`)
    assert.equal(Number(file.headers.get('content-length')), 58 + call.duration_ms * 16)
  })

  test('says that a transfer has failed, and nothing else', async () => {
    const { phone, id } = transferring
    await phone.untilStreaming(1)
    const sorry = "I'm sorry, I could not reach them. Can I help you with something else?"
    await waitUntil('the agent says so', async () => (await saidIn(id)).at(-1)?.[1] === sorry)
    await phone.person.hangUp()
    assert.equal((await ended(tenant, id)).end_reason, 'contact_hung_up')
  })

  test('goes on without a word after keys', async () => {
    const { phone, id } = pressing
    await phone.untilStreaming(1)
    assert.equal((await insist(phone, 'Yes.')).ended_by, 'service')
    await ended(tenant, id)
    const words = (await saidIn(id)).map(([, heard]) => heard).join(' ')
    assert.doesNotMatch(words, /cut off/)
    assert.match(words, /Goodbye\.$/)
  })

  test('leaves its message on the voicemail that has answered, and says nothing else', async () => {
    const { phone, id } = greeting
    await phone.untilStreaming(1)
    assert.equal((await phone.ended).ended_by, 'service')
    const call = await ended(tenant, id)
    assert.deepEqual([call.outcome, call.end_reason], ['voicemail', 'voicemail_left'])
    const words = (await saidIn(id)).filter(([role]) => role === 'agent').map(([, heard]) => heard)
    assert.equal(words.at(-1), 'Please call us back.')
    assert.doesNotMatch(words.join(' '), /cut off/)
  })

  test('ends a minute after its last stream if none follows', async () => {
    const { id } = gone
    await tenant.work(killed_at + 50_000)
    assert.equal((await getCall(tenant, id)).status, 'in_progress')
    await waitUntil('it has ended', async () => {
      await tenant.work(killed_at + 75_000)
      return (await getCall(tenant, id)).ended_at !== null
    })
    const call = await getCall(tenant, id)
    assert.deepEqual([call.status, call.end_reason], ['completed', 'system_error'])
    assert.ok(Date.parse(call.ended_at) <= killed_at + 1_000)
  })
})
