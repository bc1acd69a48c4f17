import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as contacts_store from '../../server/contacts/store.ts'
import { inTransaction } from '../../server/kit/at.ts'
import { raw, sql } from '../../server/kit/postgres/sql.ts'
import { create } from '../support/contacts.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { newAgent, newContact } from '../support/samples.ts'

const { at, workspace, pool } = await serve()

interface Contact {
  id: string
  created_at: string
  updated_at: string
  last_contact_at: string | null
  phone_number: string
}

const sorts = ['created_at', '-created_at', 'updated_at', '-updated_at', 'last_contact_at', '-last_contact_at'] as const

const list = async ({ call }: Tenant, query: Record<string, string> | string = '') => {
  const answer = await call('GET', `/contacts?${new URLSearchParams(query)}`)
  assert.equal(answer.status, 200, answer.text)
  return { contacts: answer.body.data as Contact[], pagination: answer.body.pagination }
}

/** Gives several contacts the same times, so that the order depends on the tie-breaker. */
async function scatterTimes(tenant: Tenant): Promise<void> {
  await pool.run(
    sql`update contacts as contact
      set created_at = ('2026-01-01'::timestamp + number / 3 * interval '1 millisecond') at time zone 'UTC',
        updated_at = ('2026-02-01'::timestamp + number * 7 % 5 * interval '1 second') at time zone 'UTC',
        last_contact_at = case when number % 3 > 0
          then ('2026-03-01'::timestamp + number * 11 % 4 * interval '1 hour') at time zone 'UTC' end
      from (select id, (row_number() over (order by phone_number))::int as number
        from contacts where workspace_id = ${tenant.id}) as numbered
      where contact.workspace_id = ${tenant.id} and contact.id = numbered.id`,
  )
}

const idsOf = (contacts: Contact[]) => contacts.map(({ id }) => id)

/** Creates a workspace with this many contacts. */
async function workspaceWith(size: number): Promise<Tenant> {
  const tenant = await workspace()
  await Promise.all(Array.from({ length: size }, () => tenant.call('POST', '/contacts', newContact())))
  await scatterTimes(tenant)
  return tenant
}

/** The expected order, computed without the database. */
function sorted(contacts: Contact[], sort: (typeof sorts)[number]): Contact[] {
  const column = sort.replace('-', '') as 'created_at' | 'updated_at' | 'last_contact_at'
  const sign = sort.startsWith('-') ? -1 : 1
  return contacts.toSorted((left, right) => {
    const [a, b] = [left[column], right[column]]
    if ((a === null) !== (b === null)) return a === null ? 1 : -1
    if (a !== b) return String(a) < String(b) ? -sign : sign
    return left.id < right.id ? -sign : sign
  })
}

test('an empty list has its pagination', async () => {
  const { call } = await workspace()
  const { status, body } = await call('GET', '/contacts')
  assert.equal(status, 200)
  const pagination = { total: 0, limit: 20, offset: 0, has_more: false, next_cursor: null }
  assert.deepEqual(body, { success: true, data: [], pagination })
})

test('limit and offset select a page, and has_more tells whether another one follows', async () => {
  const tenant = await workspaceWith(7)
  const { contacts } = await list(tenant)
  assert.equal(contacts.length, 7)
  for (const [limit, offset, has_more] of [
    [3, 0, true],
    [3, 3, true],
    [3, 4, false],
    [3, 6, false],
    [7, 0, false],
    [6, 0, true],
    [1, 6, false],
    [100, 0, false],
    [3, 7, false],
    [3, 1000, false],
    [1, Number.MAX_SAFE_INTEGER, false],
  ] as const) {
    const page = await list(tenant, { limit: `${limit}`, offset: `${offset}` })
    assert.deepEqual(page.contacts, contacts.slice(offset, offset + limit), `${limit} from ${offset}`)
    const { next_cursor, ...pagination } = page.pagination
    assert.deepEqual(pagination, { total: 7, limit, offset, has_more })
    assert.equal(typeof next_cursor, has_more ? 'string' : 'object')
  }
})

test('a page has 20 contacts by default and at most 100', async () => {
  const tenant = await workspaceWith(101)
  const first = await list(tenant)
  assert.deepEqual([first.contacts.length, first.pagination.has_more], [20, true])
  const most = await list(tenant, { limit: '100' })
  assert.deepEqual([most.contacts.length, most.pagination.has_more, most.pagination.total], [100, true, 101])
})

test('leading zeros in limit and offset change nothing', async () => {
  const tenant = await workspaceWith(3)
  const { pagination } = await list(tenant, { limit: '002', offset: '00' })
  assert.deepEqual([pagination.limit, pagination.offset], [2, 0])
})

