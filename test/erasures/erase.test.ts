import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { openKeys, openSearch } from '../../server/consent/person.ts'
import { create as createConversation } from '../../server/conversations/begin.ts'
import { personOfContact, redactSome } from '../../server/erasures/belongings.ts'
import { removeOld } from '../../server/erasures/store.ts'
import { work } from '../../server/erasures/work.ts'
import { inTransaction } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { newId } from '../../server/kit/id.ts'
import { openLog } from '../../server/kit/log.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { rowWork } from '../../server/kit/work/rows.ts'
import { begin, create, get, newAgent, turnsOf } from '../support/conversations.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { listLockWaits } from '../support/lock-waits.ts'
import { eraseContact, number, other_spelling, untilErased } from '../support/persons.ts'
import { newCampaign, newContact } from '../support/samples.ts'

const server = await serve()
const { workspace, pool, at } = server

const erase = (tenant: Tenant, id: string, headers: Record<string, string> = {}) =>
  tenant.call('POST', `/contacts/${id}/erase`, undefined, headers)

test('a contact that is only deleted leaves its words, which go when a contact with its number is erased', async () => {
  const tenant = await workspace()
  const agent_id = await newAgent(tenant)
  const first = await create(tenant, '/contacts', { phone_number: number })
  const talk = await begin(tenant, agent_id, { contact_id: first.id, message: 'I have a marzipan locomotive.' })
  const call = await tenant.addCall({ agent_id, contact_id: first.id, to: number, is_over: true, said: ['Marzipan!'] })
  await tenant.call('DELETE', `/contacts/${first.id}`)
  assert.equal((await get(tenant, talk.id)).contact_id, null)
  assert.match(String((await turnsOf(tenant, talk.id))[0]), /marzipan/)
  const again = await create(tenant, '/contacts', { phone_number: other_spelling })
  const { counts } = await eraseContact(tenant, again.id)
  assert.deepEqual([counts.conversations, counts.calls, counts.files], [2, 1, 1])
  assert.ok((await get(tenant, talk.id)).redacted_at)
  assert.ok((await tenant.call('GET', `/calls/${call.id}`)).body.data.redacted_at)
  for (const id of [talk.id, call.conversation_id ?? ''])
    assert.ok((await turnsOf(tenant, id)).every(([, text]) => text === ''))
})

test('more calls than are redacted at once are all counted, with their files', async () => {
  const tenant = await workspace()
  const agent_id = await newAgent(tenant)
  const { id, phone_number } = await create(tenant, '/contacts', newContact())
  for (let index = 0; index < 8; index++)
    await tenant.addCall({ agent_id, contact_id: id, to: phone_number, is_over: true, said: ['Hello.'] })
  const { counts } = await eraseContact(tenant, id)
  assert.deepEqual([counts.conversations, counts.calls, counts.files], [8, 8, 8])
})

test('while an erasure runs, another request gets it, and afterwards there is no such contact', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, '/contacts', newContact())
  const begun = await erase(tenant, id)
  const { created_at, ...shown } = begun.body.data
  assert.deepEqual(
    [begun.status, shown],
    [
      202,
      {
        id: shown.id,
        contact_id: id,
        status: 'queued',
        counts: { conversations: 0, calls: 0, messages: 0, events: 0, files: 0 },
        ended_at: null,
      },
    ],
  )
  assert.ok(clock.parse(created_at) > 0)
  const again = await erase(tenant, id)
  assert.deepEqual([again.status, again.body.data], [200, begun.body.data])
  const done = await untilErased(tenant, shown.id)
  assert.deepEqual([done.status, done.counts.events], ['done', 1])
  assert.ok(done.ended_at >= created_at)
  assert.equal((await erase(tenant, id)).status, 404)
  assert.equal((await erase(tenant, 'nobody')).status, 404)
  assert.equal((await tenant.call('GET', '/erasures/nobody')).status, 404)
  const stored = await pool.one<{ phone_numbers: string[] | null; keys: Buffer[] }>(
    sql`select phone_numbers, phone_hmacs as keys from erasures where workspace_id = ${tenant.id}`,
  )
  assert.deepEqual([stored.phone_numbers, stored.keys.length], [null, 1])
})

