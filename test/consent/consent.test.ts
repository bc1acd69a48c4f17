import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { sql } from '../../server/kit/postgres/sql.ts'
import { recordEntries } from '../support/consents.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { holdTransaction } from '../support/held-transaction.ts'
import { newConsent, newContact, phoneNumber } from '../support/samples.ts'
import { inWorkspace, newPerson } from '../support/sessions.ts'

const server = await serve()
const { workspace, pool } = server

async function create(tenant: Tenant, fields: object = {}) {
  const created = await tenant.call('POST', '/contacts', newContact(fields))
  assert.equal(created.status, 201, created.text)
  return created.body.data
}

const record = ({ call }: Tenant, contact_id: string, fields: object = {}) =>
  call('POST', `/contacts/${contact_id}/consents`, newConsent(fields))

const verify = async ({ call }: Tenant) => (await call('POST', '/consents/verify')).body.data

test('a consent is recorded and listed, newest first', async () => {
  const tenant = await workspace()
  const { id: contact_id } = await create(tenant)
  const evidence = { form: 'newsletter', page: '/offers' }
  const first = await record(tenant, contact_id, { evidence })
  const { id, created_at, ...rest } = first.body.data
  assert.equal(first.status, 201)
  assert.deepEqual(rest, { contact_id, kind: 'sms', status: 'granted', source: 'api', evidence })
  const second = await record(tenant, contact_id, { kind: 'all', status: 'revoked' })
  assert.equal(second.body.data.evidence, null)
  for (const path of [`/contacts/${contact_id}/consents`, '/consents']) {
    const { data, pagination } = (await tenant.call('GET', path)).body
    assert.deepEqual([data, pagination.total], [[second.body.data, first.body.data], 2], path)
  }
  assert.ok(created_at <= second.body.data.created_at && id < second.body.data.id)
})

test('a person in the dashboard is the source dashboard', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  const person = await newPerson(server, { [tenant.id]: 'member' })
  const answer = await person.go('POST', `/api/v1/contacts/${id}/consents`, newConsent(), inWorkspace(tenant))
  assert.deepEqual([answer.status, answer.body.data.source], [201, 'dashboard'])
})

test('consents are filtered by kind and status, and paged with a cursor', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  for (const fields of [{ kind: 'sms' }, { kind: 'voice' }, { kind: 'all', status: 'revoked' }])
    await record(tenant, id, fields)
  const list = async (query: string) => (await tenant.call('GET', `/consents?${query}`)).body
  const kindsOf = ({ data }: { data: { kind: string }[] }) => data.map(({ kind }) => kind)
  assert.deepEqual(kindsOf(await list('kind=voice')), ['voice'])
  assert.deepEqual(kindsOf(await list('status=granted')), ['voice', 'sms'])
  assert.deepEqual(kindsOf(await list('status=revoked&kind=sms')), [])
  const first = await list('limit=2')
  assert.deepEqual(kindsOf(first), ['all', 'voice'])
  assert.deepEqual(kindsOf(await list(`limit=2&cursor=${first.pagination.next_cursor}`)), ['sms'])
})

const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, 'x']))

test('evidence has at most 20 members, with short names and texts', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  const allowed = [null, {}, members(20), { ['n'.repeat(40)]: 'x'.repeat(500) }, { __proto__: null, '"\\é😀': "'{}" }]
  for (const evidence of allowed) {
    const answer = await record(tenant, id, { evidence })
    assert.deepEqual([answer.status, answer.body.data.evidence], [201, evidence && { ...evidence }])
  }
  const refused = [members(21), { ['n'.repeat(41)]: 'x' }, { '': 'x' }, { a: 'x'.repeat(501) }, { a: 1 }, [], 'x']
  for (const evidence of refused) assert.equal((await record(tenant, id, { evidence })).status, 400)
  const { data } = (await tenant.call('GET', `/contacts/${id}/consents`)).body
  assert.deepEqual(
    data.map(({ evidence }: { evidence: object }) => evidence).reverse(),
    allowed.map((evidence) => evidence && { ...evidence }),
  )
  assert.deepEqual(await verify(tenant), { is_valid: true, rows: 5, first_broken_id: null })
})

