import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { event_types as agent_events } from '../../server/agents/event-types.ts'
import { catalog, document } from '../../server/api.ts'
import { event_types as contact_events } from '../../server/contacts/event-types.ts'
import type { EventType } from '../../server/events/catalog.ts'
import * as feed from '../../server/events/feed.ts'
import { lastPosition } from '../../server/events/positions.ts'
import { payloadSchema } from '../../server/events/schema.ts'
import * as events from '../../server/events/store.ts'
import { inTransaction } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { newId } from '../../server/kit/id.ts'
import type { Db } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { createCampaign, enroll } from '../support/campaigns.ts'
import { create } from '../support/contacts.ts'
import { addDocument, readDocument, uploadDocument } from '../support/documents.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { holdTransaction } from '../support/held-transaction.ts'
import {
  newAgent,
  newApiKey,
  newContact,
  newImport,
  newSuppression,
  newWebhook,
  phoneNumber,
} from '../support/samples.ts'
import { exchangeMessages } from '../support/sms.ts'

const server = await serve()
const { workspace, pool, at } = server
const unknown = '01a1dd18-9904-726a-94bc-9e3b6ab9ad11'
const day_ms = 24 * 60 * 60 * 1000

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)

async function list({ call }: Tenant, query = '') {
  const { status, body, text } = await call('GET', `/events?limit=100${query}`)
  assert.equal(status, 200, text)
  return body.data as { id: string; type: string; resource_id: string; data: { id: string }; previous: object | null }[]
}

const idsOf = (all: { id: string }[]): string[] => all.map(({ id }) => id)

const agentCreated = (tenant: Tenant) => {
  const id = newId()
  return {
    id,
    work: (db: Db) => events.record({ ...at(tenant.id), db }, agent_events.created, [{ data: { id } }]),
  }
}

/** One campaign ends by itself, because its only contact must not be called. The other one is canceled. */
async function runCampaigns(tenant: Tenant): Promise<void> {
  const days = [-1, 0, 1].map((day) => clock.iso(clock.wall() + day * clock.day_ms).slice(0, 10))
  const suppressed = await create(tenant)
  await tenant.call('POST', '/suppressions', newSuppression({ phone_number: suppressed.phone_number }))
  for (const others of [[], [await create(tenant)]]) {
    const campaign = await createCampaign(tenant, { holidays: days })
    await enroll(tenant, campaign.id, { contact_ids: [suppressed, ...others].map(({ id }) => id) })
    await tenant.call('POST', `/campaigns/${campaign.id}/start`)
    await tenant.work()
    for (const verb of ['pause', 'resume', 'cancel']) await tenant.call('POST', `/campaigns/${campaign.id}/${verb}`)
  }
}

