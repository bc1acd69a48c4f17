import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../server/kit/postgres/sql.ts'
import { serve } from './support/harness.ts'
import { newContact } from './support/samples.ts'
import { contactsOf, getImport, importFile } from './support/uploads.ts'

const { workspace, pool } = await serve()

test('undo deletes created contacts and restores updated ones, except those changed since', async () => {
  const tenant = await workspace()
  const fields = { first_name: 'Ada', notes: 'kept', tags: ['old'] }
  const [known, touched] = [
    (await tenant.call('POST', '/contacts', newContact(fields))).body.data,
    (await tenant.call('POST', '/contacts', newContact(fields))).body.data,
  ]
  const file = `phone,first_name,tags
${known.phone_number},Eva,new
${touched.phone_number},Eva,new
+4930901820,Max,new
+4930901821,Moritz,new
+4930901822,Gone,new
`
  const { id, rows } = await importFile(tenant, file, { on_conflict: 'update' })
  const [, , , changed, deleted] = rows.map(({ contact_id }: { contact_id: string }) => contact_id)
  await tenant.call('PATCH', `/contacts/${touched.id}`, { company: 'Engines' })
  await tenant.call('PATCH', `/contacts/${changed}`, { company: 'Engines' })
  await tenant.call('DELETE', `/contacts/${deleted}`)

  const undoing = await tenant.call('POST', `/contacts/imports/${id}/undo`)
  assert.deepEqual([undoing.status, undoing.body.data.status], [200, 'undoing'])
  await tenant.work()

  const after = await getImport(tenant, id)
  assert.deepEqual([after.import.status, after.import.undo_skipped], ['undone', 2])
  assert.ok(after.import.undone_at)
  const values = (await contactsOf(tenant)).map(({ id, first_name, notes, tags }: Record<string, unknown>) => [
    id,
    first_name,
    notes,
    tags,
  ])
  assert.deepEqual(values, [
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

test('an import of thousands of rows is undone', async () => {
  const tenant = await workspace()
  const lines = Array.from({ length: 2_300 }, (_, index) => `+49309${100_000 + index}`)
  const { id } = await importFile(tenant, `phone\n${lines.join('\n')}\n`)
  await tenant.call('POST', `/contacts/imports/${id}/undo`)
  await tenant.work()
  assert.equal((await tenant.call('GET', '/contacts')).body.pagination.total, 0)
  assert.equal((await tenant.call('GET', `/contacts/imports/${id}/rows`)).body.pagination.total, 2_300)
})

test('an undo of a dry run is refused, and the error says what to undo instead', async () => {
  const tenant = await workspace()
  const { id } = await importFile(tenant, 'phone\n+4930901820\n', { is_dry_run: true })
  const { status, body } = await tenant.call('POST', `/contacts/imports/${id}/undo`)
  assert.deepEqual([status, body.error.code], [409, 'INVALID_STATE'])
  assert.equal(body.error.message, 'A dry run writes nothing. Undo the import that was created by running it.')
})

test('an undo after a failed one continues where it stopped, and counts each contact once', async () => {
  const tenant = await workspace()
  const numbers = Array.from({ length: 700 }, (_, index) => `+49309${100_000 + index}`)
  for (const index of [0, 690]) await tenant.call('POST', '/contacts', newContact({ phone_number: numbers[index] }))
  const lines = numbers.map((number) => `${number},Eva\n`)
  const { id, rows } = await importFile(tenant, `phone,first_name\n${lines.join('')}`, { on_conflict: 'update' })
  const last = await tenant.call('GET', `/contacts/imports/${id}/rows?limit=100&offset=600`)
  const [early, late] = [rows[1].contact_id, last.body.data[98].contact_id]
  for (const touched of [early, late]) await tenant.call('PATCH', `/contacts/${touched}`, { company: 'Engines' })

  // The first row can't be restored: the last 500 rows are undone, then the undo fails.
  const setBefore = (before: object) =>
    pool.run(sql`update import_rows set before = ${JSON.stringify(before)}
      where workspace_id = ${tenant.id} and import_id = ${id} and row_number = 1`)
  await setBefore({ phone_number: null })
  const undoUntil = async (end_status: string) => {
    assert.equal((await tenant.call('POST', `/contacts/imports/${id}/undo`)).status, 200)
    for (let status = 'undoing'; status === 'undoing'; status = (await getImport(tenant, id)).import.status) {
      await pool.run(
        sql`update imports set due_at = created_at where workspace_id = ${tenant.id} and due_at is not null`,
      )
      await tenant.work()
    }
    const { status, undo_skipped } = (await getImport(tenant, id)).import
    assert.equal(status, end_status)
    return undo_skipped
  }
  assert.equal(await undoUntil('failed'), 1)
  await setBefore({ first_name: null })
  assert.equal(await undoUntil('undone'), 2)
  const left = (await contactsOf(tenant)).map(({ id, first_name }: Record<string, string>) => [id, first_name])
  assert.deepEqual(left.map(([, name]: string[]) => name).sort(), ['Eva', 'Eva', null, null])
  const report = await tenant.call('GET', `/contacts/imports/${id}/rows.csv?outcome=updated`)
  assert.ok(!report.text.includes('Not undone'), 'contacts that the first undo restored are not reported as changed')
})
