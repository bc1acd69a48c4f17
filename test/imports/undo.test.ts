import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as contacts from '../../server/contacts/store.ts'
import * as imports from '../../server/imports/store.ts'
import { inTransaction } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { serve } from '../support/harness.ts'
import { newContact } from '../support/samples.ts'
import { contactsOf, getImport, importFile, upload } from '../support/uploads.ts'

const { workspace, pool, at } = await serve()

test('undo deletes created contacts and restores updated ones, except those changed since', async () => {
  const tenant = await workspace()
  const fields = { first_name: 'Ada', notes: 'kept', tags: ['old'], time_zone: 'Europe/London' }
  const [known, touched] = [
    (await tenant.call('POST', '/contacts', newContact(fields))).body.data,
    (await tenant.call('POST', '/contacts', newContact(fields))).body.data,
  ]
  const file = `phone,first_name,tags,timezone
${known.phone_number},Eva,new,Europe/Paris
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
  const values = (await contactsOf(tenant)).map(
    ({ id, first_name, notes, tags, time_zone }: Record<string, unknown>) => [id, first_name, notes, tags, time_zone],
  )
  assert.deepEqual(values, [
    [known.id, 'Ada', 'kept', ['old'], 'Europe/London'],
    [touched.id, 'Eva', 'kept', ['new'], 'Europe/London'],
    [changed, 'Moritz', null, ['new'], null],
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
        sql`update imports set due_at = created_at, lease_until = null
          where workspace_id = ${tenant.id} and due_at is not null`,
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

test('a canceled import stops, and can be undone', async () => {
  const tenant = await workspace()
  const { id } = (await upload(tenant, 'phone\n+14155550100\n')).body.data
  const canceled = await tenant.call('POST', `/contacts/imports/${id}/cancel`)
  assert.deepEqual([canceled.status, canceled.body.data.status], [200, 'canceled'])
  await tenant.work()
  assert.equal((await contactsOf(tenant)).length, 0)
  assert.equal((await tenant.call('POST', `/contacts/imports/${id}/cancel`)).body.error.code, 'INVALID_STATE')
  assert.equal((await tenant.call('POST', `/contacts/imports/${id}/undo`)).status, 200)
  await tenant.work()
  assert.equal((await getImport(tenant, id)).import.status, 'undone')
})

test('an import that is canceled halfway keeps its contacts until it is undone', async () => {
  const tenant = await workspace()
  const numbers = Array.from({ length: 2_000 }, (_, index) => `+49309${100_000 + index}`)
  const { id } = (await upload(tenant, `phone\n${numbers.join('\n')}\n`)).body.data
  let is_canceled = false
  const work = async () => {
    while (!is_canceled) await tenant.work()
  }
  let working = Promise.resolve()
  const held = inTransaction(at(tenant.id), async (at) => {
    const taken = newContact({ phone_number: numbers[1_400] })
    await contacts.create(at, [{ ...taken, source: 'api' }])
    working = work()
    while ((await getImport(tenant, id)).import.done < 1_000);
    const canceled = await tenant.call('POST', `/contacts/imports/${id}/cancel`)
    is_canceled = true
    assert.deepEqual([canceled.status, canceled.body.data.status], [200, 'canceled'])
    throw new Error('rolled back')
  })
  await assert.rejects(held, /rolled back/)
  await working
  const { import: stopped } = await getImport(tenant, id)
  assert.deepEqual([stopped.status, stopped.created, stopped.done], ['canceled', 1_000, 1_000])
  assert.equal((await tenant.call('GET', '/contacts')).body.pagination.total, 1_000)
  assert.equal((await tenant.call('POST', `/contacts/imports/${id}/undo`)).status, 200)
  await tenant.work()
  assert.equal((await getImport(tenant, id)).import.status, 'undone')
  assert.equal((await tenant.call('GET', '/contacts')).body.pagination.total, 0)
})

test('the rows of a deleted contact keep only its id', async () => {
  const tenant = await workspace()
  const { id, rows } = await importFile(
    tenant,
    'phone,name\n+14155550100,Ada\n+14155550101,Grace\n+14155550100,Ada again\n',
  )
  await tenant.call('DELETE', `/contacts/${rows[0].contact_id}`)
  const after = await getImport(tenant, id)
  assert.deepEqual(
    after.rows.map(({ values }: { values: object }) => values),
    [{}, { phone: '+14155550101', name: 'Grace' }, {}],
  )
  assert.deepEqual(
    after.rows.map(({ contact_id }: { contact_id: string }) => contact_id),
    rows.map(({ contact_id }: { contact_id: string }) => contact_id),
  )
  const kept = await pool.many<{ rows: unknown }>(sql`select rows from import_chunks where workspace_id = ${tenant.id}`)
  assert.ok(!JSON.stringify(kept).includes('Ada'))
})

test('old files and rows are deleted, so that the import stays but cannot be undone or run', async () => {
  const tenant = await workspace()
  const done = await importFile(tenant, 'phone\n+14155550100\n')
  const dry = await importFile(tenant, 'phone\n+14155550101\n', { is_dry_run: true })
  const canceled = (await upload(tenant, 'phone\n+14155550102\n', { is_dry_run: true })).body.data
  await tenant.call('POST', `/contacts/imports/${canceled.id}/cancel`)
  const day_ms = 24 * 60 * 60 * 1000
  const keptAfter = async (days: number) => {
    await imports.removeOld(at(tenant.id, clock.wall() + days * day_ms))
    const rows = await Promise.all([done, dry].map(({ id }) => tenant.call('GET', `/contacts/imports/${id}/rows`)))
    return rows.map(({ body }) => [body.data.length, body.pagination.total])
  }
  assert.deepEqual(await keptAfter(6.9), [
    [1, 1],
    [1, 1],
  ])
  assert.deepEqual(await keptAfter(7.1), [
    [1, 1],
    [0, 0],
  ])
  assert.deepEqual(await keptAfter(30.1), [
    [0, 0],
    [0, 0],
  ])
  const [kept] = await pool.many<{ count: number }>(
    sql`select count(*) as count from import_files where workspace_id = ${tenant.id}`,
  )
  assert.equal(kept?.count, 0)
  assert.equal((await tenant.call('GET', '/contacts/imports')).body.pagination.total, 3)
  for (const action of [`${done.id}/undo`, `${dry.id}/run`]) {
    const { error } = (await tenant.call('POST', `/contacts/imports/${action}`)).body
    assert.equal(error.code, 'INVALID_STATE')
    assert.match(error.message, /deleted because of its age/)
  }
})
