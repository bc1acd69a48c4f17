import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { waitUntil } from '../faults/client.ts'
import { ended, getCall, newCaller, turnsOf } from '../support/calls.ts'
import { addFakeSpeech } from '../support/fake-speech.ts'
import { openServer, testPool } from '../support/harness.ts'
import { openVoiceClient, placeWebCall } from '../support/voice-client.ts'
import { startVoiceProcess } from '../support/voice-process.ts'

const server = await openServer(testPool())
after(server.close)
addFakeSpeech(server)
const script = {
  start: 'greet',
  nodes: {
    greet: { say: 'Hello. Is Tuesday all right?', on: [{ intent: 'yes', go: 'time' }], else: { go: 'bye' } },
    time: { say: 'Good. At nine?', on: [{ intent: 'yes', go: 'bye' }], else: { go: 'bye' } },
    bye: { say: 'See you on Tuesday. Goodbye.', go: '@end' },
  },
}

const tenant = await server.workspace()
const place = async (body: object) => {
  const placed = await placeWebCall(tenant, body)
  return { ...placed, id: placed.call.id }
}
const sentence = 'This is a long sentence. And here is another.'
const speaker = { script: { start: 'one', nodes: { one: { say: sentence, go: '@end' } } } }
const agent_id = await newCaller(tenant, { script })
const recorded = {
  greeting: 'Good morning. How can I help you?',
  recording: { is_on: true, notice: 'This call is recorded.' },
}
const [asking, speaking, leaving, beginning, greeting] = await Promise.all([
  place({ agent_id, is_test: true }),
  place({ agent_id: await newCaller(tenant, speaker) }),
  place({ agent_id }),
  place({ agent_id }),
  place({ agent_id: await newCaller(tenant, recorded) }),
])
const other = await startVoiceProcess()
const clients = {
  asking: openVoiceClient({ ...asking, url: other.url }),
  // It hears the agent, and does not say so.
  speaking: openVoiceClient({ ...speaking, url: other.url }, { is_live: false }),
  leaving: openVoiceClient({ ...leaving, url: other.url }),
}
const [asking_token, speaking_token, leaving_token] = await Promise.all(
  Object.values(clients).map(async (client) => String((await client.next('ready')).token)),
)
clients.speaking.send({ type: 'played', ms: 0 })
const hasTurns = (id: string, count: number) => async () => {
  const { conversation_id, turn_count } = await getCall(tenant, id)
  return turn_count === count && (await turnsOf(tenant, conversation_id)).length === count
}
await waitUntil('the agents have asked', hasTurns(asking.id, 1))
await waitUntil('the agents have asked', hasTurns(leaving.id, 1))
clients.asking.say('Yes.')
await waitUntil('the agent has asked again', hasTurns(asking.id, 3))
await waitUntil('the other one speaks', () => clients.speaking.heard() > 0)
// Who says something before the greeting, and then hears nothing.
const first = openVoiceClient({ ...greeting, url: other.url }, { is_playing: false })
// What comes before the line is open is lost.
first.say('Yes.', { frames: 75 })
const greeting_token = String((await first.next('ready')).token)
first.send({ type: 'played', ms: 0 })
await waitUntil('the contact has a turn', async () => (await getCall(tenant, greeting.id)).turn_count > 0)
await waitUntil('the agent greets', () => first.heard() > 0)
// Who begins to speak at once is heard first, so that nobody has a turn yet.
const early = openVoiceClient({ ...beginning, url: other.url })
early.say('Yes.', { frames: 1_000 })
const beginning_token = String((await early.next('ready')).token)
await waitUntil('it is answered', async () => (await getCall(tenant, beginning.id)).answered_at !== null)
const killed_at = Date.now()
await other.kill()

