import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { exportCsv } from '../../server/contacts/export.ts'
import type { Db } from '../../server/kit/postgres/pool.ts'
import type { Sql } from '../../server/kit/postgres/sql.ts'
import { serve } from '../support/harness.ts'
import { newContact } from '../support/samples.ts'
import { newPerson } from '../support/sessions.ts'
import { contactsOf, importFile } from '../support/uploads.ts'

const server = await serve()
const { workspace, pool } = server

test('an export has the contacts that match the filters, in the requested order', async () => {
  const tenant = await workspace()
  const lines = Array.from(
    { length: 2_200 },
    (_, index) => `+49309${100_000 + index},n${index},${index % 2 ? 'odd' : 'even'}`,
  )
  await importFile(tenant, `phone,name,tags\n${lines.join('\n')}\n`)
  await tenant.call('POST', '/contacts', newContact({ first_name: 'Zoë' }))
  const read = async (query: string): Promise<Record<string, string>[]> => {
    const answer = await tenant.call('GET', `/contacts/export${query}`)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8')
    return parse(answer.text, { columns: true })
  }
  const ids = (rows: Record<string, string>[]) => rows.map(({ id }) => id)
  const all = await read('')
  assert.equal(new Set(ids(all)).size, 2_201)
  const first_page = await tenant.call('GET', '/contacts?limit=100')
  assert.deepEqual(ids(all).slice(0, 100), ids(first_page.body.data))
  assert.deepEqual(ids(await read('?sort=created_at')), ids(all).toReversed())
  assert.equal((await read('?tag=odd')).length, 1_100)
  assert.equal((await read('?tag=odd&search=n219')).length, 5 + 1)
  assert.equal((await read('?source=api')).length, 1)
  assert.equal((await read('?search=zoe')).length, 1)
  assert.equal((await read('?search=nobody')).length, 0)
  assert.equal((await read('?sort=-last_contact_at')).length, 2_201)
  assert.equal((await tenant.call('GET', '/contacts/export?limit=5')).status, 400)
  assert.equal((await tenant.call('GET', '/contacts/export?crm_id=5')).status, 400)
})

test('a cell that could be a formula is escaped, and an import restores it', async () => {
  const tenant = await workspace()
  const notes = '=HYPERLINK("http://example.com")'
  await tenant.call(
    'POST',
    '/contacts',
    newContact({ first_name: '@ada', company: '-1', notes, tags: ['+a', 'b "c"'] }),
  )
  const [contact] = await contactsOf(tenant)
  const { text } = await tenant.call('GET', '/contacts/export')
  const [row] = parse(text, { columns: true }) as Record<string, string>[]
  assert.equal(row?.phone_number, contact.phone_number, 'a phone number is not escaped')
  assert.deepEqual([row?.first_name, row?.company, row?.notes, row?.tags], ["'@ada", "'-1", `'${notes}`, `'+a; b "c"`])
  const other = await workspace()
  await importFile(other, text)
  const [copied] = await contactsOf(other)
  for (const name of ['phone_number', 'first_name', 'company', 'notes', 'tags'])
    assert.deepEqual(copied[name], contact[name])
})

test('a dashboard link can name the workspace in the query', async () => {
  const [own, other] = [await workspace(), await workspace()]
  await own.call('POST', '/contacts', newContact({ first_name: 'Grace' }))
  const { go } = await newPerson(server, { [own.id]: 'member' })
  const linked = await go('GET', `/api/v1/contacts/export?search=grace&workspace=${own.id}`)
  assert.deepEqual([linked.status, linked.text.split('\n').length], [200, 3])
  for (const none of [other.id, 'none', `${own.id}&workspace=${own.id}`]) {
    assert.equal((await go('GET', `/api/v1/contacts/export?workspace=${none}`)).status, 404)
  }
  assert.equal(
    (await own.call('GET', `/contacts/export?workspace=${own.id}`)).status,
    400,
    'a key already belongs to a workspace',
  )
})

test('an export of custom fields has at most 1,000 columns of them, and small pieces', async () => {
  const tenant = await workspace()
  const contacts = Array.from({ length: 201 }, (_, contact) => {
    const count = contact < 20 ? 50 : contact === 20 ? 1 : 0
    const fields = Array.from({ length: count }, (_, index) => [`f${contact}_${index}`, contact])
    return { op: 'create', data: newContact({ custom_fields: Object.fromEntries(fields) }) }
  })
  for (let start = 0; start < contacts.length; start += 100) {
    const operations = contacts.slice(start, start + 100)
    assert.equal((await tenant.call('POST', '/contacts/batch', { operations })).status, 200)
  }
  const pieces = await Array.fromAsync(exportCsv(server.at(tenant.id), { sort: '-created_at' }))
  const rows: Record<string, string>[] = parse(pieces.join(''), { columns: true })
  assert.equal(rows.length, contacts.length)
  const custom = Object.keys(rows[0] ?? {}).filter((name) => name.startsWith('custom_fields.'))
  assert.equal(custom.length, 1_000)
  assert.equal(rows.flatMap((row) => custom.filter((name) => row[name] !== '')).length, 1_000)
  for (const piece of pieces) assert.ok(piece.split('\r\n').length <= 102)
})

test('an export of long custom fields reads and sends few contacts at a time', async () => {
  const tenant = await workspace()
  const fields = Array.from({ length: 50 }, (_, index) => [`field_${index}`, '😀'.repeat(500)])
  const operations = Array.from({ length: 4 }, () => ({
    op: 'create',
    data: newContact({ custom_fields: Object.fromEntries(fields) }),
  }))
  for (let batch = 0; batch < 9; batch += 1) {
    const data = operations.map((one) => ({ ...one, data: { ...one.data, phone_number: newContact().phone_number } }))
    assert.equal((await tenant.call('POST', '/contacts/batch', { operations: data })).status, 200)
  }
  const read: number[] = []
  const watched: Db = {
    ...pool,
    many: async <Row>(statement: Sql) => {
      const rows = await pool.many<Row>(statement)
      read.push(rows.length)
      return rows
    },
  }
  const pieces = await Array.fromAsync(exportCsv({ ...server.at(tenant.id), db: watched }, { sort: '-created_at' }))
  assert.equal((parse(pieces.join(''), { columns: true }) as object[]).length, 36)
  assert.ok(Math.max(...read) <= 10, `${read} contacts were read at a time`)
  for (const { length } of pieces) assert.ok(length < 600_000, `a piece has ${length} characters`)
})

test('HEAD of an export sends no body, and an aborted export stops reading', async () => {
  const tenant = await workspace()
  const numbers = Array.from({ length: 3_500 }, (_, index) => `+49309${100_000 + index}`)
  await importFile(tenant, `phone\n${numbers.join('\n')}\n`)
  const head = await tenant.call('HEAD', '/contacts/export')
  assert.deepEqual([head.status, head.text], [200, ''])

  const chunks: number[] = []
  const watched: Db = {
    ...pool,
    many: async <Row>(statement: Sql) => {
      const rows = await pool.many<Row>(statement)
      chunks.push(rows.length)
      return rows
    },
  }
  const reading = Readable.from(exportCsv({ ...server.at(tenant.id), db: watched }, { sort: '-created_at' }))
  await once(reading, 'readable')
  reading.destroy()
  await once(reading, 'close')
  assert.ok(chunks.length < 4, `${chunks.length} of 4 chunks were read`)
})
