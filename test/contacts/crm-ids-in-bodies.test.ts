import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as contacts from '../../server/contacts/store.ts'
import { upsert } from '../../server/contacts/upsert.ts'
import { inTransaction } from '../../server/kit/at.ts'
import { type Sql, sql } from '../../server/kit/postgres/sql.ts'
import { create, eventsOf, get, profile } from '../support/contacts.ts'
import { type Answer, serve, type Tenant } from '../support/harness.ts'
import { recordStatements } from '../support/old-rows.ts'
import { newContact, phoneNumber } from '../support/samples.ts'

const { workspace, pool, at } = await serve()

const upsertAt = ({ call }: Tenant, phone_number: string, body: object) =>
  call('PUT', `/contacts/by_phone_number/${encodeURIComponent(phone_number)}`, body)
const batch = ({ call }: Tenant, operations: object[], more: object = {}, headers = {}) =>
  call('POST', '/contacts/batch', { operations, ...more }, headers)
const idsBy = async ({ call }: Tenant, system: string, crm_id: string): Promise<string[]> => {
  const { body } = await call('GET', `/contacts?${new URLSearchParams({ crm_system: system, crm_id })}`)
  return body.data.map(({ id }: { id: string }) => id)
}
const statusesOf = ({ body }: Answer): number[] => body.data.results.map(({ status }: { status: number }) => status)
const totalOf = async ({ call }: Tenant) => (await call('GET', '/contacts')).body.pagination.total

/** Asserts that contacts are found by the CRM ids that are shown, and by no others. */
async function assertConsistent({ id }: Tenant) {
  const shown = await pool.many(
    sql`select id as contact_id, system, crm_id from contacts, jsonb_each_text(crm_ids) as one (system, crm_id)
      where workspace_id = ${id} order by 1, 2`,
  )
  const found = await pool.many(
    sql`select contact_id, system, crm_id from contact_crm_ids where workspace_id = ${id} order by 1, 2`,
  )
  assert.deepEqual(found, shown)
}

const refusedAs = ({ status, body }: Answer) => [status, body.error?.code, body.error?.details.field]

test('a create stores CRM ids, which get returns and lists find', async () => {
  const tenant = await workspace()
  const crm_ids = { hubspot: ' 301 ', 'sales_force-2': 'ü/ö 1' }
  const answer = await tenant.call('POST', '/contacts', newContact({ ...profile, crm_ids: { ...crm_ids, zoho: null } }))
  assert.equal(answer.status, 201)
  assert.equal('crm_ids' in answer.body.data, false, 'only get returns them')
  const { id } = answer.body.data
  const contact = await get(tenant, id)
  assert.deepEqual(contact.crm_ids, { hubspot: '301', 'sales_force-2': 'ü/ö 1' })
  assert.equal(contact.updated_at, contact.created_at)
  assert.deepEqual(await idsBy(tenant, 'hubspot', '301'), [id])
  const events = await eventsOf(pool, tenant)
  assert.deepEqual(
    events.map(({ type, data }) => [type, data]),
    [['contact.created', contact]],
  )
  for (const none of [{}, null]) {
    const other = await create(tenant, { crm_ids: none })
    assert.deepEqual((await get(tenant, other.id)).crm_ids, {})
  }
  await assertConsistent(tenant)
})

