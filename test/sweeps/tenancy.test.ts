import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../server/api.ts'
import { join, raw, sql } from '../../server/kit/postgres/sql.ts'
import { serve } from '../support/harness.ts'
import { hasId, makeSample, pathFor, prepare, sampleBody } from '../support/operations.ts'

const { workspace, pool } = await serve()

const tables = (
  await pool.many<{ table_name: string }>(
    sql`select table_name from information_schema.columns where table_schema = 'public' and column_name = 'workspace_id'`,
  )
).map(({ table_name }) => table_name)

/** In one statement, because there are many tables and operations. */
const allRowsOf = (workspace_id: string): Promise<unknown[]> => {
  const each = tables.map(
    (table) =>
      sql`select ${table}::text as table_name, to_jsonb(stored) - 'last_used_at' as row from ${raw(table)} as stored
        where workspace_id = ${workspace_id}`,
  )
  return pool.many(sql`${join(each, ' union all ')} order by 1, 2`)
}

for (const operation of operations.filter(hasId)) {
  test(`${operation.id} with another workspace's id gets 404, and nothing changes`, async () => {
    const [owner, stranger] = await Promise.all([workspace(), workspace()])
    const id = await makeSample(operation, owner)
    await prepare(operation, owner, id)
    const before = await allRowsOf(owner.id)
    const answer = await stranger.call(operation.method, pathFor(operation, id), sampleBody(operation))
    const unknown = await stranger.call(
      operation.method,
      pathFor(operation, '01a1dd18-9904-726a-94bc-9e3b6ab9ad11'),
      sampleBody(operation),
    )
    assert.equal(answer.status, 404)
    assert.equal(answer.body.error.code, 'NOT_FOUND')
    assert.equal(
      answer.body.error.message,
      unknown.body.error.message,
      'the id of another workspace looks like an unknown id',
    )
    assert.deepEqual(await allRowsOf(owner.id), before)
    const own = await owner.call(operation.method, pathFor(operation, id), sampleBody(operation))
    assert.ok(own.status < 300, own.text)
  })
}

for (const operation of operations.filter(({ kind }) => kind === 'list')) {
  test(`${operation.id} returns nothing of another workspace`, async () => {
    const [owner, stranger] = await Promise.all([workspace(), workspace()])
    const own_id = hasId(operation) ? await makeSample(operation, stranger) : ''
    const before = await stranger.call('GET', pathFor(operation, own_id))
    const other_id = await makeSample(operation, owner)
    const answer = await stranger.call('GET', pathFor(operation, own_id))
    assert.equal(answer.status, 200)
    assert.ok(!answer.text.includes(other_id))
    assert.equal(answer.body.pagination.total, before.body.pagination.total)
  })
}
