import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { waitUntil } from '../faults/client.ts'
import { openPhoneNetwork } from '../peers/phone.ts'
import { getCall, newCaller } from '../support/calls.ts'
import { createDatabase, openServer, testPool } from '../support/harness.ts'
import { listCalls, newPhoneChannel, openBareStream, tokenIn } from '../support/phone.ts'
import { phoneNumber } from '../support/samples.ts'
import { secrets_key, startService } from '../support/served.ts'
import { own_number, signatureOf } from '../support/sms.ts'

const caller = '+14155550123'

const { url: database_url } = await createDatabase('phone_drain')
/** It has no part in calls, and reads what is left when the service has ended. */
const reader = await openServer(testPool(database_url), { secrets_key })
after(reader.close)

async function openWorld(environment: Record<string, string> = {}, fields: object = { greeting: 'Hello.' }) {
  const service = await startService(database_url, environment)
  const network = await openPhoneNetwork({ personFor: () => ({ takes: 'no_answer' }) })
  after(() => network.close())
  const tenant = await reader.workspace()
  const agent_id = await newCaller(tenant, fields)
  const channel = await newPhoneChannel(reader, tenant, { network, agent_id })
  const inbound_url = channel.inbound_url.replace(reader.url, service.address)
  const isDraining = async () => (await service.request('GET', '/ready')).status === 503
  const ring = async () => {
    // By the service itself, which then dials at once.
    const answer = await fetch(`${service.address}/api/v1/calls`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ agent_id, to: phoneNumber(), channel_id: channel.id }),
    })
    const { id } = ((await answer.json()) as { data: { id: string } }).data
    const phone = await network.nextCall()
    await waitUntil('it rings', async () => (await getCall(tenant, id)).status === 'ringing')
    return { id, phone }
  }
  return { ...service, network, tenant, inbound_url, isDraining, ring }
}

describe('a stop', () => {
  test('waits for telephones that ring, and who answers is talked to', async () => {
    const { network, tenant, inbound_url, signal, isDraining, exited, ring } = await openWorld()
    const { id, phone } = await ring()
    signal('SIGTERM')
    await waitUntil('it is not ready any more', isDraining)
    const refused = network.call({ from: caller, to: own_number, webhook_url: inbound_url })
    assert.deepEqual(await refused.ended, { status: 'busy', ended_by: 'service' })
    phone.person.answer()
    await phone.untilStreaming()
    await phone.person.untilHeard(0)
    await phone.person.hangUp()
    assert.equal(await exited, 0)
    const { status, outcome, end_reason } = await getCall(tenant, id)
    assert.deepEqual([status, outcome, end_reason], ['completed', 'answered', 'contact_hung_up'])
  })

  test('waits no longer when nobody answers', async () => {
    const { tenant, signal, isDraining, exited, ring } = await openWorld()
    const { id, phone } = await ring()
    signal('SIGTERM')
    await waitUntil('it is not ready any more', isDraining)
    phone.person.decline()
    assert.equal(await exited, 0)
    assert.equal((await getCall(tenant, id)).outcome, 'rejected')
  })

  test('waits for the stream of a call that it has answered', async () => {
    const { address, inbound_url, signal, isDraining, exited } = await openWorld()
    const form = { CallSid: 'CA1', CallStatus: 'ringing', Direction: 'inbound', From: caller, To: own_number }
    const answer = await fetch(inbound_url, {
      method: 'POST',
      headers: { 'x-twilio-signature': signatureOf(inbound_url, form) },
      body: new URLSearchParams(form),
    })
    signal('SIGTERM')
    await waitUntil('it is not ready any more', isDraining)
    const stream = await openBareStream(`${address.replace('http', 'ws')}/phone`, tokenIn(await answer.text()))
    await waitUntil('the agent speaks', () => stream.messages.some(({ event }) => event === 'media'))
    stream.send({ event: 'stop', stop: {} })
    assert.equal(await exited, 0)
  })

  test('lets an agent hang up, and Twilio is told so', async () => {
    const script = { start: 'bye', nodes: { bye: { say: 'We are closed today. Goodbye.', go: '@end' } } }
    const { network, inbound_url, signal, exited } = await openWorld({}, { script })
    const phone = network.call({ from: caller, to: own_number, webhook_url: inbound_url })
    await phone.untilStreaming()
    await phone.person.untilHeard(0)
    signal('SIGTERM')
    assert.deepEqual(await phone.ended, { status: 'completed', ended_by: 'service' })
    assert.equal(await exited, 0)
  })

  test('that waits no longer ends calls, and Twilio is told to hang up', async () => {
    const { network, tenant, inbound_url, signal, exited } = await openWorld({
      DRAIN_SECONDS: '0',
    })
    const phone = network.call({ from: caller, to: own_number, webhook_url: inbound_url })
    await phone.untilStreaming()
    await phone.person.untilHeard(0)
    signal('SIGTERM')
    assert.deepEqual(await phone.ended, { status: 'completed', ended_by: 'service' })
    assert.equal(await exited, 0)
    const [{ status, end_reason }] = await listCalls(tenant)
    assert.deepEqual([status, end_reason], ['completed', 'system_error'])
  })

  test('waits for nobody without DRAIN_SECONDS', async () => {
    const { signal, exited, ring, network } = await openWorld({ DRAIN_SECONDS: '0' })
    const { phone } = await ring()
    signal('SIGTERM')
    assert.equal(await exited, 0)
    phone.end({ status: 'failed', ended_by: 'peer' })
    network.takeProblems()
  })
})
