import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { waitUntil } from '../faults/client.ts'
import { ended, getCall, newCaller, placeCall, turnsOf } from '../support/calls.ts'
import { addFakeSpeech } from '../support/fake-speech.ts'
import { openServer, testPool } from '../support/harness.ts'
import { metricsOf } from '../support/metrics.ts'
import { openVoiceClient, placeWebCall } from '../support/voice-client.ts'

const server = await openServer(testPool(), { live_calls_max: 20, speech_dir: '.cache/no-speech' })
after(server.close)

const script = {
  start: 'greet',
  nodes: {
    greet: {
      say: 'Hello. Is Tuesday all right?',
      on: [{ intent: 'yes', go: 'booked' }],
      else: { say: 'Is Tuesday all right?', go: 'greet' },
    },
    booked: { say: 'Good, see you on Tuesday. Goodbye.', go: '@end' },
  },
}

test('an agent that can neither hear nor speak can not be talked to', async () => {
  const tenant = await server.workspace()
  const agent_id = await newCaller(tenant, { script })
  const { status, body } = await tenant.call('POST', '/calls/web', { agent_id })
  assert.deepEqual([status, body.error.code, body.error.details.reason], [409, 'INVALID_STATE', 'speech_not_installed'])
  addFakeSpeech(server)
})

test('a person talks to an agent until it hangs up', async () => {
  const tenant = await server.workspace()
  const agent_id = await newCaller(tenant, { script })
  const contact = (await tenant.call('POST', '/contacts', { phone_number: '+14155550123' })).body.data
  const place = await placeWebCall(tenant, { agent_id, contact_id: contact.id, metadata: { page: 'start' } })
  const { status, direction, from, to, channel_id, is_test, conversation_id } = place.call
  assert.deepEqual(
    { status, direction, from, to, channel_id, is_test, conversation_id },
    {
      status: 'queued',
      direction: 'inbound',
      from: null,
      to: null,
      channel_id: null,
      is_test: false,
      conversation_id: null,
    },
  )
  assert.equal(place.url, `${server.url.replace('http', 'ws')}/voice`)
  const client = openVoiceClient(place)
  const ready = await client.next('ready')
  assert.equal(ready.call_id, place.call.id)
  assert.notEqual(ready.token, place.token)
  await waitUntil('the agent has spoken', async () => (await getCall(tenant, place.call.id)).turn_count === 1)
  client.say('Yes.')
  assert.deepEqual(await client.next('ended'), { type: 'ended', end_reason: 'agent_hung_up' })
  assert.equal(await client.closed, 1_000)
  assert.ok(client.heard() > 0)
  const call = await ended(tenant, place.call.id)
  assert.deepEqual(
    [call.status, call.outcome, call.ended_by, call.metadata.page],
    ['completed', 'answered', 'agent', 'start'],
  )
  const turns = await turnsOf(tenant, call.conversation_id)
  assert.deepEqual(
    turns.map(({ role, heard }: { role: string; heard: string }) => [role, heard]),
    [
      ['agent', 'Hello. Is Tuesday all right?'],
      ['contact', 'Yes.'],
      ['agent', 'Good, see you on Tuesday. Goodbye.'],
    ],
  )
  // How long each stage took, and the call by the first sound.
  const { wait_ms, recognise_ms, voice_ms, first_sound_ms } = turns[2].latency
  for (const ms of [wait_ms, recognise_ms, voice_ms, first_sound_ms]) assert.ok(Number.isInteger(ms) && ms >= 0)
  assert.deepEqual(call.latency, { turn_p50_ms: first_sound_ms, turn_p95_ms: first_sound_ms })
  assert.equal(turns[0].latency.turn_ms, null)
  const metrics = await metricsOf(server)
  assert.match(metrics, /parley_turn_latency_seconds_count\{stage="first_sound"\} [1-9]/)
  assert.match(metrics, /parley_calls_live 0/)
  const reached = (await tenant.call('GET', `/contacts/${contact.id}`)).body.data
  assert.equal(reached.last_contact_at, call.answered_at)
  assert.equal(call.recording.status, 'none')
})

test('who talks can be hung up on from the first moment', async () => {
  const tenant = await server.workspace()
  const agent_id = await newCaller(tenant, { script })
  await Promise.all(
    Array.from({ length: 3 }, async () => {
      const place = await placeWebCall(tenant, { agent_id })
      const { id } = place.call
      assert.equal((await tenant.call('POST', `/calls/${id}/hang_up`)).status, 409, 'nobody is connected')
      const client = openVoiceClient(place)
      await client.next('ready')
      const answer = await tenant.call('POST', `/calls/${id}/hang_up`)
      assert.equal(answer.status, 200, answer.text)
      assert.deepEqual(await client.next('ended'), { type: 'ended', end_reason: 'human_hung_up' })
      const { status, ended_by } = await ended(tenant, id)
      assert.deepEqual([status, ended_by], ['completed', 'human'])
    }),
  )
})

