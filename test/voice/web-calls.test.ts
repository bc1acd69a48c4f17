import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { getCall, newCaller } from '../support/calls.ts'
import { addFakeSpeech } from '../support/fake-speech.ts'
import { openServer, testPool } from '../support/harness.ts'
import { placeWebCall } from '../support/voice-client.ts'

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

test('a call whose socket nobody opens has failed', async () => {
  const tenant = await server.workspace()
  const { call, expires_at } = await placeWebCall(tenant, {
    agent_id: await newCaller(tenant, { script }),
  })
  await tenant.work(Date.parse(expires_at) - 1)
  assert.equal((await getCall(tenant, call.id)).status, 'queued')
  await tenant.work(Date.parse(expires_at))
  const { status, outcome, end_reason, started_at } = await getCall(tenant, call.id)
  assert.deepEqual([status, outcome, end_reason, started_at], ['failed', 'no_answer', 'not_answered', null])
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