test('an update merges CRM ids, null or an empty text removes one or all, and {} changes nothing', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, { crm_ids: { hubspot: '1', zoho: '2' } })
  let before = await get(tenant, id)
  for (const [change, crm_ids, previous] of [
    [{ hubspot: '3' }, { hubspot: '3', zoho: '2' }, { crm_ids: { hubspot: '1', zoho: '2' } }],
    [{ hubspot: '3' }, { hubspot: '3', zoho: '2' }, {}],
    [{ zoho: null, constructor: '4' }, { hubspot: '3', constructor: '4' }, { crm_ids: { hubspot: '3', zoho: '2' } }],
    [{ zoho: ' ' }, { hubspot: '3', constructor: '4' }, {}],
    [null, {}, { crm_ids: { hubspot: '3', constructor: '4' } }],
    [{ hubspot: '1' }, { hubspot: '1' }, { crm_ids: {} }],
  ] as const) {
    const { status, body, headers } = await tenant.call('PATCH', `/contacts/${id}`, { crm_ids: change })
    assert.equal(status, 200)
    assert.equal('crm_ids' in body.data, false, 'only get returns them')
    const after = await get(tenant, id)
    assert.deepEqual(after, { ...before, crm_ids, updated_at: body.data.updated_at })
    assert.ok(after.updated_at > before.updated_at, 'it counts as an update')
    assert.equal(headers.get('etag'), (await tenant.call('GET', `/contacts/${id}`)).headers.get('etag'))
    const event = (await eventsOf(pool, tenant)).at(-1)
    assert.deepEqual([event?.type, event?.data, event?.previous], ['contact.updated', after, previous])
    await assertConsistent(tenant)
    before = after
  }
  const same = await tenant.call('PATCH', `/contacts/${id}`, { crm_ids: {} })
  assert.deepEqual([same.status, same.body.data.updated_at], [200, before.updated_at])
})

test('an upsert finds by the number, and stores CRM ids of new and of known contacts', async () => {
  const tenant = await workspace()
  const phone_number = phoneNumber()
  const created = await upsertAt(tenant, phone_number, { crm_ids: { hubspot: '1' } })
  const { id, updated_at } = created.body.data
  assert.deepEqual([created.status, (await get(tenant, id)).crm_ids], [201, { hubspot: '1' }])
  const same = await upsertAt(tenant, phone_number, { crm_ids: { hubspot: '1', zoho: null } })
  assert.deepEqual([same.status, same.body.data.updated_at], [200, updated_at], 'it has all values')
  const changed = await upsertAt(tenant, phone_number, { crm_ids: { zoho: '2' } })
  assert.ok(changed.body.data.updated_at > updated_at)
  assert.deepEqual((await get(tenant, id)).crm_ids, { hubspot: '1', zoho: '2' })
  const other = await upsertAt(tenant, phoneNumber(), { crm_ids: { hubspot: '1' } })
  assert.deepEqual(refusedAs(other), [409, 'CONFLICT', 'crm_ids.hubspot'])
  assert.deepEqual([other.body.error.details.existing_id, await totalOf(tenant)], [id, 1])
  await assertConsistent(tenant)
})

test('a CRM id that another contact has is 409 in every body, and changes nothing', async () => {
  const tenant = await workspace()
  const holder = await create(tenant, { crm_ids: { hubspot: '301' } })
  const known = await create(tenant, { crm_ids: { hubspot: '302' } })
  const before = await get(tenant, known.id)
  const fields = { first_name: 'Eve', crm_ids: { zoho: '1', hubspot: '301' } }
  const headers = { 'idempotency-key': 'taken' }
  for (const answer of [
    await tenant.call('POST', '/contacts', newContact(fields)),
    await tenant.call('PATCH', `/contacts/${known.id}`, fields),
    await upsertAt(tenant, known.phone_number, fields),
    await upsertAt(tenant, phoneNumber(), fields),
    await batch(tenant, [{ op: 'create', data: newContact(fields) }], { atomic: true }),
    await tenant.call('POST', '/contacts', { phone_number: '+14155550177', ...fields }, headers),
    await tenant.call('POST', '/contacts', { phone_number: '+14155550177', ...fields }, headers),
  ]) {
    assert.deepEqual(refusedAs(answer), [409, 'CONFLICT', 'crm_ids.hubspot'], answer.text)
    assert.partialDeepStrictEqual(answer.body.error.details, { reason: 'already_exists', existing_id: holder.id })
  }
  assert.deepEqual([await totalOf(tenant), await get(tenant, known.id)], [2, before])
  const both = await tenant.call('POST', '/contacts', { phone_number: known.phone_number, ...fields })
  assert.deepEqual([refusedAs(both)[2], both.body.error.details.existing_id], ['phone_number', known.id])
  const own = await tenant.call('PATCH', `/contacts/${holder.id}`, { crm_ids: { hubspot: '301' } })
  assert.equal(own.status, 200, 'its own')
  const stranger = await workspace()
  assert.equal((await stranger.call('POST', '/contacts', newContact(fields))).status, 201, 'another workspace')
  await assertConsistent(tenant)
})

