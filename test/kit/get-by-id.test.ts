import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { batchedGetById } from '../../server/kit/postgres/get-by-id.ts'
import { raw, type Sql } from '../../server/kit/postgres/sql.ts'
import { create } from '../support/contacts.ts'
import { serve, testPool } from '../support/harness.ts'
import { recordStatements } from '../support/old-rows.ts'
import { asSharded } from '../support/sharded.ts'

const { workspace } = await serve()
const pool = testPool()
after(() => pool.close())

const getContact = batchedGetById<{ id: string }>(raw('id'), raw('contacts'))

for (const [name, db, statements] of [
  ['one statement', pool, 1],
  ['one statement for each workspace of a sharded database', asSharded(pool), 2],
] as const)
  test(`concurrent gets of two workspaces use ${name}, and each finds its own rows only`, async () => {
    const [first, second] = [await workspace(), await workspace()]
    const ids = [(await create(first)).id, (await create(second)).id]
    const sent: Sql[] = []
    const recorded = recordStatements(db, sent)
    const found = await Promise.all(
      [first, second].flatMap((tenant) => ids.map((id) => getContact(recorded, tenant.id, id).then((row) => row?.id))),
    )
    assert.deepEqual(found, [ids[0], undefined, undefined, ids[1]])
    assert.equal(sent.length, statements)
  })

test('a workspace of a sharded database whose node is down fails alone', async () => {
  const [down, up] = [await workspace(), await workspace()]
  const { id } = await create(up)
  const many: typeof pool.many = (statement) =>
    statement.values.includes(down.id) ? Promise.reject(new Error('the node is down')) : pool.many(statement)
  const db = { ...asSharded(pool), many }
  const [failed, found] = await Promise.allSettled([getContact(db, down.id, id), getContact(db, up.id, id)])
  assert.equal(failed.status, 'rejected')
  assert.deepEqual(found, { status: 'fulfilled', value: { id } })
})
