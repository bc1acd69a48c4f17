import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serve } from './harness.ts'
import { newContact } from './samples.ts'
import { contactsOf, ended, imported } from './uploads.ts'

const { workspace } = await serve()

test('undo deletes what was created and puts back what was changed, unless it was changed since', async () => {
  const tenant = await workspace()
  const said = { first_name: 'Ada', notes: 'kept', tags: ['old'] }
  const [known, touched] = [
    (await tenant.call('POST', '/contacts', newContact(said))).body.data,
    (await tenant.call('POST', '/contacts', newContact(said))).body.data,
  ]
  const file = `phone,first_name,tags
${known.phone_number},Eva,new
${touched.phone_number},Eva,new
+4930901820,Max,new
+4930901821,Moritz,new
+4930901822,Gone,new
`
  const { id, rows } = await imported(tenant, file, { on_known: 'update' })
  const [, , , changed, deleted] = rows.map(({ contact_id }: { contact_id: string }) => contact_id)
  await tenant.call('PATCH', `/contacts/${touched.id}`, { company: 'Engines' })
  await tenant.call('PATCH', `/contacts/${changed}`, { company: 'Engines' })
  await tenant.call('DELETE', `/contacts/${deleted}`)

  const undoing = await tenant.call('POST', `/contacts/imports/${id}/undo`)
  assert.deepEqual([undoing.status, undoing.body.data.status], [200, 'undoing'])
  await tenant.work()

  const after = await ended(tenant, id)
  assert.deepEqual([after.import.status, after.import.not_undone], ['undone', 2])
  assert.ok(after.import.undone_at)
  const told = (await contactsOf(tenant)).map(({ id, first_name, notes, tags }: Record<string, unknown>) => [
    id,
    first_name,
    notes,
    tags,
  ])
  assert.deepEqual(told, [
    [known.id, 'Ada', 'kept', ['old']],
    [touched.id, 'Eva', 'kept', ['new']],
    [changed, 'Moritz', null, ['new']],
  ])
  const reason = 'Not undone: the contact was changed after the import.'
  assert.deepEqual(
    after.rows.map(({ reason }: { reason: string }) => reason),
    [null, reason, null, reason, null],
  )
  const tagged = await tenant.call('GET', '/contacts?tag=old')
  assert.equal(tagged.body.pagination.total, 1)
  assert.equal((await tenant.call('POST', `/contacts/imports/${id}/undo`)).body.error.code, 'INVALID_STATE')
})

test('thousands are undone', async () => {
  const tenant = await workspace()
  const lines = Array.from({ length: 2_300 }, (_, index) => `+49309${100_000 + index}`)
  const { id } = await imported(tenant, `phone\n${lines.join('\n')}\n`)
  await tenant.call('POST', `/contacts/imports/${id}/undo`)
  await tenant.work()
  assert.equal((await tenant.call('GET', '/contacts')).body.pagination.total, 0)
  assert.equal((await tenant.call('GET', `/contacts/imports/${id}/rows`)).body.pagination.total, 2_300)
})

test('an undo of a dry run is refused with what to undo instead', async () => {
  const tenant = await workspace()
  const { id } = await imported(tenant, 'phone\n+4930901820\n', { is_dry_run: true })
  const { status, body } = await tenant.call('POST', `/contacts/imports/${id}/undo`)
  assert.deepEqual([status, body.error.code], [409, 'INVALID_STATE'])
  assert.equal(body.error.message, 'A dry run has written nothing: undo the import that running it created.')
})