test('a batch stores CRM ids, and a taken one is the error of its item', async () => {
  const tenant = await workspace()
  const holder = await create(tenant, { crm_ids: { hubspot: '301' } })
  const upserted = phoneNumber()
  const operations = [
    { op: 'create', data: newContact({ crm_ids: { hubspot: '1' } }) },
    { op: 'create', data: newContact({ crm_ids: { hubspot: '1' } }) },
    { op: 'upsert', phone_number: upserted, data: { crm_ids: { hubspot: '301' } } },
    { op: 'update', id: holder.id, data: { crm_ids: { hubspot: null, zoho: '301' } } },
    { op: 'upsert', phone_number: upserted, data: { crm_ids: { hubspot: '301' } } },
    { op: 'create', data: newContact({ crm_ids: { hubspot: 5 } }) },
  ]
  const headers = { 'idempotency-key': 'batch' }
  const answer = await batch(tenant, operations, {}, headers)
  assert.deepEqual(statusesOf(answer), [201, 409, 409, 200, 201, 400], answer.text)
  const { results } = answer.body.data
  assert.deepEqual(
    [results[1].error.details.existing_id, results[2].error.details.existing_id],
    [results[0].data.id, holder.id],
  )
  assert.deepEqual(await idsBy(tenant, 'hubspot', '301'), [results[4].data.id])
  assert.deepEqual(await idsBy(tenant, 'zoho', '301'), [holder.id])
  const again = await batch(tenant, operations, {}, headers)
  assert.deepEqual([statusesOf(again), await totalOf(tenant)], [statusesOf(answer), 3])
  await assertConsistent(tenant)
})

test('an atomic batch moves a CRM id from one contact to another', async () => {
  const tenant = await workspace()
  const [one, other] = [await create(tenant, { crm_ids: { hubspot: '1' } }), await create(tenant)]
  const giving = { op: 'update', id: one.id, data: { crm_ids: { hubspot: '2' } } }
  const taking = { op: 'update', id: other.id, data: { crm_ids: { hubspot: '1' } } }
  const refused = await batch(tenant, [taking, giving], { atomic: true })
  assert.deepEqual([refused.status, refused.body.error.details.index], [409, 0])
  assert.deepEqual((await get(tenant, one.id)).crm_ids, { hubspot: '1' })
  assert.deepEqual(statusesOf(await batch(tenant, [giving, taking], { atomic: true })), [200, 200])
  assert.deepEqual([await idsBy(tenant, 'hubspot', '1'), await idsBy(tenant, 'hubspot', '2')], [[other.id], [one.id]])
  await assertConsistent(tenant)
})

test('changes of one transaction see the CRM ids that those before them have set or removed', async () => {
  const tenant = await workspace()
  const [one, other] = [await create(tenant, { crm_ids: { hubspot: '1' } }), await create(tenant)]
  const change = ({ id }: { id: string }, hubspot: string | null) => ({
    id,
    change: { crm_ids: { hubspot } },
    isCurrent: () => true,
  })
  const changes = [change(other, '1'), change(one, '2'), change(other, '1'), change(one, '1'), change(one, null)]
  const results = await inTransaction(at(tenant.id), (at) => contacts.update(at, changes))
  assert.deepEqual(
    results.map((result) => ('crm_ids' in result ? result.crm_ids : result.status)),
    [409, { hubspot: '2' }, { hubspot: '1' }, 409, {}],
  )
  await assertConsistent(tenant)
  assert.deepEqual(await idsBy(tenant, 'hubspot', '1'), [other.id])
})