test('the same request again names the erasure, also when it is done', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, '/contacts', newContact())
  const headers = { 'idempotency-key': newId() }
  const begun = await erase(tenant, id, headers)
  await untilErased(tenant, begun.body.data.id)
  const replayed = await erase(tenant, id, headers)
  assert.deepEqual([replayed.status, replayed.body.data], [202, { id: begun.body.data.id }])
})

test('concurrent requests begin one erasure', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, '/contacts', newContact())
  const answers = await Promise.all(Array.from({ length: 5 }, () => erase(tenant, id)))
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 200, 200, 200, 202])
  assert.equal(new Set(answers.map(({ body }) => body.data.id)).size, 1)
})

test('a key erases only if it lists the scope', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, '/contacts', newContact())
  for (const [scopes, status] of [
    [null, 403],
    [['contacts:read', 'contacts:write'], 403],
    [['contacts:erase'], 202],
  ] as const) {
    const key = await tenant.newKey({ scopes: scopes && [...scopes] })
    assert.equal((await erase(tenant, id, { authorization: `Bearer ${key}` })).status, status, String(scopes))
  }
})

test('an erasure is in the audit log', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, '/contacts', newContact())
  await eraseContact(tenant, id)
  const { data } = (await tenant.call('GET', '/audit_log?action=contacts.erase')).body
  assert.deepEqual(
    data.map(({ subject }: { subject: object }) => subject),
    [{ type: 'contact', id, name: null }],
  )
})

test('what is in progress ends first: conversations are closed, calls hung up or canceled, enrollments canceled', async () => {
  const tenant = await workspace()
  const agent_id = await newAgent(tenant)
  const { id: contact_id, phone_number } = await create(tenant, '/contacts', newContact())
  const talk = await begin(tenant, agent_id, { contact_id, message: 'Hello' })
  const going_on = await tenant.addCall({ agent_id, contact_id, to: phone_number })
  const scheduled_at = clock.iso(clock.wall() + clock.day_ms)
  const scheduled = await create(tenant, '/calls', { agent_id, contact_id, simulate: '00', scheduled_at })
  const { id: channel_id } = await tenant.addChannel({ kind: 'voice' })
  const campaign = await create(tenant, '/campaigns', newCampaign({ agent_id, channel_ids: [channel_id] }))
  await tenant.call('POST', `/campaigns/${campaign.id}/enrollments`, { contact_ids: [contact_id] })
  const { counts } = await eraseContact(tenant, contact_id)
  const { status, close_reason } = await get(tenant, talk.id)
  assert.deepEqual([status, close_reason], ['closed', 'api'])
  const ends = await Promise.all(
    [going_on, scheduled].map(async ({ id }) => (await tenant.call('GET', `/calls/${id}`)).body.data),
  )
  assert.deepEqual(
    ends.map((call) => [call.ended_at !== null, call.to, call.redacted_at !== null]),
    [
      [true, null, true],
      [true, null, true],
    ],
  )
  assert.deepEqual([counts.conversations, counts.calls], [2, 2])
  const { by_status } = (await tenant.call('GET', `/campaigns/${campaign.id}`)).body.data.counts
  assert.deepEqual(Object.values(by_status).filter(Boolean), [])
})

test('who writes at the last moment is erased, too', async () => {
  const tenant = await workspace()
  const agent_id = await newAgent(tenant)
  const { id } = await create(tenant, '/contacts', newContact())
  const erasure_id = (await erase(tenant, id)).body.data.id
  const [written, released] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()]
  const writing = inTransaction(at(tenant.id), async (at) => {
    const talk = await createConversation(at, { agent_id, contact_id: id, message: 'I have a marzipan locomotive.' })
    written.resolve(talk.id)
    await released.promise
  })
  const talk_id = await written.promise
  const working = tenant.work()
  while ((await listLockWaits(pool)).length === 0) await setTimeout(20)
  released.resolve()
  await Promise.all([writing, working])
  await untilErased(tenant, erasure_id)
  assert.ok((await get(tenant, talk_id)).redacted_at)
  assert.ok((await turnsOf(tenant, talk_id)).every(([, text]) => text === ''))
})