test('every type of the catalog is recorded, and its data and payload match its schema', async () => {
  const tenant = await workspace()
  const { call } = tenant
  const contact = await create(tenant, { first_name: 'Ada', tags: ['vip'] })
  await call('PATCH', `/contacts/${contact.id}`, { first_name: 'Grace' })
  await call('PUT', `/contacts/${contact.id}/crm_ids/hubspot`, { id: '301' })
  const gone = await create(tenant, { notes: 'Calls back.' })
  await call('PATCH', `/contacts/${gone.id}`, { notes: null })
  await call('DELETE', `/contacts/${gone.id}`)
  const agent = (await call('POST', '/agents', newAgent())).body.data
  await call('PATCH', `/agents/${agent.id}`, { instructions: 'Ask for the name.' })
  await call('POST', `/agents/${agent.id}/versions`, { deploy: true })
  const talk = (await call('POST', '/conversations', { agent_id: agent.id, message: 'Hello' })).body.data
  for (const verb of ['hand_over', 'take_back', 'close']) await call('POST', `/conversations/${talk.id}/${verb}`)
  await exchangeMessages(server, tenant)
  await call('POST', `/agents/${agent.id}/tests`, { name: 'Greets', kind: 'conversation', steps: [{ says: 'Hello' }] })
  await call('POST', `/agents/${agent.id}/test_runs`)
  await addDocument(tenant, 'Hours', 'We open at nine.')
  await readDocument(tenant, await uploadDocument(tenant, '%PDF-1.4 and nothing more', 'broken.pdf'))
  const placed = (await call('POST', '/calls', { agent_id: agent.id, to: phoneNumber(), simulate: '14' })).body.data
  // Two minutes, as fast as a test clock.
  for (let passed_s = 0; passed_s <= 120; passed_s += 20) await tenant.work(Date.now() + passed_s * 1_000)
  await call('PATCH', `/calls/${placed.id}`, { metadata: { ticket: '1' } })
  await call('DELETE', `/agents/${agent.id}`)
  await runCampaigns(tenant)
  const { id } = (await call('POST', '/contacts/imports', newImport())).body.data
  await tenant.work()
  await call('POST', `/contacts/imports/${id}/undo`)
  await tenant.work()
  const canceled = (await call('POST', '/contacts/imports', newImport())).body.data
  await call('POST', `/contacts/imports/${canceled.id}/cancel`)
  const key = (await call('POST', '/api_keys', newApiKey())).body.data
  await call('DELETE', `/api_keys/${key.id}`)
  await call('DELETE', `/api_keys/${key.id}`)
  const inbox = (await call('POST', '/webhooks', newWebhook({ url: 'inbox', inbox_answer: '410' }))).body.data
  await call('POST', `/webhooks/${inbox.id}/test`)
  await tenant.work()

  const all = await list(tenant)
  assert.deepEqual([...new Set(all.map(({ type }) => type))].sort(), [...catalog.names].sort())
  for (const event of all) {
    const type = catalog.types.find(({ name }) => name === event.type)
    assert.ok(type)
    const { data, previous } = event
    const payload = {
      id: event.id,
      type: type.name,
      timestamp: '2026-11-15T09:30:00.000Z',
      workspace_id: tenant.id,
      data,
      ...(previous && { previous }),
    }
    for (const [schema, value] of [
      [type.data, data],
      [{ ...payloadSchema(type), additionalProperties: false }, payload],
    ] as const) {
      assert.ok(ajv.validate(JSON.parse(JSON.stringify(schema)), value), `${event.type}: ${ajv.errorsText()}`)
    }
    assert.equal(data.id, event.resource_id)
    assert.ok(!JSON.stringify(event).includes(key.key), 'an event never contains a key')
  }
  const of = (type: string) => all.filter((event) => event.type === type)
  assert.deepEqual(
    of('import.finished').map(({ data }) => Object(data).status),
    ['canceled', 'finished'],
  )
  assert.equal(of('api_key.revoked').length, 1, 'revoking twice is recorded once')
  assert.deepEqual(Object.keys(document.webhooks), catalog.names)
})

test('an update has the previous values of what changed', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, { first_name: 'Ada', tags: ['vip'] })
  await tenant.call('PATCH', `/contacts/${id}`, { first_name: 'Grace', tags: ['vip'] })
  const [updated, created] = await list(tenant, `&resource_id=${id}`)
  assert.deepEqual(updated?.previous, { first_name: 'Ada' })
  assert.equal(Object(updated?.data).first_name, 'Grace')
  assert.deepEqual([created?.type, created?.previous], ['contact.created', null])
  const got = await tenant.call('GET', `/events/${updated?.id}`)
  assert.deepEqual(got.body.data, updated)
})

test('the newest events come first; with after, the oldest', async () => {
  const tenant = await workspace()
  const created: string[] = []
  for (let count = 0; count < 5; count += 1) created.push((await create(tenant)).id)
  const newest = await list(tenant, '&type=contact.created')
  assert.deepEqual(
    newest.map(({ resource_id }) => resource_id),
    created.toReversed(),
  )
  const all = (await list(tenant)).reverse()
  for (const [index, { id }] of all.entries()) {
    const { body } = await tenant.call('GET', `/events?after=${id}&limit=2`)
    assert.deepEqual(idsOf(body.data), idsOf(all.slice(index + 1, index + 3)))
    assert.equal(body.pagination.total, all.length - index - 1)
    assert.equal(body.pagination.has_more, all.length - index - 1 > 2)
  }
})