test('of new contacts of one transaction with one CRM id, the first that can be created gets it', async () => {
  const tenant = await workspace()
  const { id, phone_number } = await create(tenant)
  const [first, second, third] = [newContact(), newContact(), newContact()]
  const inputs = [
    { phone_number, crm_ids: { hubspot: '1' } },
    { ...first, crm_ids: { hubspot: '1', zoho: '1' } },
    { ...second, crm_ids: { zoho: '1' } },
    { ...third, crm_ids: { zoho: '2' } },
  ]
  const results = await inTransaction(at(tenant.id), (at) =>
    contacts.create(
      at,
      inputs.map((input) => ({ ...input, source: 'api' as const })),
    ),
  )
  assert.deepEqual(
    results.map((result) => ('crm_ids' in result ? result.phone_number : result.details.field)),
    ['phone_number', first.phone_number, 'crm_ids.zoho', third.phone_number],
  )
  const existing = results.map((result) => ('details' in result ? result.details.existing_id : undefined))
  assert.deepEqual([existing[0], existing[2]], [id, ...(await idsBy(tenant, 'zoho', '1'))])
  assert.equal(await totalOf(tenant), 3)
  await assertConsistent(tenant)
})

test('many contacts with CRM ids take as many statements as one', async () => {
  const tenant = await workspace()
  const crmIds = () => ({ hubspot: phoneNumber(), zoho: phoneNumber() })
  const counts: Record<string, number[]> = { created: [], updated: [] }
  for (const length of [1, 64])
    await inTransaction(at(tenant.id), async (transaction) => {
      const statements: Sql[] = []
      const recorded = { ...transaction, db: recordStatements(transaction.db, statements) }
      const inputs = Array.from({ length }, () => ({ ...newContact(), source: 'api' as const, crm_ids: crmIds() }))
      const created = await contacts.create(recorded, inputs)
      counts.created?.push(statements.splice(0).length)
      const ids = created.flatMap((one) => ('id' in one ? one.id : []))
      const changes = ids.map((id) => ({ id, change: { crm_ids: crmIds() }, isCurrent: () => true }))
      await contacts.update(recorded, changes)
      counts.updated?.push(statements.length)
    })
  for (const [verb, [one, many]] of Object.entries(counts)) assert.equal(many, one, verb)
  await assertConsistent(tenant)
})

test('many upserts of one new number with a taken CRM id are all refused in one transaction', async () => {
  const tenant = await workspace()
  await create(tenant, { crm_ids: { hubspot: '1' } })
  const phone_number = phoneNumber()
  const one = () => ({
    phone_number,
    source: 'api' as const,
    change: { crm_ids: { hubspot: '1' } },
    isCurrent: () => true,
  })
  const results = await inTransaction(at(tenant.id), (at) => upsert(at, Array.from({ length: 20 }, one)))
  assert.deepEqual(
    results.map((result) => 'code' in result && result.code),
    Array(20).fill('CONFLICT'),
  )
})

test('of many concurrent requests for one CRM id, one succeeds', async () => {
  const tenant = await workspace()
  const known = await Promise.all(Array.from({ length: 5 }, () => create(tenant)))
  const body = { crm_ids: { hubspot: '301', zoho: '7' } }
  const sent = [
    ...known.map(({ id }) => tenant.call('PATCH', `/contacts/${id}`, body)),
    ...known.map(({ id }) => tenant.call('PUT', `/contacts/${id}/crm_ids/hubspot`, { id: '301' })),
    ...known.map(() => tenant.call('POST', '/contacts', newContact({ crm_ids: { zoho: '7', hubspot: '301' } }))),
    ...known.map(() => upsertAt(tenant, phoneNumber(), body)),
  ]
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  assert.equal((await idsBy(tenant, 'hubspot', '301')).length, 1)
  assert.ok(
    statuses.every((status) => status < 300 || status === 409),
    statuses.join(),
  )
  await assertConsistent(tenant)
})

