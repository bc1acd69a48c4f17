import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import * as channels from '../../server/channels/store.ts'
import { inTransaction } from '../../server/kit/at.ts'
import { between, pick, seeded } from '../faults/random.ts'
import { call_start, getCall, newCaller, patient, placeCall, turnsOf } from '../support/calls.ts'
import { create } from '../support/conversations.ts'
import { createDatabase, openServer, type Tenant, testPool } from '../support/harness.ts'
import { newWebhook } from '../support/samples.ts'
import { tablesWith } from '../support/tables-with.ts'
import { startWorker } from '../support/workers.ts'

/* The server ends before its database does. */
const open = new AsyncDisposableStack()
after(() => open.disposeAsync())
const { url, pool } = await createDatabase('call_deletions')
const server = await openServer(testPool(url))
/** Of live calls. */
const speed = 10
open.defer(server.close)
open.defer(startWorker(server, { speed }).stop)

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const talking = ['00', '10', '11', '13', '14', '15', '18', '19', '08', '07']
const numberOf = (index: number, person: string) => `+1415555${String(index).padStart(2, '0')}${person}`
const isFinal = ({ status }: { status: string }) => ['completed', 'failed', 'canceled'].includes(status)

async function waitForEnd(tenant: Tenant, id: string) {
  for (const begun_at = performance.now(); ; await sleep(50)) {
    const call = await getCall(tenant, id)
    if (isFinal(call)) return call
    assert.ok(performance.now() - begun_at < 90_000, `${id} is ${call.status}`)
  }
}

/** The call is there, says nothing of the contact, and is whole. */
async function assertUnlinked(tenant: Tenant, { id, to }: { id: string; to: string }): Promise<void> {
  const call = await getCall(tenant, id)
  assert.ok(isFinal(call), `${id} is ${call.status}`)
  assert.deepEqual([call.contact_id, call.to], [null, null], `${id} is unlinked`)
  assert.equal((await tenant.call('GET', `/calls/${id}/events`)).status, 200)
  if (call.conversation_id !== null) {
    const conversation = (await tenant.call('GET', `/conversations/${call.conversation_id}`)).body.data
    assert.deepEqual([conversation.contact_id, conversation.counterpart, conversation.status], [null, null, 'closed'])
    assert.equal((await turnsOf(tenant, call.conversation_id)).length, Math.min(100, call.turn_count))
  }
  assert.deepEqual(await tablesWith(pool, tenant, to), [], `${to} is left`)
}

interface Placed {
  id: string
  to: string
  contact_id: string
}

async function callContact(tenant: Tenant, agent_id: string, to: string): Promise<Placed> {
  const contact = await create(tenant, '/contacts', { phone_number: to })
  const body = { agent_id, channel_id: await voiceChannel(tenant), contact_id: contact.id }
  const answer = await tenant.call('POST', '/calls', body, { 'idempotency-key': `call ${to.slice(5)}` })
  assert.equal(answer.status, 201, answer.text)
  return { id: answer.body.data.id, to, contact_id: contact.id }
}

const voiceChannel = async ({ call }: Tenant): Promise<string> =>
  (await call('GET', '/channels?kind=voice')).body.data[0].id

async function newLive(): Promise<Tenant> {
  const tenant = patient(await server.workspace())
  await tenant.addChannel({ kind: 'voice', name: 'Voice' })
  await create(tenant, '/webhooks', newWebhook({ url: 'inbox', events: ['*'] }))
  return tenant
}

