import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Carrier } from '../../server/calls/carrier.ts'
import { claim } from '../../server/calls/claim.ts'
import { calling } from '../../server/calls/work.ts'
import * as clock from '../../server/kit/clock.ts'
import { openLog } from '../../server/kit/log.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { simulator } from '../../server/lines/simulator/carrier.ts'
import * as retention from '../../server/retention.ts'
import { advance, call_start, newCaller, newTestCalls } from '../support/calls.ts'
import { create, newAgent } from '../support/conversations.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { newContact } from '../support/samples.ts'
import { inWorkspace, newPerson } from '../support/sessions.ts'

const server = await serve()
const { workspace, pool } = server

const get = async ({ call }: Tenant, id: string) => (await call('GET', `/calls/${id}`)).body.data

/** Everything that is stored of the workspace where a number or words could be left. */
async function storedText({ id }: Tenant): Promise<string> {
  const tables = ['calls', 'call_events', 'events', 'idempotency_keys', 'conversations', 'conversation_turns']
  const rows = await Promise.all(
    tables.map((table) =>
      pool.many<{ row: string }>({
        ...sql`x`,
        text: `select row_to_json(stored)::text as row from ${table} as stored where workspace_id = $1`,
        values: [id],
        strings: [],
      }),
    ),
  )
  return rows
    .flat()
    .map(({ row }) => row)
    .join('\n')
}

test('a deleted contact leaves its calls, without the link and the number, also in copies', async () => {
  const tenant = await workspace()
  const agent_id = await newAgent(tenant)
  const contact = await create(tenant, '/contacts', newContact())
  const { id: contact_id, phone_number } = contact
  const body = { agent_id, contact_id, simulate: '00', scheduled_at: clock.iso(clock.wall() + clock.day_ms) }
  const scheduled = (await tenant.call('POST', '/calls', body, { 'idempotency-key': 'one' })).body.data
  const going_on = await tenant.addCall({ contact_id, to: phone_number, lease_until: clock.wall() + 60_000 })
  const over = await tenant.addCall({ contact_id, to: phone_number, is_over: true })
  await tenant.call('PATCH', `/calls/${over.id}`, { metadata: { a: 'b' } })
  assert.equal((await tenant.call('DELETE', `/contacts/${contact_id}`)).status, 200)
  for (const [id, status] of [
    [scheduled.id, 'canceled'],
    [going_on.id, 'in_progress'],
    [over.id, 'completed'],
  ] as const) {
    const call = await get(tenant, id)
    assert.deepEqual([call.status, call.contact_id, call.to], [status, null, null])
  }
  assert.ok(!(await storedText(tenant)).includes(phone_number))
  assert.ok((await get(tenant, over.id)).updated_at > over.updated_at)
})

test('calls to a number that no contact had lose it with the contact that has it now', async () => {
  const tenant = await workspace()
  const call = await tenant.addCall({ is_over: true })
  const { id } = await create(tenant, '/contacts', { phone_number: call.to })
  await tenant.call('DELETE', `/contacts/${id}`)
  assert.equal((await get(tenant, call.id)).to, null)
})

test('contacts that are deleted while they are called never cause an error', async () => {
  const tenant = await workspace()
  const agent_id = await newAgent(tenant)
  const contacts = await Promise.all(Array.from({ length: 4 }, () => create(tenant, '/contacts', newContact())))
  const answers = await Promise.all(
    contacts.flatMap(({ id, phone_number }, index) => [
      tenant.call('POST', '/calls', {
        agent_id,
        simulate: '00',
        ...(index % 2 ? { to: phone_number } : { contact_id: id }),
      }),
      tenant.call('DELETE', `/contacts/${id}`),
    ]),
  )
  for (const { status, text } of answers) assert.ok([200, 201, 400].includes(status), text)
  const { data } = (await tenant.call('GET', '/calls?limit=100')).body
  for (const { contact_id } of data) assert.equal(contact_id, null)
})

test('a contact that is deleted while its number is dialled is not linked to the conversation', async () => {
  const tenant = await workspace()
  await newTestCalls(tenant)
  const agent_id = await newCaller(tenant)
  const contact = await create(tenant, '/contacts', newContact())
  const { id } = await create(tenant, '/calls', { agent_id, contact_id: contact.id })
  const log = openLog('silent')
  const carrier: Carrier = {
    ...simulator,
    dial: async (at, call) => {
      assert.equal((await tenant.call('DELETE', `/contacts/${contact.id}`)).status, 200)
      return simulator.dial(at, call)
    },
  }
  const work = calling({ pool, carrier, log })
  const at = { ...server.at(tenant.id), is_test: true, now: call_start }
  const [claimed] = await claim(at, { slots: 1, claimed: new Set() })
  assert.ok(claimed)
  await work.run(at, claimed, { isStopping: () => false, onProgress: () => {}, log })
  const { conversation_id, contact_id } = await get(tenant, id)
  const conversation = (await tenant.call('GET', `/conversations/${conversation_id}`)).body.data
  assert.deepEqual([contact_id, conversation.contact_id, conversation.counterpart], [null, null, null])
  // Until its end the call has the number in its state, because an opt-out counts for it.
  await advance(tenant, 3_600)
  assert.ok((await get(tenant, id)).ended_at)
  assert.ok(!(await storedText(tenant)).includes(contact.phone_number))
})

