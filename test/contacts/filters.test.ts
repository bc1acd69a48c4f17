import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from '../../server/kit/postgres/sql.ts'
import { create } from '../support/contacts.ts'
import { openServer, serve, type Tenant, testPool } from '../support/harness.ts'
import { recordStatements } from '../support/old-rows.ts'
import { newContact } from '../support/samples.ts'

const { workspace, pool } = await serve()

/** The sorted last names of the contacts found, after checking the total. `query` is URL-encoded. */
async function found({ call }: Tenant, query: string): Promise<string[]> {
  const { status, body } = await call('GET', `/contacts?${query}`)
  assert.equal(status, 200, query)
  assert.equal(body.pagination.total, body.data.length, query)
  return body.data.map((contact: { last_name: string }) => contact.last_name).sort()
}

test('tag matches a whole tag in any case, and a repeated tag requires both', async () => {
  const tenant = await workspace()
  await create(tenant, { last_name: 'A', tags: ['VIP', 'Été', 'new customer'] })
  await create(tenant, { last_name: 'B', tags: ['vip', 'a,b', '100%'] })
  await create(tenant, { last_name: 'C', tags: ['vip2'] })
  await create(tenant, { last_name: 'D' })
  for (const [query, names] of [
    ['tag=vip', ['A', 'B']],
    ['tag=VIP', ['A', 'B']],
    ['tag=%20Vip%20', ['A', 'B']],
    ['tag=vip2', ['C']],
    ['tag=vi', []],
    ['tag=%C3%89T%C3%89', ['A']],
    ['tag=E%CC%81te%CC%81', ['A']],
    ['tag=ete', []],
    ['tag=new+customer', ['A']],
    ['tag=customer', []],
    ['tag=a%2Cb', ['B']],
    ['tag=vip,vip2', []],
    ['tag=100%25', ['B']],
    ['tag=%25', []],
    ['tag=vip&tag=VIP', ['A', 'B']],
    ['tag=vip&tag=a,b', ['B']],
    ['tag=vip&tag=vip2', []],
    ['tag=vip&search=b', ['B']],
  ] as const) {
    assert.deepEqual(await found(tenant, query), names, query)
  }
  assert.deepEqual(await found(await workspace(), 'tag=vip'), [])
  const many = Array.from({ length: 50 }, () => 'tag=vip').join('&')
  assert.deepEqual(await found(tenant, many), ['A', 'B'])
  for (const query of ['tag=', 'tag=vip&tag=', `tag=${'x'.repeat(65)}`, `${many}&tag=vip`, 'tag=a%00b']) {
    assert.equal((await tenant.call('GET', `/contacts?${query}`)).status, 400, query)
  }
})

test('tag matches the tags after an update', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, { last_name: 'A', tags: ['old'] })
  await tenant.call('PATCH', `/contacts/${id}`, { tags: ['New'] })
  assert.deepEqual([await found(tenant, 'tag=old'), await found(tenant, 'tag=new')], [[], ['A']])
})

test('phone_number and email match exactly, email in any case, beside all other filters', async () => {
  const tenant = await workspace()
  await create(tenant, { last_name: 'A', phone_number: '+14155550101', email: 'Ada@Example.com', tags: ['vip'] })
  await create(tenant, { last_name: 'B', phone_number: '+141555501011', email: 'ada@example.com' })
  await create(tenant, { last_name: 'C', email: 'xada@example.com' })
  await create(tenant, { last_name: 'D', email: 'JOSÉ@example.com' })
  await create(await workspace(), { last_name: 'other', phone_number: '+14155550101', email: 'ada@example.com' })
  for (const [query, names] of [
    ['phone_number=%2B14155550101', ['A']],
    ['phone_number=%2B1415555010', []],
    ['email=ADA@example.com', ['A', 'B']],
    ['email=ada@example.co', []],
    [`email=${encodeURIComponent('JOSÉ@Example.com')}`, ['D']],
    ['email=ada@example.com&tag=vip', ['A']],
    ['email=ada@example.com&search=example', ['A', 'B']],
    ['email=ada@example.com&search=b', ['B']],
    ['email=ada@example.com&phone_number=%2B14155550101&sort=-updated_at', ['A']],
  ] as const) {
    assert.deepEqual(await found(tenant, query), names, query)
  }
  const { text } = await tenant.call('GET', '/contacts/export?email=ADA@EXAMPLE.COM&tag=vip')
  assert.equal(text.trim().split('\r\n').length, 2)
  for (const query of [
    'phone_number=4155550101',
    'phone_number=',
    'email=ada',
    'email=',
    'email=a@b.co&email=a@b.co',
  ]) {
    assert.equal((await tenant.call('GET', `/contacts?${query}`)).status, 400, query)
  }
})

test('a filter by phone number or email reads its index, not all contacts', async () => {
  const statements: ReturnType<typeof sql>[] = []
  const recording = await openServer(recordStatements(testPool(), statements))
  after(recording.close)
  const tenant = await recording.workspace()
  const { id } = await create(tenant, { email: 'Ada@Example.com' })
  await recording.pool.run(
    sql`insert into contacts (workspace_id, id, phone_number, email, tags, source, created_at, updated_at)
      select workspace_id, gen_random_uuid(), '+1415556' || number, number || '@example.com', tags, source, created_at, updated_at
      from contacts cross join generate_series(1000, 9000) as number where workspace_id = ${tenant.id} and id = ${id}`,
  )
  await recording.pool.script('vacuum analyze contacts')
  for (const [query, index] of [
    ['phone_number=%2B14155567777', /contacts_phone_number_unique/],
    ['email=ADA@example.com', /contacts_email/],
  ] as const) {
    statements.length = 0
    assert.equal((await tenant.call('GET', `/contacts?${query}`)).body.pagination.total, 1)
    const lists = statements.filter(({ text }) => text.includes('from contacts as candidate'))
    assert.equal(lists.length, 2)
    for (const list of lists) {
      const lines = await recording.pool.many<Record<string, string>>(sql`explain (format text) ${list}`)
      const plan = lines.flatMap(Object.values).join('\n')
      assert.match(plan, index)
      assert.doesNotMatch(plan, /Seq Scan|contacts_created_at/)
    }
  }
})