describe('a call whose process was killed', { concurrency: true }, () => {
  test('goes on in the process that its client comes back to', async () => {
    const { id, url } = asking
    // At once, although the lease of the process that was killed has not ended.
    const back = openVoiceClient({ url, token: asking_token ?? '' })
    assert.equal((await back.next('ready')).call_id, id)
    await waitUntil('the agent asks once more', hasTurns(id, 4))
    back.say('Yes.')
    assert.deepEqual(await back.next('ended'), { type: 'ended', end_reason: 'agent_hung_up' })
    const call = await ended(tenant, id)
    const turns: { role: string; heard: string; seq: number }[] = await turnsOf(tenant, call.conversation_id)
    assert.deepEqual(
      turns.map(({ seq, role, heard }) => [seq, role, heard]),
      [
        [1, 'agent', 'Hello. Is Tuesday all right?'],
        [2, 'contact', 'Yes.'],
        [3, 'agent', 'Good. At nine?'],
        [4, 'agent', 'Sorry, we were cut off. At nine?'],
        [5, 'contact', 'Yes.'],
        [6, 'agent', 'See you on Tuesday. Goodbye.'],
      ],
    )
    // One call, one recording on the time line of the whole call, one end.
    await waitUntil('the recording is ready', async () => {
      // The process that had the call before has some seconds to store what it has recorded.
      await tenant.work(Date.now() + 15_000)
      return (await getCall(tenant, id)).recording.status === 'ready'
    })
    const recording = await tenant.call('GET', `/calls/${id}/recording`)
    assert.equal(Number(recording.headers.get('content-length')), 58 + call.duration_ms * 16)
    const { data }: { data: { type: string; resource_id: string }[] } = (await tenant.call('GET', '/events?limit=100'))
      .body
    const ofType = (type: string) => data.filter((event) => event.type === type && event.resource_id === id).length
    assert.deepEqual([ofType('call.started'), ofType('call.ended'), ofType('call.recording_ready')], [1, 1, 1])
  })

  test('in the middle of a sentence says it again', async () => {
    const back = openVoiceClient({ url: speaking.url, token: speaking_token ?? '' })
    assert.deepEqual(await back.next('ended'), { type: 'ended', end_reason: 'agent_hung_up' })
    const { conversation_id } = await ended(tenant, speaking.id)
    const turns: { heard: string; is_interrupted: boolean }[] = await turnsOf(tenant, conversation_id)
    assert.deepEqual(
      turns.map(({ heard, is_interrupted }) => [heard, is_interrupted]),
      [
        ['', true],
        [`Sorry, we were cut off. ${sentence}`, false],
      ],
    )
  })

  test('before anything was said begins with the agent', async () => {
    const { id, url } = beginning
    const { turn_count } = await getCall(tenant, id)
    assert.equal(turn_count, 0)
    const back = openVoiceClient({ url, token: beginning_token })
    await waitUntil('the agent asks', hasTurns(id, 1))
    back.send({ type: 'end' })
    const { conversation_id } = await ended(tenant, id)
    const [turn] = await turnsOf(tenant, conversation_id)
    assert.deepEqual([turn.role, turn.heard], ['agent', 'Sorry, we were cut off. Hello. Is Tuesday all right?'])
  })

  test('before the agent was heard begins with the notice and the greeting, also when the contact has spoken', async () => {
    const { id, url } = greeting
    const { conversation_id } = await getCall(tenant, id)
    const back = openVoiceClient({ url, token: greeting_token })
    const words = `Sorry, we were cut off. ${recorded.recording.notice} ${recorded.greeting}`
    await waitUntil('the contact has heard both', async () => {
      const turns: { heard: string }[] = await turnsOf(tenant, conversation_id)
      return turns.at(-1)?.heard === words
    })
    back.send({ type: 'end' })
    const turns: { role: string; heard: string }[] = await turnsOf(tenant, conversation_id)
    assert.deepEqual(
      turns.filter(({ heard }) => heard !== '').map(({ role, heard }) => [role, heard]),
      [
        ['contact', 'Yes.'],
        ['agent', words],
      ],
    )
  })
})

// After the others, which it would end before their clients are back.
test('a call whose process was killed is over a minute after its last frame, if nobody comes back', async () => {
  const { id, url } = leaving
  await tenant.work(killed_at + 50_000)
  assert.equal((await getCall(tenant, id)).status, 'in_progress')
  await waitUntil('the call is over', async () => {
    await tenant.work(killed_at + 61_000)
    return (await getCall(tenant, id)).ended_at !== null
  })
  const { status, end_reason, ended_at } = await getCall(tenant, id)
  assert.deepEqual([status, end_reason], ['completed', 'system_error'])
  assert.ok(Math.abs(Date.parse(ended_at) - killed_at) < 10_000)
  assert.equal(await openVoiceClient({ url, token: leaving_token ?? '' }).closed, 4_401)
})
