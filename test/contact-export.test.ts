import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { serve } from './harness.ts'
import { newContact } from './samples.ts'
import { contactsOf, imported } from './uploads.ts'

const { workspace, url } = await serve()

test('the export holds what the filters find, in their order', async () => {
  const tenant = await workspace()
  const lines = Array.from(
    { length: 2_200 },
    (_, index) => `+49309${100_000 + index},n${index},${index % 2 ? 'odd' : 'even'}`,
  )
  await imported(tenant, `phone,name,tags\n${lines.join('\n')}\n`)
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

test('a cell that could be a formula is harmless, and comes back by an import as it was', async () => {
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
  assert.equal(row?.phone_number, contact.phone_number, 'a phone number stays as it is')
  assert.deepEqual([row?.first_name, row?.company, row?.notes, row?.tags], ["'@ada", "'-1", `'${notes}`, `'+a; b "c"`])
  const other = await workspace()
  await imported(other, text)
  const [copied] = await contactsOf(other)
  for (const name of ['phone_number', 'first_name', 'company', 'notes', 'tags'])
    assert.deepEqual(copied[name], contact[name])
})

test('HEAD of an export sends nothing, and one that is broken off ends', async () => {
  const tenant = await workspace()
  await tenant.call('POST', '/contacts', newContact())
  const head = await tenant.call('HEAD', '/contacts/export')
  assert.deepEqual([head.status, head.text], [200, ''])
  const controller = new AbortController()
  const headers = { authorization: `Bearer ${tenant.key}` }
  const response = await fetch(`${url}/api/v1/contacts/export`, { headers, signal: controller.signal })
  assert.equal(response.status, 200)
  controller.abort()
  assert.equal((await tenant.call('GET', '/contacts')).status, 200)
})
