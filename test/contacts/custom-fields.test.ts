import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { create, eventsOf, get } from '../support/contacts.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { newContact, newIntegration, phoneNumber } from '../support/samples.ts'
import { contactsOf, importFile } from '../support/uploads.ts'

const { workspace, pool } = await serve()

const custom_fields = { plan: 'gold', seats: 12, is_partner: true }

const change = ({ call }: Tenant, id: string, fields: unknown) =>
  call('PATCH', `/contacts/${id}`, { custom_fields: fields })

async function found({ call }: Tenant, query: string): Promise<string[]> {
  const { status, body, text } = await call('GET', `/contacts?${query}`)
  assert.equal(status, 200, text)
  assert.equal(body.pagination.total, body.data.length, query)
  return body.data.map(({ last_name }: { last_name: string }) => last_name).sort()
}

test('a create stores custom fields, and its answer has them only if some were given', async () => {
  const tenant = await workspace()
  const none = await create(tenant)
  assert.ok(!('custom_fields' in none))
  assert.deepEqual((await get(tenant, none.id)).custom_fields, {})
  const some = await create(tenant, { custom_fields: { ...custom_fields, gone: null, empty: '' } })
  assert.deepEqual(some.custom_fields, custom_fields)
  assert.deepEqual((await get(tenant, some.id)).custom_fields, custom_fields)
  assert.deepEqual(
    (await contactsOf(tenant)).map(({ custom_fields }: { custom_fields: object }) => custom_fields),
    [{}, custom_fields],
  )
  const created = (await eventsOf(pool, tenant)).map(({ data }) => data.custom_fields)
  assert.deepEqual(created, [{}, custom_fields])
})

test('an update merges custom fields, and null removes one, or all', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, { custom_fields })
  const merged = await change(tenant, id, { plan: 'silver', seats: null, since: 2024.5 })
  assert.deepEqual(merged.body.data.custom_fields, { plan: 'silver', is_partner: true, since: 2024.5 })
  const [, event] = await eventsOf(pool, tenant)
  assert.deepEqual(event?.previous, { custom_fields })
  assert.deepEqual(event?.data.custom_fields, merged.body.data.custom_fields)
  const same = await change(tenant, id, {})
  assert.equal(same.body.data.updated_at, merged.body.data.updated_at)
  assert.deepEqual((await change(tenant, id, null)).body.data.custom_fields, {})
  const put = await tenant.call('PUT', `/contacts/by_phone_number/${merged.body.data.phone_number}`, { custom_fields })
  assert.deepEqual(put.body.data.custom_fields, custom_fields)
})

test('invalid custom fields are refused with the path of each', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  for (const [fields, path, code] of [
    [{ Plan: 'x' }, 'custom_fields.Plan', 'format'],
    [{ _plan: 'x' }, 'custom_fields._plan', 'format'],
    [{ ['p'.repeat(51)]: 'x' }, `custom_fields.${'p'.repeat(51)}`, 'format'],
    [{ plan: 'x'.repeat(501) }, 'custom_fields.plan', 'too_long'],
    [{ plan: ['x'] }, 'custom_fields.plan', 'type'],
    [{ plan: {} }, 'custom_fields.plan', 'type'],
    [[], 'custom_fields', 'type'],
    ['x', 'custom_fields', 'type'],
    [Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`f${index}`, index])), 'custom_fields', 'too_many'],
  ] as const) {
    for (const refused of [
      await change(tenant, id, fields),
      await tenant.call('POST', '/contacts', newContact({ custom_fields: fields })),
      await tenant.call('PUT', `/contacts/by_phone_number/${phoneNumber()}`, { custom_fields: fields }),
    ]) {
      assert.equal(refused.status, 400, JSON.stringify(fields))
      const [fault] = refused.body.error.details.fields
      assert.deepEqual([fault.path, fault.code], [path, code])
    }
  }
  const large = { ['p'.repeat(50)]: '😀'.repeat(500), big: 1e300, small: -1e-300, off: false }
  assert.deepEqual((await change(tenant, id, large)).body.data.custom_fields, large)
  assert.deepEqual((await get(tenant, id)).custom_fields, large)
})

test('a contact has at most 50 custom fields after a change', async () => {
  const tenant = await workspace()
  const fields = (name: string, value: unknown) =>
    Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`${name}${index}`, value]))
  const { id } = await create(tenant, { custom_fields: fields('a', 1) })
  const refused = await change(tenant, id, { b: 1 })
  assert.deepEqual([refused.status, refused.body.error.details.fields[0].code], [400, 'too_many'])
  assert.equal((await change(tenant, id, { ...fields('a', null), ...fields('b', 1) })).status, 200)
  assert.deepEqual((await get(tenant, id)).custom_fields, fields('b', 1))
})