suite(`deletions during calls (SEED=${seed})`, { concurrency: 2, timeout: 120_000 }, () => {
  test('contacts can be deleted at any moment of live calls', async () => {
    const random = seeded(seed)
    const tenant = await newLive()
    const agent_id = await newCaller(tenant)
    const placed = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const after_ms = pick(random, [0, between(random, 0, 50), between(random, 0, 8_000 / speed)])
        const call = await callContact(tenant, agent_id, numberOf(index, talking[index % talking.length] ?? '00'))
        await sleep(after_ms)
        const { status, text } = await tenant.call('DELETE', `/contacts/${call.contact_id}`)
        assert.equal(status, 200, text)
        const shown = await tenant.call('GET', `/calls/${call.id}`)
        assert.deepEqual([shown.status, shown.body.data.contact_id, shown.body.data.to], [200, null, null])
        return call
      }),
    )
    for (const call of placed) {
      while (!isFinal(await getCall(tenant, call.id)))
        for (const action of ['hang_up', 'cancel']) {
          const { status, text } = await tenant.call('POST', `/calls/${call.id}/${action}`)
          assert.ok(status === 200 || status === 409, text)
          await sleep(between(random, 0, 500 / speed))
        }
      await assertUnlinked(tenant, call)
    }
  })

  test('contacts can be deleted at any moment of calls in a test workspace', async () => {
    const random = seeded(seed)
    const tenant = patient(await server.workspace(call_start))
    await create(tenant, '/webhooks', newWebhook({ url: 'inbox', events: ['*'] }))
    const agent_id = await newCaller(tenant)
    const placed = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        callContact(tenant, agent_id, numberOf(index, talking[index % talking.length] ?? '00')),
      ),
    )
    const left = [...placed]
    while (left.length > 0) {
      const advancing = tenant.call('POST', '/test_clock/advance', { by_seconds: between(random, 1, 8) })
      await sleep(between(random, 0, 30))
      for (const { contact_id } of left.splice(0, between(random, 1, 3))) {
        const { status, text } = await tenant.call('DELETE', `/contacts/${contact_id}`)
        assert.equal(status, 200, text)
      }
      assert.equal((await advancing).status, 202)
      while ((await tenant.call('GET', '/test_clock')).body.data.status === 'advancing') await sleep(10)
    }
    assert.equal((await tenant.call('POST', '/test_clock/advance', { by_seconds: 3_600 })).status, 202)
    for (const call of placed) {
      await waitForEnd(tenant, call.id)
      await assertUnlinked(tenant, call)
    }
  })

  for (const kind of ['live', 'test'] as const)
    test(`a contact that was deleted during the call opts out by what it says: ${kind}`, async () => {
      const tenant = kind === 'live' ? await newLive() : patient(await server.workspace(call_start))
      const agent_id = await newCaller(tenant)
      const to = numberOf(50, '11')
      const call = await callContact(tenant, agent_id, to)
      const step = () => (kind === 'test' ? advanceBy(tenant, 1) : sleep(20))
      for (let call_now = await getCall(tenant, call.id); call_now.status !== 'in_progress'; await step()) {
        assert.ok(!isFinal(call_now), JSON.stringify(call_now))
        call_now = await getCall(tenant, call.id)
      }
      assert.equal((await tenant.call('DELETE', `/contacts/${call.contact_id}`)).status, 200)
      if (kind === 'test') await advanceBy(tenant, 600)
      const { end_reason } = await waitForEnd(tenant, call.id)
      assert.equal(end_reason, 'opted_out')
      const again = await tenant.call('POST', '/calls', { agent_id, to, channel_id: await voiceChannel(tenant) })
      assert.equal(again.body.error.details.rule, 'opted_out', again.text)
      await assertUnlinked(tenant, call)
    })

  test('agents and channels can be deleted during calls, which then end', async () => {
    const tenant = await newLive()
    const agents = [await newCaller(tenant), await newCaller(tenant)]
    const placed = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        callContact(tenant, agents[index % 2] ?? '', numberOf(index, talking[index] ?? '00')),
      ),
    )
    const channel_id = await voiceChannel(tenant)
    const scheduled = await placeCall(tenant, {
      agent_id: agents[0],
      channel_id,
      to: '+14155550100',
      scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
    })
    await sleep(50)
    const deleted = await tenant.call('DELETE', `/agents/${agents[0]}`)
    assert.equal(deleted.status, 200, deleted.text)
    await sleep(8_000 / speed)
    await inTransaction(server.at(tenant.id), (at) => channels.remove(at, { id: channel_id, isCurrent: () => true }))
    const other = await tenant.call('DELETE', `/agents/${agents[1]}`)
    assert.equal(other.status, 200, other.text)
    for (const { id } of [...placed, scheduled]) {
      const call = await waitForEnd(tenant, id)
      if (call.conversation_id === null) continue
      assert.equal((await tenant.call('GET', `/conversations/${call.conversation_id}`)).body.data.status, 'closed')
      assert.equal((await turnsOf(tenant, call.conversation_id)).length, call.turn_count)
    }
  })

  test('a call that goes on is not redacted, and one that has just ended is', async () => {
    const tenant = await newLive()
    const agent_id = await newCaller(tenant)
    const call = await callContact(tenant, agent_id, numberOf(60, '18'))
    for (;;) {
      const { status, text } = await tenant.call('POST', `/calls/${call.id}/redact`)
      assert.ok(status === 200 || status === 409, text)
      if (status === 200) break
      await sleep(10)
      const { body } = await tenant.call('GET', `/calls/${call.id}`)
      if (body.data.status === 'in_progress') await tenant.call('POST', `/calls/${call.id}/hang_up`)
    }
    // What the carrier reports late must not bring anything back.
    await sleep(4_000 / speed)
    const { conversation_id, to, results, redacted_at } = await getCall(tenant, call.id)
    assert.deepEqual([to, results], [null, {}])
    assert.notEqual(redacted_at, null)
    for (const { text, heard } of conversation_id ? await turnsOf(tenant, conversation_id) : [])
      assert.deepEqual([text, heard], ['', null])
    assert.deepEqual(
      (await tablesWith(pool, tenant, call.to)).filter((name) => /call|conversation|idempotency/.test(name)),
      [],
    )
  })
})

/** The worker of this file advances the clock. */
async function advanceBy(tenant: Tenant, by_seconds: number): Promise<void> {
  assert.equal((await tenant.call('POST', '/test_clock/advance', { by_seconds })).status, 202)
  while ((await tenant.call('GET', '/test_clock')).body.data.status === 'advancing') await sleep(10)
}