test('an unknown contact gets 404, also beside one that exists', async () => {
  const [tenant, other] = [await workspace(), await workspace()]
  const { id } = await create(tenant)
  const { id: foreign_id } = await create(other)
  const answers = await Promise.all([id, foreign_id, id, foreign_id].map((one) => record(tenant, one)))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 404, 201, 404],
  )
  assert.equal((await tenant.call('GET', `/contacts/${foreign_id}/consents`)).status, 404)
  assert.deepEqual((await tenant.call('GET', `/contacts/${id}/consents`)).body.pagination.total, 2)
})

test('an opt-out outlives the contact, without its number or id', async () => {
  const tenant = await workspace()
  const contact = await create(tenant, { first_name: 'Ada' })
  await record(tenant, contact.id, { kind: 'all', status: 'revoked', evidence: { form: 'unsubscribe' } })
  await tenant.call('DELETE', `/contacts/${contact.id}`)
  const rows = await pool.many(sql`select consents::text as row from consents where workspace_id = ${tenant.id}`)
  assert.equal(rows.length, 1)
  for (const secret of [contact.phone_number.slice(1), contact.id]) assert.ok(!JSON.stringify(rows).includes(secret))
  const [deleted] = (await tenant.call('GET', '/consents')).body.data
  assert.equal(deleted.contact_id, null)

  const again = await create(tenant, { phone_number: contact.phone_number })
  const { data } = (await tenant.call('GET', `/contacts/${again.id}/consents`)).body
  assert.deepEqual(data, [{ ...deleted, contact_id: again.id }])
  assert.deepEqual(await verify(tenant), { is_valid: true, rows: 1, first_broken_id: null })
})

test('a contact that is deleted while its consent is recorded leaves no id', async () => {
  const tenant = await workspace()
  const contacts = await Promise.all(Array.from({ length: 10 }, () => create(tenant)))
  const recorded = await Promise.all(
    contacts.flatMap(({ id }) => [record(tenant, id), tenant.call('DELETE', `/contacts/${id}`)]),
  )
  assert.ok(recorded.every(({ status }) => [200, 201, 404].includes(status)))
  const { data } = (await tenant.call('GET', '/consents')).body
  assert.ok(data.every(({ contact_id }: { contact_id: string | null }) => contact_id === null))
  assert.equal((await verify(tenant)).is_valid, true)
})

test("a contact's consents follow its number", async () => {
  const tenant = await workspace()
  const { id, phone_number } = await create(tenant)
  await record(tenant, id)
  await tenant.call('PATCH', `/contacts/${id}`, { phone_number: phoneNumber() })
  const total = async () => (await tenant.call('GET', `/contacts/${id}/consents`)).body.pagination.total
  assert.equal(await total(), 0)
  await tenant.call('PATCH', `/contacts/${id}`, { phone_number })
  assert.equal(await total(), 1)
})

test('the same number has another HMAC in another workspace', async () => {
  const [one, other] = [await workspace(), await workspace()]
  const phone_number = phoneNumber()
  for (const tenant of [one, one, other]) await recordEntries(server, tenant, [{ phone_number }])
  const hmacs = await pool.many<{ workspace_id: string; count: number }>(
    sql`select workspace_id, count(*) from consents where workspace_id = any(${[one.id, other.id]}::uuid[])
      group by workspace_id, phone_hmac`,
  )
  assert.deepEqual(
    new Map(hmacs.map((row) => [row.workspace_id, row.count])),
    new Map([
      [one.id, 2],
      [other.id, 1],
    ]),
  )
})

test('first entries at the same moment share one secret, and the chain holds', async () => {
  const tenant = await workspace()
  const phone_number = phoneNumber()
  await Promise.all(
    Array.from({ length: 8 }, () => recordEntries(server, tenant, [{ phone_number }, { phone_number }])),
  )
  const { hmacs, last } = await pool.one<{ hmacs: number; last: number }>(
    sql`select count(distinct phone_hmac) as hmacs, max(seq) as last from consents where workspace_id = ${tenant.id}`,
  )
  assert.deepEqual([hmacs, last], [1, 16])
  assert.deepEqual(await verify(tenant), { is_valid: true, rows: 16, first_broken_id: null })
})