test('a deleted agent cancels its calls, and ends those that go on', async () => {
  const tenant = await workspace()
  const agent_id = await newAgent(tenant)
  const queued = await create(tenant, '/calls', { agent_id, to: '+14155550199', simulate: '00' })
  const going_on = await tenant.addCall({ agent_id, lease_until: clock.wall() + 60_000 })
  const of_another = await tenant.addCall()
  assert.equal((await tenant.call('DELETE', `/agents/${agent_id}`)).status, 200)
  const canceled = await get(tenant, queued.id)
  assert.deepEqual([canceled.status, canceled.ended_by], ['canceled', 'system'])
  const requests = await pool.many<{ id: string; request: string | null }>(
    sql`select id, request from calls where workspace_id = ${tenant.id} and status = 'in_progress' order by id`,
  )
  assert.deepEqual(
    new Map(requests.map(({ id, request }) => [id, request])),
    new Map([
      [going_on.id, 'agent_deleted'],
      [of_another.id, null],
    ]),
  )
  const conversation = (await tenant.call('GET', `/conversations/${going_on.conversation_id}`)).body.data
  assert.deepEqual([conversation.status, conversation.close_reason], ['open', null])
})

for (const through of ['calls', 'conversations'] as const) {
  test(`a call is redacted through its ${through}`, async () => {
    const tenant = await workspace()
    const call = await tenant.addCall({ is_over: true, said: ['My secret word', 'Thank you'] })
    const set = sql`update calls set results = '{"name": "secret"}' where workspace_id = ${tenant.id}`
    await pool.run(set)
    await tenant.call('PATCH', `/calls/${call.id}`, { metadata: { note: 'secret' } })
    const id = through === 'calls' ? call.id : call.conversation_id
    assert.equal((await tenant.call('POST', `/${through}/${id}/redact`)).status, 200)
    const redacted = await get(tenant, call.id)
    assert.ok(redacted.redacted_at !== null && redacted.updated_at > call.updated_at)
    assert.deepEqual([redacted.to, redacted.metadata, redacted.results], [null, {}, {}])
    assert.deepEqual([redacted.recording.status, redacted.status], ['deleted', 'completed'])
    assert.equal((await tenant.call('GET', '/calls?search=secret')).body.pagination.total, 0)
    const text = await storedText(tenant)
    for (const word of ['secret', 'Thank you', call.to ?? '?']) assert.ok(!text.includes(word), word)
    const conversation = (await tenant.call('GET', `/conversations/${call.conversation_id}`)).body.data
    assert.equal(conversation.redacted_at, redacted.redacted_at)
    assert.equal((await tenant.call('POST', `/calls/${call.id}/redact`)).status, 200, 'again')
    assert.equal((await get(tenant, call.id)).redacted_at, redacted.redacted_at)
  })
}

test('a call that goes on is not redacted, and one that was not dialled is canceled', async () => {
  const tenant = await workspace()
  const going_on = await tenant.addCall({ said: ['Hello?'] })
  for (const path of [`/calls/${going_on.id}`, `/conversations/${going_on.conversation_id}`]) {
    const { status, body } = await tenant.call('POST', `${path}/redact`)
    assert.deepEqual([status, body.error.details.status], [409, 'in_progress'])
  }
  assert.equal((await get(tenant, going_on.id)).redacted_at, null)
  const agent_id = await newAgent(tenant)
  const { id, to } = await create(tenant, '/calls', { agent_id, to: '+14155550177', simulate: '00' })
  const { body } = await tenant.call('POST', `/calls/${id}/redact`)
  assert.deepEqual([body.data.status, body.data.to], ['canceled', null])
  assert.ok(!(await storedText(tenant)).includes(to))
})

test('in the dashboard only owners redact calls', async () => {
  const tenant = await workspace()
  const { id } = await tenant.addCall({ is_over: true })
  const statusFor = async (role: 'member' | 'owner') => {
    const { go } = await newPerson(server, { [tenant.id]: role })
    return (await go('POST', `/api/v1/calls/${id}/redact`, undefined, inWorkspace(tenant))).status
  }
  assert.deepEqual([await statusFor('member'), await statusFor('owner')], [403, 200])
})

test('calls are deleted after the days that the workspace keeps them, with their conversations', async () => {
  const tenant = await workspace()
  const old = await tenant.addCall({ is_over: true })
  const going_on = await tenant.addCall()
  const service = { ...server.at(tenant.id), pool }
  const now = () => clock.wall() + 31 * clock.day_ms
  const removeOld = () =>
    retention.removeExpiredIn(
      { service, events_keep_days: 365, isStopping: () => false, log: openLog('silent'), now },
      tenant.id,
    )
  await tenant.call('PATCH', '/workspace', { settings: { conversations_keep_days: 1, calls_keep_days: 32 } })
  await removeOld()
  assert.equal((await tenant.call('GET', `/conversations/${old.conversation_id}`)).status, 200, 'kept with its call')
  await tenant.call('PATCH', '/workspace', { settings: { calls_keep_days: 30 } })
  await removeOld()
  for (const path of [`/calls/${old.id}`, `/calls/${old.id}/events`, `/conversations/${old.conversation_id}`])
    assert.equal((await tenant.call('GET', path)).status, 404, path)
  assert.equal((await tenant.call('GET', `/calls/${going_on.id}`)).status, 200)
  const { body } = await tenant.call('GET', '/calls')
  assert.deepEqual(
    [body.pagination.total, (await tenant.call('GET', '/calls?status=completed')).body.pagination.total],
    [1, 0],
  )
})
