import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { inTransaction } from '../../server/kit/at.ts'
import { raw, sql } from '../../server/kit/postgres/sql.ts'
import * as workspaces from '../../server/workspaces/store.ts'
import { serve, testPool } from '../support/harness.ts'

const { workspace } = await serve()
const pool = testPool()
after(() => pool.close())

/** Where the workspace is locked, by a statement of another transaction. */
const isLockedIn = async (table: 'tenants' | 'workspaces', id: string) =>
  (await pool.run(
    sql`select from ${raw(table === 'tenants' ? 'tenants where workspace_id' : 'workspaces where id')} = ${id}
      for no key update skip locked`,
  )) === 0

test('every workspace has a row in tenants, which ends with it', async () => {
  const { id } = await workspace()
  const count = () => pool.run(sql`select from tenants where workspace_id = ${id}`)
  assert.equal(await count(), 1)
  await pool
    .tx(async (db) => {
      await db.run(sql`delete from workspaces where id = ${id}`)
      assert.equal(await db.run(sql`select from tenants where workspace_id = ${id}`), 0)
      throw new Error('keep it')
    })
    .catch(() => {})
  assert.equal(await count(), 1)
})

test('a workspace is locked by its row in tenants, and by no row of a table that each node has', async () => {
  const { id } = await workspace()
  await inTransaction({ db: pool, workspace: id }, async (at) => {
    await workspaces.lock(at)
    assert.equal(await isLockedIn('tenants', id), true)
    assert.equal(await isLockedIn('workspaces', id), false)
  })
})

test('whoever shares a workspace is noticed, and waits for nobody', async () => {
  const at = { db: pool, workspace: (await workspace()).id }
  await inTransaction(at, async (sharing) => {
    await workspaces.shareUnless(sharing, raw('true'))
    assert.equal(await workspaces.isShared(at), false)
    await workspaces.shareUnless(sharing, raw('false'))
    assert.equal(await workspaces.isShared(at), true)
    await inTransaction(at, workspaces.lock)
  })
  assert.equal(await workspaces.isShared(at), false)
})