test('a cursor leads through all events in either order, also while others are recorded', async () => {
  const tenant = await workspace()
  for (let count = 0; count < 7; count += 1) await create(tenant)
  const all = await list(tenant)
  const walk = async (query: string) => {
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const { body } = await tenant.call('GET', `/events?limit=3${query}${cursor}`)
      seen.push(...idsOf(body.data))
      if (!body.pagination.has_more) return seen
      cursor = `&cursor=${body.pagination.next_cursor}`
      if (query === '') await create(tenant)
    }
  }
  assert.deepEqual(await walk(''), idsOf(all))
  const oldest = all.at(-1)?.id
  assert.deepEqual((await walk(`&after=${oldest}`)).slice(0, 7), idsOf(all).reverse().slice(1))
})

test('events are filtered by type, pattern and resource, and counted', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  await create(tenant)
  await tenant.call('PATCH', `/contacts/${id}`, { first_name: 'Ada' })
  await tenant.call('POST', '/agents', newAgent())
  const counts: [string, number][] = [
    ['type=contact.created', 2],
    ['type=contact.updated', 1],
    ['type=contact.*', 3],
    ['type=agent.*', 1],
    ['type=import.*', 0],
    ['type=*', 5],
    [`resource_id=${id}`, 2],
    [`resource_id=${id}&type=contact.created`, 1],
    [`resource_id=${unknown}`, 0],
    ['offset=9', 5],
    ['', 5],
  ]
  for (const [query, total] of counts) {
    const { body } = await tenant.call('GET', `/events?limit=100&${query}`)
    assert.equal(body.pagination.total, total, query)
    assert.equal(body.data.length, query === 'offset=9' ? 0 : total, query)
  }
})

test('an unknown type, after or resource_id is rejected with the name of its field', async () => {
  const [tenant, other] = await Promise.all([workspace(), workspace()])
  await create(other)
  const [theirs] = await list(other)
  for (const [name, value] of [
    ['type', 'contact'],
    ['type', 'contact.creat*'],
    ['type', 'contact.created,contact.updated'],
    ['after', 'none'],
    ['after', unknown],
    ['after', theirs?.id],
    ['resource_id', '1'],
  ]) {
    const { status, body } = await tenant.call('GET', `/events?${name}=${value}`)
    assert.deepEqual([status, body.error.code], [400, 'VALIDATION_ERROR'])
    assert.equal(body.error.details.fields[0].path, name)
  }
})

test('an event that is committed late comes after those already read, though its id is older', async () => {
  const tenant = await workspace()
  const late = agentCreated(tenant)
  await using held = await holdTransaction(pool, late.work)
  await create(tenant)
  const [last, ...before] = await list(tenant)
  assert.equal(last?.type, 'contact.created')
  assert.ok(![last, ...before].some(({ resource_id }) => resource_id === late.id))
  await held.end()
  const [newest] = await list(tenant)
  assert.equal(newest?.resource_id, late.id)
  assert.ok(newest.id < last.id)
  assert.deepEqual(idsOf(await list(tenant, `&after=${last.id}`)), [newest.id])
})

test('an event that is rolled back is never listed, and leaves no gap', async () => {
  const tenant = await workspace()
  const rolled_back = agentCreated(tenant)
  await using held = await holdTransaction(pool, rolled_back.work)
  await create(tenant)
  const before = await list(tenant)
  await held.end(new Error('rolled back'))
  assert.deepEqual(await list(tenant), before)
  await create(tenant)
  const { body } = await tenant.call('GET', '/events')
  assert.equal(body.pagination.total, before.length + 1)
  assert.equal(body.data.length, before.length + 1)
})