test('custom_field matches a name and a value exactly, also beside other filters', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, { last_name: 'A', tags: ['vip'], custom_fields })
  await create(tenant, { last_name: 'B', tags: ['vip'], custom_fields: { plan: 'gold', seats: '12', url: 'a:b' } })
  await create(tenant, { last_name: 'C', custom_fields: { plan: 'golden', seats: 120, is_partner: false } })
  await create(await workspace(), { last_name: 'other', custom_fields })
  for (const [query, names] of [
    ['custom_field=plan:gold', ['A', 'B']],
    ['custom_field=plan:Gold', []],
    ['custom_field=seats:12', ['A', 'B']],
    ['custom_field=is_partner:true', ['A']],
    ['custom_field=is_partner:false', ['C']],
    ['custom_field=url:a:b', ['B']],
    ['custom_field=plan:gold&custom_field=is_partner:true', ['A']],
    ['custom_field=plan:gold&custom_field=plan:golden', []],
    ['custom_field=plan:gold&tag=vip&sort=-updated_at', ['A', 'B']],
    ['custom_field=plan:gold&search=b', ['B']],
    ['search=gold', []],
  ] as const) {
    assert.deepEqual(await found(tenant, query), names, query)
  }
  for (const query of ['custom_field=plan', 'custom_field=plan:', 'custom_field=:gold', 'custom_field=Plan:gold'])
    assert.equal((await tenant.call('GET', `/contacts?${query}`)).status, 400, query)
  await change(tenant, id, { plan: 'silver' })
  assert.deepEqual(await found(tenant, 'custom_field=plan:gold'), ['B'])
  assert.deepEqual(await found(tenant, 'custom_field=plan:silver'), ['A'])
  await tenant.call('DELETE', `/contacts/${id}`)
  assert.deepEqual(await found(tenant, 'custom_field=plan:silver'), [])
})

test('an export has a column for each custom field in use, and an import reads it', async () => {
  const tenant = await workspace()
  await create(tenant, { last_name: 'A', custom_fields: { plan: '=1', constructor: 'x', zone_b: true } })
  await create(tenant, { last_name: 'B', custom_fields: { plan: 'gold', age: 42 } })
  await create(await workspace(), { custom_fields: { other: 'x' } })
  const { text } = await tenant.call('GET', '/contacts/export?sort=created_at')
  const rows = parse(text, { columns: true }) as Record<string, string>[]
  const columns = Object.keys(rows[0] ?? {}).filter((name) => name.startsWith('custom_fields'))
  assert.deepEqual(
    columns,
    ['age', 'constructor', 'plan', 'zone_b'].map((name) => `custom_fields.${name}`),
  )
  assert.deepEqual(
    rows.map((row) => columns.map((name) => row[name])),
    [
      ['', 'x', "'=1", 'true'],
      ['42', '', 'gold', ''],
    ],
  )
  const filtered = await tenant.call('GET', '/contacts/export?custom_field=plan:gold')
  assert.equal(filtered.text.trim().split('\r\n').length, 2)
  const other = await workspace()
  await importFile(other, text)
  assert.deepEqual(
    (await contactsOf(other)).map(({ custom_fields }: { custom_fields: object }) => JSON.stringify(custom_fields)),
    [JSON.stringify({ plan: '=1', zone_b: 'true', constructor: 'x' }), JSON.stringify({ age: '42', plan: 'gold' })],
  )
  assert.deepEqual(await found(other, 'custom_field=age:42'), ['B'])
  // The values are the same as text, so the types stay.
  const { import: again } = await importFile(tenant, text, { on_conflict: 'update' })
  assert.deepEqual([again.updated, again.skipped], [0, 2])
})

test('an import updates custom fields, and an undo restores them', async () => {
  const tenant = await workspace()
  const { phone_number, id } = await create(tenant, { custom_fields })
  const file = `phone,custom_fields.plan,Area,custom_fields.Bad\n${phone_number},silver,north,x\n`
  const mapping = { Area: 'custom_fields.area' }
  const { import: done } = await importFile(tenant, file, { on_conflict: 'update', mapping })
  assert.deepEqual([done.updated, done.mapping['custom_fields.Bad']], [1, null])
  assert.deepEqual((await get(tenant, id)).custom_fields, { ...custom_fields, plan: 'silver', area: 'north' })
  await tenant.call('POST', `/contacts/imports/${done.id}/undo`)
  await tenant.work()
  assert.deepEqual((await get(tenant, id)).custom_fields, custom_fields)
  const refused = await tenant.call('POST', '/contacts/imports', {
    rows: [{ a: '1' }],
    mapping: { a: 'custom_fields.A' },
  })
  assert.equal(refused.status, 400)
})

test('an integration maps custom fields with their types', async () => {
  const tenant = await workspace()
  const field_map = { phone_number: '/phone', custom_fields: { plan: '/plan', seats: '/seats', gone: null } }
  const integration = (await tenant.call('POST', '/integrations', newIntegration({ field_map }))).body.data
  assert.deepEqual(integration.field_map.custom_fields, { plan: '/plan', seats: '/seats' })
  const phone = phoneNumber()
  const send = (payload: object) => tenant.send(integration.url, payload)
  const received = await send({ phone, plan: 'gold', seats: 12 })
  assert.deepEqual([received.status, received.body.data.outcome], [200, 'created'])
  assert.equal((await send({ phone, plan: 'gold', seats: 12 })).body.data.outcome, 'unchanged')
  assert.equal((await send({ phone, plan: 'silver' })).body.data.outcome, 'updated')
  const [contact] = await contactsOf(tenant)
  assert.deepEqual(contact.custom_fields, { plan: 'silver', seats: 12 })
  assert.equal((await send({ phone, plan: { a: 1 } })).status, 400)
})