test('a person is found by whole numbers and addresses, and not by parts of those of others', () => {
  const { hasNumber, hasEmail } = openSearch({ phone_numbers: ['+3545551234', '+41791234567'], email: 'ann@x.example' })
  for (const text of ['+354 555 1234', '555-1234', '0791234567', '079 123 45 67 on 2026-11-19', '0041791234567'])
    assert.ok(hasNumber(text), text)
  for (const text of ['+1 415 555 1234', '1 415 555 1234', '+417912345678', '99079123456700', 'order 35455512341'])
    assert.ok(!hasNumber(text), text)
  for (const text of ['ann@x.example', 'Ann <ANN@x.example>', 'Write to ann@x.example.'])
    assert.ok(hasEmail(text), text)
  for (const text of ['joann@x.example', 'j.ann@x.example', 'ann@x.example.com', 'ann@x.examples', 'annax.example'])
    assert.ok(!hasEmail(text), text)
})

test('a suppression holds in all spellings after the person was erased, and has no number', async () => {
  const tenant = await workspace()
  const suppression = await create(tenant, '/suppressions', { phone_number: number, kind: 'all', reason: 'Ada asked' })
  assert.equal(suppression.is_erased, false)
  const { id } = await create(tenant, '/contacts', { phone_number: number })
  await eraseContact(tenant, id)
  const { data } = (await tenant.call('GET', '/suppressions')).body
  const { created_at, ...rest } = data[0]
  assert.deepEqual(rest, { id: suppression.id, phone_number: null, is_erased: true, kind: 'all', reason: null })
  const agent_id = await newAgent(tenant)
  await tenant.addChannel({ kind: 'voice', agent_id: null })
  for (const spelling of [number, other_spelling]) {
    const found = await tenant.call('GET', `/suppressions?phone_number=${encodeURIComponent(spelling)}`)
    assert.equal(found.body.data[0]?.id, suppression.id)
    const refused = await tenant.call('POST', '/calls', { agent_id, to: spelling, simulate: '00' })
    assert.deepEqual([refused.status, refused.body.error?.details.rule], [409, 'suppressed'], refused.text)
  }
  assert.equal((await tenant.call('DELETE', `/suppressions/${suppression.id}`)).status, 200)
})

test('an opt-out outlives the person, and the ledger is valid', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, '/contacts', { phone_number: number })
  await create(tenant, `/contacts/${id}/consents`, { kind: 'all', status: 'revoked' })
  await eraseContact(tenant, id)
  const again = await create(tenant, '/contacts', { phone_number: other_spelling })
  const { data } = (await tenant.call('GET', `/contacts/${again.id}/consents`)).body
  assert.deepEqual(
    data.map(({ status }: { status: string }) => status),
    ['revoked'],
  )
  assert.deepEqual((await tenant.call('POST', '/consents/verify')).body.data, {
    is_valid: true,
    rows: 1,
    first_broken_id: null,
  })
})

test("a number that another contact has now keeps that contact's data", async () => {
  const tenant = await workspace()
  const agent_id = await newAgent(tenant)
  const [old_number, new_number] = [newContact().phone_number, newContact().phone_number]
  const moved = await create(tenant, '/contacts', { phone_number: old_number })
  await tenant.call('PATCH', `/contacts/${moved.id}`, { phone_number: new_number })
  const other = await create(tenant, '/contacts', { phone_number: old_number })
  const kept = await begin(tenant, agent_id, { contact_id: other.id, message: 'Hello' })
  const call = await tenant.addCall({ agent_id, contact_id: other.id, to: old_number, is_over: true })
  await eraseContact(tenant, moved.id)
  assert.equal((await get(tenant, kept.id)).redacted_at, null)
  assert.equal((await tenant.call('GET', `/calls/${call.id}`)).body.data.to, old_number)
  assert.equal((await tenant.call('GET', `/contacts/${other.id}`)).status, 200)
})