test('an invalid limit or offset is rejected, not clamped', async () => {
  const { call } = await workspace()
  const malformed = [
    '-1',
    '1e2',
    '1.5',
    '',
    ' ',
    '+5',
    '%2B5',
    '0x10',
    '1,000',
    'ten',
    'null',
    'NaN',
    'Infinity',
    '５',
    '1%00',
  ]
  const huge = ['99999999999999999999', '9'.repeat(400)]
  for (const path of ['/contacts', '/agents']) {
    for (const [name, values] of [
      ['limit', ['0', '00', '101', '-0', ...malformed, ...huge]],
      ['offset', [...malformed, ...huge]],
    ] as const) {
      for (const value of values) {
        const { status, body } = await call('GET', `${path}?${name}=${value}`)
        assert.deepEqual([status, body.error?.code], [400, 'VALIDATION_ERROR'], `${path}?${name}=${value}`)
        assert.equal(body.error.details.fields[0].path, name)
      }
    }
    assert.equal((await call('GET', `${path}?limit=1`)).status, 200)
    assert.equal((await call('GET', `${path}?limit=100&offset=0`)).status, 200)
  }
})

test('a repeated parameter is rejected, except tag', async () => {
  const { call } = await workspace()
  const parameters = {
    limit: '5',
    offset: '0',
    search: 'a',
    source: 'api',
    sort: 'created_at',
    crm_id: '1',
    cursor: 'x',
  }
  for (const [name, value] of Object.entries({
    ...parameters,
    created_after: '2026-01-01',
    created_before: '2026-01-01',
  })) {
    const { status, body } = await call('GET', `/contacts?${name}=${value}&${name}=${value}`)
    assert.deepEqual([status, body.error?.code], [400, 'VALIDATION_ERROR'], name)
    assert.ok(body.error.details.fields.some(({ path }: { path: string }) => path === name))
  }
})

test('an unknown parameter is rejected by name, with a suggestion', async () => {
  const { call } = await workspace()
  for (const [name, suggestion] of [
    ['Limit', 'limit'],
    ['limits', 'limit'],
    ['ofset', 'offset'],
    ['offset[]', 'offset'],
    ['created-after', 'created_after'],
    ['createdBefore', 'created_before'],
    ['tags', 'tag'],
    ['q', 'search'],
    ['page', 'offset'],
    ['page_size', 'limit'],
    ['perPage', 'limit'],
    ['pages', undefined],
    ['__proto__', undefined],
    ['constructor', undefined],
    ['', undefined],
  ] as const) {
    const { status, body } = await call('GET', `/contacts?${encodeURIComponent(name)}=1`)
    assert.deepEqual([status, body.error?.code], [400, 'VALIDATION_ERROR'], name)
    const [fault, ...none] = body.error.details.fields
    assert.deepEqual([fault.path, none], [name, []])
    assert.equal(fault.message.includes(`Did you mean ${suggestion}?`), suggestion !== undefined, fault.message)
  }
  const agents = await call('GET', '/agents?search=a')
  assert.deepEqual([agents.status, agents.body.error.details.fields[0].path], [400, 'search'])
})

test('the order is newest first or that of sort, with nulls last and ties broken by id', async () => {
  const tenant = await workspaceWith(20)
  const { contacts } = await list(tenant)
  assert.deepEqual(idsOf(contacts), idsOf(sorted(contacts, '-created_at')))
  for (const sort of sorts) {
    assert.deepEqual(idsOf((await list(tenant, { sort })).contacts), idsOf(sorted(contacts, sort)), sort)
  }
  for (const sort of ['phone_number', '+created_at', '--created_at', 'CREATED_AT', '', 'created_at,id', 'id']) {
    assert.equal((await tenant.call('GET', `/contacts?sort=${encodeURIComponent(sort)}`)).status, 400, sort)
  }
})

test('cursors return every contact once, for every sort and page size', async () => {
  const tenant = await workspaceWith(20)
  const { contacts } = await list(tenant)
  for (const sort of sorts) {
    for (const limit of [2, 7, 20]) {
      const seen: Contact[] = []
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await list(tenant, { sort, limit: `${limit}`, ...(cursor && { cursor }) })
        const { offset, total, has_more, next_cursor } = page.pagination
        assert.deepEqual([offset, total, has_more], [seen.length, 20, next_cursor !== null])
        seen.push(...page.contacts)
        assert.ok(seen.length <= 20, 'the cursors end')
        cursor = next_cursor
      }
      assert.deepEqual(idsOf(seen), idsOf(sorted(contacts, sort)), `${sort} by ${limit}`)
    }
  }
})

test('a cursor keeps its position while contacts are created and deleted', async () => {
  const tenant = await workspaceWith(9)
  const { contacts } = await list(tenant)
  const first = await list(tenant, { limit: '4' })
  await create(tenant)
  await tenant.call('DELETE', `/contacts/${contacts[3]?.id}`)
  const second = await list(tenant, { limit: '5', cursor: first.pagination.next_cursor })
  assert.deepEqual(idsOf(second.contacts), idsOf(contacts.slice(4)))
})

