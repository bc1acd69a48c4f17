import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { sql } from '../../server/kit/postgres/sql.ts'
import { columnsOf } from '../../server/kit/postgres/table.ts'
import { serve } from '../support/harness.ts'

const { pool, workspace } = await serve()
const { id } = await workspace()

const Named = Type.Object({ id: Type.String(), name: Type.String() })

test('the rows of a statement have the type of its columns, and may have more', async () => {
  const find = sql`select ${columnsOf(Named)} from workspaces where id = ${id}`
  const found = await pool.one(find)
  assert.deepEqual(Object.keys(found), ['id', 'name'])
  assert.ok(found.name.startsWith('test '))
  // @ts-expect-error: it has no such column.
  assert.equal(found.kind, undefined)
  // @ts-expect-error: it is no number.
  const numbers: Promise<{ name: number }> = pool.one(find)
  await numbers
  const more = await pool.one<{ id: string; name: string; total: number }>(
    sql`select ${columnsOf(Named)}, 1 as total from workspaces where id = ${id}`,
  )
  assert.equal(more.total, 1)
  // @ts-expect-error: the columns have another type.
  await pool.one<{ total: number }>(sql`select ${columnsOf(Named)} from workspaces where id = ${id}`)
})