test('names and ids in a body have the limits of a single CRM id', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  const send = (crm_ids: string) =>
    tenant.call('PATCH', `/contacts/${id}`, `{"crm_ids":${crm_ids}}`, { 'content-type': 'application/json' })
  for (const name of ['a', '0', '_', '-', 'x'.repeat(50), '__proto__', 'constructor'])
    assert.equal((await send(JSON.stringify(Object.fromEntries([[name, name]])))).status, 200, name)
  for (const value of ['x', 'x'.repeat(255), '🙂'.repeat(255)]) {
    assert.equal((await send(JSON.stringify({ hubspot: ` ${value} ` }))).status, 200)
    assert.equal((await get(tenant, id)).crm_ids.hubspot, value)
  }
  const before = await get(tenant, id)
  assert.ok(Object.hasOwn(before.crm_ids, '__proto__'))
  const bad_names = ['', 'x'.repeat(51), 'HubSpot', 'hub.spot', 'hub spot', 'hubspot ', 'h\u00fc', 'hub\n', '\0']
  const bad_ids = [301, true, ['301'], { id: '301' }, 'x'.repeat(256), 'a\0b', 'a\nb', '\ud800']
  const bad = [
    ...bad_names.map((name) => ({ [name]: '1' })),
    ...bad_ids.map((value) => ({ hubspot: value })),
    [],
    '301',
    5,
    true,
  ]
  for (const crm_ids of bad) {
    const { status, body } = await send(JSON.stringify(crm_ids))
    assert.deepEqual([status, body.error?.code], [400, 'VALIDATION_ERROR'], JSON.stringify(crm_ids))
    assert.match(body.error.details.fields[0].path, /^crm_ids/)
  }
  assert.deepEqual(await get(tenant, id), before)
  await assertConsistent(tenant)
})

test('a contact has ids in at most 50 CRM systems', async () => {
  const tenant = await workspace()
  const many = (count: number, first = 0) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`system-${first + index}`, `${first + index}`]))
  const { id, phone_number } = await create(tenant, { crm_ids: many(50) })
  const patch = (crm_ids: object) => tenant.call('PATCH', `/contacts/${id}`, { crm_ids })
  for (const refused of [
    await tenant.call('POST', '/contacts', newContact({ crm_ids: many(51) })),
    await upsertAt(tenant, phoneNumber(), { crm_ids: many(51) }),
    await upsertAt(tenant, phone_number, { crm_ids: { extra: '1' } }),
    await patch({ extra: '1' }),
    await tenant.call('PUT', `/contacts/${id}/crm_ids/extra`, { id: '1' }),
  ]) {
    assert.deepEqual([refused.status, refused.body.error?.code], [400, 'VALIDATION_ERROR'])
    assert.equal(refused.body.error.details.fields[0].code, 'too_many')
  }
  assert.equal((await patch({ 'system-0': null, extra: '1' })).status, 200, 'one goes, one comes')
  const removed = Object.fromEntries(Object.keys((await get(tenant, id)).crm_ids).map((name) => [name, null]))
  assert.equal((await patch({ ...removed, ...many(50, 100) })).status, 200, 'all go, others come')
  assert.deepEqual((await get(tenant, id)).crm_ids, many(50, 100))
  assert.equal((await tenant.call('PUT', `/contacts/${id}/crm_ids/system-100`, { id: 'x' })).status, 200)
  await assertConsistent(tenant)
})

test('the body of GET can be sent to PATCH with its CRM ids', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, { ...profile, crm_ids: { hubspot: '1' } })
  const before = await get(tenant, id)
  const { status, body } = await tenant.call('PATCH', `/contacts/${id}`, before)
  assert.equal(status, 200)
  assert.deepEqual(await get(tenant, id), { ...before, updated_at: body.data.updated_at })
})
