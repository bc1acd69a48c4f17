import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serve } from './harness.ts'
import { newContact } from './samples.ts'

const { workspace } = await serve()

test('a contact is created as it is shown', async () => {
  const { call } = await workspace()
  const { phone_number } = newContact()
  const created = await call('POST', '/contacts', { phone_number, first_name: '  Ada ', tags: ['vip', 'VIP', ' new '] })
  assert.equal(created.status, 201)
  const { id, created_at, updated_at, ...rest } = created.body.data
  assert.equal(created.headers.get('location'), `/api/v1/contacts/${id}`)
  assert.equal(created_at, updated_at)
  assert.deepEqual(rest, {
    phone_number,
    first_name: 'Ada',
    last_name: null,
    display_name: null,
    email: null,
    company: null,
    notes: null,
    tags: ['vip', 'new'],
    source: 'api',
  })
})
