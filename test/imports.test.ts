import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serve } from './harness.ts'

const { workspace } = await serve()

test('rows become contacts', async () => {
  const tenant = await workspace()
  const form = new FormData()
  form.append('file', new Blob(['Phone,First Name\n+14155550100,Ada\n']), 'people.csv')
  const answer = await tenant.call('POST', '/contacts/imports', form)
  assert.equal(answer.status, 201, answer.text)
  await tenant.work()
  const after = await tenant.call('GET', `/contacts/imports/${answer.body.data.id}`)
  console.log(after.body.data, (await tenant.call('GET', `/contacts/imports/${answer.body.data.id}/rows`)).text)
  console.log((await tenant.call('GET', '/contacts/export')).text)
})
