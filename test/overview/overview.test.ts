import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as contacts from '../../server/contacts/store.ts'
import { inTransaction } from '../../server/kit/at.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { newContact } from '../support/samples.ts'
import { inWorkspace, newPerson } from '../support/sessions.ts'

const server = await serve()
const { workspace } = server
const day_ms = 24 * 60 * 60 * 1000

const overviewOf = async ({ call }: Tenant) => (await call('GET', '/overview')).body.data
const dayOf = (time_ms: number) => new Date(time_ms).toISOString().slice(0, 10)

async function createInThePast(tenant: Tenant, ago_ms: number, source: 'import' | 'inbound' = 'import') {
  const created = await inTransaction(server.at(tenant.id, Date.now() - ago_ms), (at) =>
    contacts.create(at, [{ ...newContact(), source }]),
  )
  const [contact] = created
  if (!contact || contact instanceof Error) throw contact
  return contact
}

test('an empty workspace has zeros for thirty days', async () => {
  const { contacts, added_by_day, events } = await overviewOf(await workspace())
  const by_source = { api: 0, import: 0, manual: 0, inbound: 0, webhook: 0 }
  assert.deepEqual(contacts, { total: 0, new_this_week: 0, by_source })
  assert.equal(added_by_day.length, 30)
  assert.ok(added_by_day.every(({ total }: { total: number }) => total === 0))
  assert.deepEqual(
    events.map(({ type }: { type: string }) => type),
    ['api_key.created'],
    'the key of this request',
  )
})

test('contacts are counted by source, week and day, without deleted ones', async () => {
  const tenant = await workspace()
  const owner = await newPerson(server, { [tenant.id]: 'owner' })
  const by_key = await tenant.call('POST', '/contacts', newContact())
  await owner.go('POST', '/api/v1/contacts', newContact(), inWorkspace(tenant))
  await createInThePast(tenant, 6 * day_ms)
  await createInThePast(tenant, 7 * day_ms)
  await createInThePast(tenant, 29 * day_ms, 'inbound')
  const oldest = await createInThePast(tenant, 30 * day_ms)
  const before = await overviewOf(tenant)
  assert.deepEqual(before.contacts, {
    total: 6,
    new_this_week: 3,
    by_source: { api: 1, manual: 1, import: 3, inbound: 1, webhook: 0 },
  })
  const added = before.added_by_day.filter(({ total }: { total: number }) => total > 0)
  assert.deepEqual(added, [
    { day: dayOf(Date.now() - 29 * day_ms), total: 1 },
    { day: dayOf(Date.now() - 7 * day_ms), total: 1 },
    { day: dayOf(Date.now() - 6 * day_ms), total: 1 },
    { day: dayOf(Date.now()), total: 2 },
  ])
  assert.equal(before.added_by_day.at(-1).day, dayOf(Date.now()))

  for (const id of [by_key.body.data.id, oldest.id]) await tenant.call('DELETE', `/contacts/${id}`)
  const after = await overviewOf(tenant)
  assert.deepEqual([after.contacts.total, after.contacts.by_source.api, after.contacts.by_source.import], [4, 0, 2])
  assert.equal(after.added_by_day.at(-1).total, 1)
})

test('counts are exact after concurrent writes, including rejected ones', async () => {
  const tenant = await workspace()
  const taken = newContact()
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) => tenant.call('POST', '/contacts', index % 4 === 0 ? taken : newContact())),
  )
  const ids = answers.filter(({ status }) => status === 201).map(({ body }) => body.data.id)
  // Of fifty at once a busy machine refuses some.
  for (let start = 0; start < 50; start += 10) {
    const deleted = await Promise.all(
      ids.slice(start, start + 10).map((id) => tenant.call('DELETE', `/contacts/${id}`)),
    )
    assert.ok(deleted.every(({ status }) => status === 200))
  }
  const { contacts, added_by_day } = await overviewOf(tenant)
  assert.deepEqual(
    [ids.length, contacts.total, contacts.by_source.api, added_by_day.at(-1).total],
    [151, 101, 101, 101],
  )
})

test('the latest ten events are returned, newest first', async () => {
  const tenant = await workspace()
  const ids: string[] = []
  for (let count = 0; count < 12; count += 1) {
    ids.push((await tenant.call('POST', '/contacts', newContact())).body.data.id)
  }
  const { events } = await overviewOf(tenant)
  assert.deepEqual(
    events.map((event: { resource_id: string }) => event.resource_id),
    ids.reverse().slice(0, 10),
  )
  assert.deepEqual(Object.keys(events[0]), ['id', 'type', 'resource_id', 'created_at'])
})