test("readers don't wait for a deletion in progress, and later events keep their order", async () => {
  const tenant = await workspace()
  const contact = newId()
  const record = (type: EventType, id: string) =>
    inTransaction(at(tenant.id), (at) => events.record(at, type, [{ data: { id } }]))
  const [first] = await list(tenant)
  await record(contact_events.created, contact)
  await record(contact_events.updated, contact)
  await using held = await holdTransaction(pool, async (db) => {
    // A deletion that has locked one of the two events so far.
    await db.run(
      sql`select from events where workspace_id = ${tenant.id} and resource_id = ${contact} and type = 'contact.created'
        for update`,
    )
  })
  assert.deepEqual(idsOf(await list(tenant)), [first?.id])
  await held.end()
  assert.deepEqual(
    (await list(tenant)).map(({ type }) => type),
    ['contact.updated', 'contact.created', 'api_key.created'],
  )
})

test('many events get their positions in batches, each event one position', async () => {
  const tenant = await workspace()
  const many = Array.from({ length: 5_000 }, () => ({ data: { id: newId() } }))
  await inTransaction(at(tenant.id), (at) => events.recordMany(at, contact_events.created, many))
  // Two, because on a busy machine a third one may not get the lock in time.
  await Promise.all([lastPosition(at(tenant.id)), lastPosition(at(tenant.id))])
  assert.equal(await lastPosition(at(tenant.id)), many.length + 1)
  const assigned = await pool.many<{ position: number; id: string }>(
    sql`select position, resource_id as id from events where workspace_id = ${tenant.id} order by position`,
  )
  assert.deepEqual(
    assigned.map(({ position }) => position),
    Array.from({ length: many.length + 1 }, (_, index) => index + 1),
  )
  assert.deepEqual(
    idsOf(assigned.slice(1)),
    many.map(({ data }) => data.id),
  )
})

test('after accepts an event that has no position yet, however many are ahead of it', async () => {
  const tenant = await workspace()
  const many = Array.from({ length: 5_000 }, () => ({ data: { id: newId() } }))
  await inTransaction(at(tenant.id), (at) => events.recordMany(at, contact_events.created, many))
  const [last] = (await tenant.call('GET', '/overview')).body.data.events
  assert.equal(last.resource_id, many.at(-1)?.data.id)
  assert.deepEqual(await list(tenant, `&after=${last.id}`), [])
  assert.equal((await tenant.call('GET', '/events')).body.pagination.total, 1 + many.length)
})

test('old events are deleted from the beginning, and the total stays exact', async () => {
  const tenant = await workspace()
  const now = Date.now()
  await create(tenant)
  await create(tenant)
  const [newest, middle, oldest] = await list(tenant)
  assert.ok(newest && middle && oldest)
  await feed.removeOld(at(tenant.id), now - 30 * day_ms)
  assert.equal((await list(tenant)).length, 3)
  // Makes the middle one old, as if it was committed late: events after one that stays are not deleted.
  const makeOld = (id: string) =>
    pool.run(sql`update events set created_at = 'epoch' where workspace_id = ${tenant.id} and id = ${id}`)
  await makeOld(middle.id)
  await feed.removeOld(at(tenant.id), now - 30 * day_ms)
  assert.equal((await list(tenant)).length, 3)
  await makeOld(oldest.id)
  await feed.removeOld(at(tenant.id), now - 30 * day_ms)
  const { body } = await tenant.call('GET', '/events')
  assert.deepEqual([idsOf(body.data), body.pagination.total], [[newest.id], 1])
  assert.equal((await tenant.call('GET', `/events?after=${middle.id}`)).status, 400)
  await feed.removeOld(at(tenant.id), now + day_ms)
  assert.equal((await tenant.call('GET', '/events')).body.pagination.total, 0)
  await create(tenant)
  assert.equal((await tenant.call('GET', '/events')).body.pagination.total, 1)
})

test('the events of a deleted contact have nothing but its id', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, newContact({ first_name: 'Ada' }))
  await tenant.call('PATCH', `/contacts/${id}`, { first_name: 'Grace' })
  await list(tenant)
  await tenant.call('DELETE', `/contacts/${id}`)
  const all = await list(tenant, `&resource_id=${id}`)
  assert.deepEqual(
    all.map(({ type, data, previous }) => [type, data, previous]),
    ['contact.deleted', 'contact.updated', 'contact.created'].map((type) => [type, { id }, null]),
  )
})