test('source matches the source of the contact', async () => {
  const tenant = await workspace()
  for (const source of ['api', 'import', 'manual', 'inbound', 'webhook']) {
    const { id } = await create(tenant, { last_name: source })
    await pool.run(sql`update contacts set source = ${source} where workspace_id = ${tenant.id} and id = ${id}`)
  }
  for (const source of ['api', 'import', 'manual', 'inbound', 'webhook']) {
    assert.deepEqual(await found(tenant, `source=${source}`), [source])
  }
  for (const source of ['', 'API', 'csv', 'api,import', 'null']) {
    assert.equal((await tenant.call('GET', `/contacts?source=${source}`)).status, 400, source)
  }
})

test('created_after and created_before exclude the time itself and accept any UTC offset', async () => {
  const tenant = await workspace()
  for (const [last_name, created_at] of [
    ['A', '2026-03-01T11:59:59.999Z'],
    ['B', '2026-03-01T12:00:00.000Z'],
    ['C', '2026-03-01T12:00:00.001Z'],
  ]) {
    const { id } = await create(tenant, { last_name })
    await pool.run(sql`update contacts set created_at = ${created_at} where workspace_id = ${tenant.id} and id = ${id}`)
  }
  for (const time of [
    '12:00:00Z',
    '12:00:00.000Z',
    '12:00Z',
    '14:30:00%2B02:30',
    '04:00:00-08:00',
    '12:00:00.000000000Z',
  ]) {
    assert.deepEqual(await found(tenant, `created_after=2026-03-01T${time}`), ['C'], time)
    assert.deepEqual(await found(tenant, `created_before=2026-03-01T${time}`), ['A'], time)
  }
  const all = ['A', 'B', 'C']
  for (const [query, names] of [
    ['created_after=2026-03-01&created_before=2026-03-02', all],
    ['created_after=2026-03-02', []],
    ['created_before=2026-03-01', []],
    ['created_after=2024-02-29', all],
    ['created_after=2026-03-01T11:59:59.999Z&created_before=2026-03-01T12:00:00.001Z', ['B']],
    ['created_after=2027-01-01&created_before=2026-01-01', []],
    ['created_before=2026-03-01T12:00:00.000500Z', ['A', 'B']],
    ['created_after=2026-03-01T12:00:00.000500Z', ['C']],
    ['created_after=2026-03-01T11:59:59.999999Z', ['B', 'C']],
    ['created_after=0001-01-01T00:00:00Z', all],
    ['created_before=9999-12-31T23:59:59Z', all],
  ] as const) {
    assert.deepEqual(await found(tenant, query), names, query)
  }
})

test('an invalid time is rejected', async () => {
  const { call } = await workspace()
  const times = [
    '',
    'yesterday',
    '2026',
    '2026-03',
    '2026-13-01',
    '2026-00-01',
    '2026-02-30',
    '2026-02-29',
    '2026-04-31T10:00:00Z',
  ]
  const offsets = [
    '2026-03-01T12:00:00',
    '2026-03-01T12:00:00+02:00',
    '2026-03-01T12:00:00%2B25:00',
    '2026-03-01T12:00:00%2B23:00',
    '2026-03-01T12:00:00-16:00',
    '2026-03-01T12:00:00%2B02:60',
  ]
  const malformed = [
    '1772366400',
    '2026-03-01T25:00:00Z',
    '2026-03-01T12:60:00Z',
    '2026-03-01T12:00:61Z',
    '2026-3-1',
    '03/01/2026',
  ]
  const out_of_range = [
    '0000-01-01',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00%2B14:00',
    '10000-01-01',
    '9999-12-31T23:59:59-14:00',
  ]
  const other = ['%2B010000-01-01T00:00:00Z', '-000001-01-01', '2026-03-01T12:00:00Z%00', 'infinity', 'now']
  const accepted: [string, number][] = []
  for (const name of ['created_after', 'created_before']) {
    for (const time of [...times, ...offsets, ...malformed, ...out_of_range, ...other]) {
      const { status, body } = await call('GET', `/contacts?${name}=${time}`)
      const is_rejected = status === 400 && body.error.details.fields[0].path === name
      if (!is_rejected) accepted.push([time, status])
    }
  }
  assert.deepEqual(accepted, [])
})

test('contacts must match all filters', async () => {
  const tenant = await workspace()
  await create(tenant, { last_name: 'A', first_name: 'x', tags: ['t'] })
  await create(tenant, { last_name: 'B', first_name: 'x' })
  await tenant.call('POST', '/contacts', newContact({ last_name: 'C', tags: ['t'] }))
  const query = 'search=x&tag=t&source=api&created_after=2020-01-01'
  assert.deepEqual(await found(tenant, query), ['A'])
  assert.deepEqual(await found(tenant, `${query}&created_before=2020-01-02`), [])
})