test('the same telephone in another spelling is the same person', async () => {
  const tenant = await workspace()
  const one = await create(tenant, '/contacts', { phone_number: number })
  const other = await create(tenant, '/contacts', { phone_number: other_spelling })
  await eraseContact(tenant, one.id)
  assert.equal((await tenant.call('GET', `/contacts/${other.id}`)).status, 404)
})

test("someone else's data in another workspace stays", async () => {
  const [tenant, other] = [await workspace(), await workspace()]
  const [{ id }, kept] = [
    await create(tenant, '/contacts', { phone_number: number }),
    await create(other, '/contacts', { phone_number: number }),
  ]
  const begun = (await erase(tenant, id)).body.data
  assert.equal((await other.call('GET', `/erasures/${begun.id}`)).status, 404)
  await untilErased(tenant, begun.id)
  assert.equal((await other.call('GET', `/contacts/${kept.id}`)).status, 200)
})

test('an erasure whose process is killed between two batches goes on, and counts everything once', async () => {
  const tenant = await workspace()
  const agent_id = await newAgent(tenant)
  const { id: contact_id } = await create(tenant, '/contacts', newContact())
  for (let count = 0; count < 25; count += 1) await begin(tenant, agent_id, { contact_id, message: 'My name is Ada.' })
  const { id } = (await erase(tenant, contact_id)).body.data
  const log = openLog('silent')
  const tenant_at = at(tenant.id)
  const { claim } = rowWork(work)
  let batches = 0
  const request = { slots: 1, slow_slots: 0, claimed: new Set<never>(), by_key: new Map(), is_polled: true }
  // Each process runs one batch and is killed.
  for (;;) {
    const [lease] = await claim(tenant_at, request)
    if (!lease) break
    const run = await work.begin(tenant_at, lease, { isStopping: () => false, onProgress: () => {}, log })
    await run()
    batches += 1
    await pool.run(sql`update erasures set lease_until = null where workspace_id = ${tenant.id} and status <> 'done'`)
  }
  const { status, counts } = (await tenant.call('GET', `/erasures/${id}`)).body.data
  assert.deepEqual([status, counts.conversations], ['done', 25])
  assert.ok(batches > 5, `${batches} batches`)
})

test('a batch that fails is rolled back as a whole', async () => {
  const tenant = await workspace()
  const agent_id = await newAgent(tenant)
  const contact = await create(tenant, '/contacts', newContact())
  const talk = await begin(tenant, agent_id, { contact_id: contact.id, message: 'My name is Ada.' })
  await tenant.call('POST', `/conversations/${talk.id}/close`)
  const failing = inTransaction(at(tenant.id), async (at) => {
    assert.equal((await redactSome(at, await personOfContact(at, contact)))?.conversations, 1)
    throw new Error('killed')
  })
  await assert.rejects(failing, /killed/)
  const { redacted_at, contact_id } = await get(tenant, talk.id)
  assert.deepEqual([redacted_at, contact_id], [null, contact.id])
})

test('erasures are kept for 365 days', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, '/contacts', newContact())
  const erasure = await eraseContact(tenant, id)
  const found = async () => (await tenant.call('GET', `/erasures/${erasure.id}`)).status
  await removeOld(at(tenant.id, clock.wall() + 364 * clock.day_ms))
  assert.equal(await found(), 200)
  await removeOld(at(tenant.id, clock.wall() + 366 * clock.day_ms))
  assert.equal(await found(), 404)
})

test('what stands for a number is the same in all spellings, and differs between workspaces', async () => {
  const [one, other] = [await workspace(), await workspace()]
  const keysOf = async (tenant: Tenant) => {
    const keyOf = await inTransaction(at(tenant.id), openKeys)
    return [number, other_spelling].map((spelling) => keyOf(spelling).toString('hex'))
  }
  const [first, second] = await keysOf(one)
  assert.equal(first, second)
  assert.notEqual(first, (await keysOf(other))[0])
})
