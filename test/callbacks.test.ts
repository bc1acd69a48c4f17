import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as clock from '../server/kit/clock.ts'
import { advance, call_start, getCall, newCaller, newTestCalls, placeCall, turnsOf } from './support/calls.ts'
import { create } from './support/conversations.ts'
import { serve, type Tenant } from './support/harness.ts'
import { newContact } from './support/samples.ts'

const server = await serve()

const script = {
  start: 'promise',
  nodes: {
    promise: {
      tool: 'schedule_callback',
      with: { at: '{{callback_at|2027-03-02T09:00:00Z}}', reason: 'Asks for a quote.' },
      ok: 'promised',
      failed: 'sorry',
    },
    promised: { say: 'I will call you back tomorrow. Goodbye.', go: '@end' },
    sorry: { say: 'I can not call you back. Goodbye.', go: '@end' },
  },
}

/** A test workspace in which a friendly person is called by an agent that wants to call back. */
async function newPromise(tenant: Tenant, more: object = {}) {
  await newTestCalls(tenant)
  const agent_id = await newCaller(tenant, { script })
  const contact = await create(tenant, '/contacts', newContact({ phone_number: '+14155550100' }))
  const { id } = await placeCall(tenant, { agent_id, contact_id: contact.id, ...more })
  await advance(tenant, 600)
  return { agent_id, contact_id: contact.id, first: await getCall(tenant, id) }
}

const callsOf = async ({ call }: Tenant) => (await call('GET', '/calls')).body.data

test('a promised callback is a scheduled call to the contact, and happens at its time', async () => {
  const tenant = await server.workspace()
  const { agent_id, contact_id, first } = await newPromise(tenant)
  const [promised, ...others] = (await callsOf(tenant)).filter(({ id }: { id: string }) => id !== first.id)
  assert.deepEqual(others, [])
  assert.partialDeepStrictEqual(promised, {
    ...{ status: 'scheduled', scheduled_at: '2027-03-02T09:00:00.000Z', agent_id, contact_id },
    ...{ to: '+14155550100', channel_id: first.channel_id, attempt: 2, metadata: { callback_of: first.id } },
  })
  await advance(tenant, 24 * 3_600)
  const called = await getCall(tenant, promised.id)
  assert.deepEqual([called.status, called.started_at], ['completed', '2027-03-02T09:00:00.000Z'])
  const { variables } = (await tenant.call('GET', `/conversations/${called.conversation_id}`)).body.data
  assert.deepEqual(variables, { callback_reason: 'Asks for a quote.' })
})

test('a callback stays with the simulated person', async () => {
  const tenant = await server.workspace()
  const { first } = await newPromise(tenant, { simulate: '00' })
  const [promised] = (await callsOf(tenant)).filter(({ id }: { id: string }) => id !== first.id)
  assert.deepEqual([promised.status, promised.channel_id, promised.is_test], ['scheduled', null, true])
})

test('a time in the past is not promised', async () => {
  const tenant = await server.workspace()
  const { first } = await newPromise(tenant, { variables: { callback_at: clock.iso(call_start - 1) } })
  const turns: { role: string; text: string }[] = await turnsOf(tenant, first.conversation_id)
  assert.ok(turns.some(({ role, text }) => role === 'agent' && text.startsWith('I can not call you back.')))
  assert.equal((await callsOf(tenant)).length, 1)
})