test('a cursor can be used with filters', async () => {
  const tenant = await workspace()
  for (let count = 0; count < 6; count += 1) await create(tenant, { tags: [count % 2 === 0 ? 'even' : 'odd'] })
  const { contacts } = await list(tenant, { tag: 'even' })
  const first = await list(tenant, { tag: 'even', limit: '2' })
  const second = await list(tenant, { tag: 'even', limit: '2', cursor: first.pagination.next_cursor })
  assert.deepEqual(idsOf([...first.contacts, ...second.contacts]), idsOf(contacts))
  assert.deepEqual([second.pagination.total, second.pagination.has_more], [3, false])
})

test('a cursor that does not come from this list is rejected', async () => {
  const tenant = await workspaceWith(4)
  const { pagination, contacts } = await list(tenant, { limit: '2' })
  const good: string = pagination.next_cursor
  assert.equal((await tenant.call('GET', `/contacts?cursor=${good}`)).status, 200)
  const id = contacts[1]?.id
  const made = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
  const tampered = [
    '',
    'x',
    '%00',
    'null',
    good.slice(0, -1),
    good.slice(1),
    `x${good}`,
    `${good}${good}`,
    'A'.repeat(501),
    made(),
    made('-created_at'),
    made('-created_at', '2026-01-01T00:00:00.000Z', 'x', 2),
    made('-created_at', '2026-01-01', id, 2),
    made('-created_at', '2026-02-30T00:00:00.000Z', id, 2),
    made('-created_at', '0000-01-01T00:00:00.000Z', id, 2),
    made('-created_at', null, id, 2),
    made('-created_at', 5, id, 2),
    made('-created_at', "'; drop table contacts; --", id, 2),
    made('-created_at', '2026-01-01T00:00:00.000Z', id, -1),
    made('-created_at', '2026-01-01T00:00:00.000Z', id, '2'),
    made('-created_at', '2026-01-01T00:00:00.000Z', id),
    made('phone_number', '2026-01-01T00:00:00.000Z', id, 2),
    Buffer.from('{"0":"-created_at"}').toString('base64url'),
    Buffer.from('"-created_at"').toString('base64url'),
  ]
  const accepted: [string, number][] = []
  for (const cursor of tampered) {
    const { status, body } = await tenant.call('GET', `/contacts?cursor=${cursor}`)
    const is_rejected = status === 400 && body.error.details.fields[0].path === 'cursor'
    if (!is_rejected) accepted.push([Buffer.from(cursor, 'base64url').toString(), status])
  }
  assert.deepEqual(accepted, [])
  for (const query of [`cursor=${good}&sort=created_at`, `cursor=${good}&offset=2`]) {
    assert.equal((await tenant.call('GET', `/contacts?${query}`)).status, 400, query)
  }
})

test('agents can be paged by cursor', async () => {
  const { call } = await workspace()
  for (let count = 0; count < 5; count += 1) await call('POST', '/agents', newAgent({ name: `${count}` }))
  const all = await call('GET', '/agents')
  const first = await call('GET', '/agents?limit=3')
  const second = await call('GET', `/agents?limit=3&cursor=${first.body.pagination.next_cursor}`)
  assert.deepEqual([...first.body.data, ...second.body.data], all.body.data)
  assert.deepEqual([first.body.pagination.has_more, second.body.pagination.next_cursor], [true, null])
})

test('deep pages are correct in every order', async () => {
  const tenant = await deepWorkspace()
  for (const sort of sorts) {
    const expected = await pool.many<Contact>(
      sql`select id from contacts where workspace_id = ${tenant.id} order by ${raw(orders[sort])}`,
    )
    for (const offset of [999, 1000, 1060, 1061, 2095, 2100, 2119, 2120, 5000]) {
      const { contacts, pagination } = await list(tenant, { sort, offset: String(offset), limit: '20' })
      assert.deepEqual(idsOf(contacts), idsOf(expected.slice(offset, offset + 20)), `${sort} from ${offset}`)
      assert.equal(pagination.has_more, offset + 20 < deep_size)
      assert.equal(pagination.total, deep_size)
    }
  }
})

const deep_size = 2_120

const orders: Record<(typeof sorts)[number], string> = {
  created_at: 'created_at, id',
  '-created_at': 'created_at desc, id desc',
  updated_at: 'updated_at, id',
  '-updated_at': 'updated_at desc, id desc',
  last_contact_at: 'last_contact_at nulls last, id',
  '-last_contact_at': 'last_contact_at desc nulls last, id desc',
}

async function deepWorkspace(): Promise<Tenant> {
  const tenant = await workspace()
  const inputs = Array.from({ length: deep_size }, () => ({ ...newContact(), source: 'api' as const }))
  await inTransaction(at(tenant.id), (at) => contacts_store.create(at, inputs))
  await scatterTimes(tenant)
  return tenant
}
