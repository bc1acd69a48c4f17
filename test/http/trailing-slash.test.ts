import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serve } from '../support/harness.ts'
import { newContact } from '../support/samples.ts'

const server = await serve()

test('a path with a slash at its end answers as the one without', async () => {
  const { call, key } = await server.workspace()
  const created = await call('POST', '/contacts/', newContact())
  assert.equal(created.status, 201)
  const { id } = created.body.data
  for (const [path, other] of [
    ['/contacts', '/contacts/'],
    ['/contacts?limit=5', '/contacts/?limit=5'],
    [`/contacts/${id}`, `/contacts/${id}/`],
    ['/contacts/export', '/contacts/export/'],
  ] as const) {
    const [without, having] = [await call('GET', path), await call('GET', other)]
    assert.deepEqual([having.status, having.text], [200, without.text], other)
  }
  const alias = await server.fetch('GET', '/v1/contacts/', undefined, { authorization: `Bearer ${key}` })
  assert.equal(alias.body.pagination.total, 1)
  const changed = await call('PATCH', `/contacts/${id}/`, { first_name: 'Ada' })
  assert.deepEqual([changed.status, changed.body.data.first_name], [200, 'Ada'])
  assert.equal((await call('PUT', '/contacts/', {})).status, 405)
  assert.equal((await call('GET', '/contacts//')).status, 404)
  assert.equal((await call('DELETE', `/contacts/${id}/`)).status, 200)
})

test('a repeat with a slash is the same request', async () => {
  const { call } = await server.workspace()
  const headers = { 'idempotency-key': 'one' }
  const contact = newContact()
  const first = await call('POST', '/contacts', contact, headers)
  const second = await call('POST', '/contacts/', contact, headers)
  assert.deepEqual([second.status, second.text], [201, first.text])
})
