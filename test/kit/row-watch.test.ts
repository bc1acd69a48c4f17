import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openRowWatch } from '../../server/kit/postgres/row-watch.ts'
import { raw } from '../../server/kit/postgres/sql.ts'
import { waitUntil } from '../faults/client.ts'
import { create } from '../support/contacts.ts'
import { serve, testPool } from '../support/harness.ts'

const { workspace, at } = await serve()
const pool = testPool()
after(() => pool.close())

interface Snapshot {
  id: string
  notes: string | null
}

test('who watches the id of another workspace sees nothing, and keeps nobody from seeing it', async (t) => {
  const [owner, stranger] = [await workspace(), await workspace()]
  const { id } = await create(owner, { notes: 'private' })
  const watch = openRowWatch<Snapshot>(pool, { table: 'contacts', columns: raw('id, notes') })
  const open = (tenant: { id: string }) => {
    const seen: (Snapshot | undefined)[] = []
    t.after(watch.open(at(tenant.id), id, (snapshot) => void seen.push(snapshot)))
    return seen
  }
  const [by_stranger, by_owner] = [open(stranger), open(owner)]
  await waitUntil('both have looked', () => by_stranger.length > 0 && by_owner.length > 0)
  const before = by_owner.length
  await pool.tx(async (db) => db.notify({ topic: 'contacts', workspace: owner.id, id }))
  await waitUntil('the owner is told of a change', () => by_owner.length > before)
  assert.ok(by_owner.every((snapshot) => snapshot?.notes === 'private'))
  assert.ok(by_stranger.every((snapshot) => snapshot === undefined))
})