test('an entry waits for the ledger, and what was rolled back leaves no gap', async () => {
  const tenant = await workspace()
  await recordEntries(server, tenant, [{}])
  await using held = await holdTransaction(pool, (db) =>
    db.run(sql`select from consent_ledgers where workspace_id = ${tenant.id} for no key update`),
  )
  const recording = recordEntries(server, tenant, [{}])
  await held.waitUntilBlocking(recording)
  await held.end(new Error('rolled back'))
  await recording
  assert.deepEqual(await verify(tenant), { is_valid: true, rows: 2, first_broken_id: null })
})

test('hundreds of entries are recorded at once', async () => {
  const tenant = await workspace()
  await recordEntries(
    server,
    tenant,
    Array.from({ length: 3_000 }, () => ({ evidence: { message: 'id' } })),
  )
  await recordEntries(server, tenant, [])
  await recordEntries(server, tenant, [{}])
  assert.deepEqual(await verify(tenant), { is_valid: true, rows: 3_001, first_broken_id: null })
})

test('the ledger is exported as CSV, oldest first, for members and owners', async () => {
  const tenant = await workspace()
  const read = async (): Promise<Record<string, string>[]> => {
    const answer = await tenant.call('GET', '/consents/export')
    assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8')
    return parse(answer.text, { columns: true })
  }
  assert.deepEqual(await read(), [])
  const [kept, deleted] = [await create(tenant), await create(tenant)]
  const evidence = { form: 'a "quoted", name' }
  const first = (await record(tenant, kept.id, { evidence })).body.data
  await record(tenant, deleted.id, { kind: 'all', status: 'revoked' })
  await tenant.call('DELETE', `/contacts/${deleted.id}`)
  await recordEntries(server, tenant, Array(1_998).fill({}))
  const rows = await read()
  assert.equal(rows.length, 2_000)
  assert.deepEqual({ ...rows[0], evidence: JSON.parse(rows[0]?.evidence ?? '') }, first)
  assert.deepEqual([rows[1]?.contact_id, rows[1]?.status, rows[1]?.evidence], ['', 'revoked', ''])
  const { data } = (await tenant.call('GET', '/consents?limit=100')).body
  const newest = rows.toReversed().slice(0, 100)
  assert.deepEqual(
    newest.map(({ id }) => id),
    data.map(({ id }: { id: string }) => id),
  )
  const viewer = await newPerson(server, { [tenant.id]: 'viewer' })
  assert.equal((await viewer.go('GET', '/api/v1/consents/export', undefined, inWorkspace(tenant))).status, 403)
})

test('exported entries of a deleted contact have the contact that has its number now', async () => {
  const tenant = await workspace()
  const phone_numbers = ['+4401632960001', '+14155550123']
  for (const phone_number of phone_numbers) {
    const earlier = await create(tenant, { phone_number })
    await record(tenant, earlier.id, { kind: 'all', status: 'revoked' })
    await tenant.call('DELETE', `/contacts/${earlier.id}`)
  }
  const contactIds = async () => {
    const { text } = await tenant.call('GET', '/consents/export')
    return parse<Record<string, string>>(text, { columns: true }).map(({ contact_id }) => contact_id)
  }
  assert.deepEqual(await contactIds(), ['', ''])
  // Another spelling of the first number.
  const again = await create(tenant, { phone_number: '+441632960001' })
  const other = await workspace()
  await create(other, { phone_number: '+14155550123' })
  assert.deepEqual(await contactIds(), [again.id, ''])
  await record(tenant, again.id, { kind: 'all', status: 'granted' })
  assert.deepEqual(await contactIds(), [again.id, '', again.id])
})

test('an empty ledger is valid', async () => {
  assert.deepEqual(await verify(await workspace()), { is_valid: true, rows: 0, first_broken_id: null })
})

test('a ledger is verified while entries are added', async () => {
  const tenant = await workspace()
  await recordEntries(
    server,
    tenant,
    Array.from({ length: 4_000 }, () => ({})),
  )
  let is_adding = true
  const adding = (async () => {
    while (is_adding) await recordEntries(server, tenant, [{}])
  })()
  const results = [await verify(tenant), await verify(tenant)]
  is_adding = false
  await adding
  for (const { is_valid, rows } of results) assert.ok(is_valid && rows >= 4_000)
})