test('someone tries the draft, and nobody is reached', async () => {
  const tenant = await server.workspace()
  const agent_id = await newCaller(tenant, { script })
  const draft = { greeting: 'I am a draft.', script: null }
  assert.equal((await tenant.call('PATCH', `/agents/${agent_id}`, draft)).status, 200)
  const contact = (await tenant.call('POST', '/contacts', { phone_number: '+14155550123' })).body.data
  const body = { agent_id, contact_id: contact.id, use_draft: true, is_test: true }
  const place = await placeWebCall(tenant, body)
  assert.deepEqual(place.call.agent_version, { id: null, version_label: 'draft' })
  const client = openVoiceClient(place)
  await waitUntil('the agent has spoken', async () => (await getCall(tenant, place.call.id)).turn_count === 1)
  client.send({ type: 'end' })
  assert.deepEqual(await client.next('ended'), { type: 'ended', end_reason: 'contact_hung_up' })
  const call = await ended(tenant, place.call.id)
  assert.deepEqual([call.ended_by, call.is_test], ['contact', true])
  assert.equal((await turnsOf(tenant, call.conversation_id))[0].text, 'I am a draft.')
  assert.equal((await tenant.call('GET', `/contacts/${contact.id}`)).body.data.last_contact_at, null)
})

test('a call whose socket nobody opens has failed', async () => {
  const tenant = await server.workspace()
  const { call, token, url, expires_at } = await placeWebCall(tenant, {
    agent_id: await newCaller(tenant, { script }),
  })
  await tenant.work(Date.parse(expires_at) - 1)
  assert.equal((await getCall(tenant, call.id)).status, 'queued')
  await tenant.work(Date.parse(expires_at))
  const { status, outcome, end_reason, started_at } = await getCall(tenant, call.id)
  assert.deepEqual([status, outcome, end_reason, started_at], ['failed', 'no_answer', 'not_answered', null])
  assert.equal(await openVoiceClient({ url, token }).closed, 4_401)
})

test('what is wrong with a call in a browser is said at once', async () => {
  const tenant = await server.workspace()
  const agent_id = await newCaller(tenant, { script })
  const faultsOf = async (body: object) => {
    const { status, body: answer } = await tenant.call('POST', '/calls/web', body)
    const fields: { path: string; code: string }[] = answer.error?.details.fields ?? []
    return [status, ...fields.map(({ path, code }) => `${path} ${code}`)]
  }
  const unknown = '019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa'
  assert.deepEqual(await faultsOf({ agent_id: unknown }), [400, 'agent_id unknown'])
  assert.deepEqual(await faultsOf({ agent_id, contact_id: unknown }), [400, 'contact_id unknown'])
  assert.deepEqual(await faultsOf({ agent_id, agent_version_id: unknown }), [400, 'agent_version_id unknown'])
  assert.deepEqual(await faultsOf({ agent_id, origin: 'https://example.com/page' }), [400, 'origin format'])
  const test_tenant = await server.workspace(Date.parse('2027-03-01T09:00:00Z'))
  const answer = await test_tenant.call('POST', '/calls/web', { agent_id: await newCaller(test_tenant, { script }) })
  assert.deepEqual([answer.status, answer.body.error.details.reason], [409, 'test_workspace'])
})

test('calls in browsers are in flight', async () => {
  const tenant = await server.workspace()
  const agent_id = await newCaller(tenant, { script })
  await tenant.call('PATCH', '/workspace', { settings: { calls_in_flight_max: 1 } })
  const { call } = await placeWebCall(tenant, { agent_id })
  assert.equal((await tenant.call('POST', '/calls/web', { agent_id })).status, 409)
  assert.equal((await tenant.call('POST', `/calls/${call.id}/cancel`)).body.data.status, 'canceled')
  await placeWebCall(tenant, { agent_id })
})

test('a repeated request gets the same token', async () => {
  const tenant = await server.workspace()
  const agent_id = await newCaller(tenant, { script })
  const [first, second] = await Promise.all(
    [0, 1].map(() => tenant.call('POST', '/calls/web', { agent_id }, { 'idempotency-key': 'once' })),
  )
  assert.deepEqual([first?.status, first?.body], [201, second?.body])
  const { id } = first?.body.data.call ?? {}
  assert.equal(first?.headers.get('location'), `/api/v1/calls/${id}`)
  // Nothing of it can be read again after it was erased.
  assert.equal((await tenant.call('POST', `/calls/${id}/redact`)).status, 200)
  const replayed = await tenant.call('POST', '/calls/web', { agent_id }, { 'idempotency-key': 'once' })
  assert.deepEqual([replayed.status, replayed.body.data], [201, { id }])
})

test('calls that wait to be dialled are left to the workers', async () => {
  const tenant = await server.workspace()
  const agent_id = await newCaller(tenant, { script })
  const waiting = await placeCall(tenant, { agent_id, to: '+14155550100', simulate: '00' })
  // What is claimed when the first call ends has run before the second one has ended.
  for (const _ of ['first', 'second']) {
    const place = await placeWebCall(tenant, { agent_id })
    const client = openVoiceClient(place)
    await client.next('ready')
    client.send({ type: 'end' })
    await ended(tenant, place.call.id)
  }
  const { status, started_at } = await getCall(tenant, waiting.id)
  assert.deepEqual([status, started_at], ['queued', null])
})
