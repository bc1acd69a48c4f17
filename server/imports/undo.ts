import type { Contact, ContactChange } from '../contacts/schema.ts'
import * as contacts from '../contacts/store.ts'
import * as clock from '../kit/clock.ts'
import type { Db, Pool } from '../kit/postgres/pool.ts'
import { sql } from '../kit/postgres/sql.ts'
import { assertHeld, isHeld, type Lease, renewed } from '../kit/work/work.ts'
import { end } from './store.ts'

const rows_at_once = 500

interface Written {
  row_number: number
  outcome: 'created' | 'updated'
  contact_id: string
  written_at: string
  before: ContactChange | null
}

/** What a batch of rows made goes, what they changed goes back; a contact that was changed since stays as it is. */
export async function undoBatch(pool: Pool, lease: Lease): Promise<boolean> {
  const now = clock.now()
  return pool.tx(async (db) => {
    const rows = await lastWritten(db, lease)
    const last = rows.at(-1)
    if (!last) return finish(db, lease, now)
    const held = await contacts.lock(
      db,
      lease.workspace,
      rows.map(({ contact_id }) => contact_id),
    )
    const isUntouched = ({ contact_id, written_at }: Written) => held.get(contact_id)?.updated_at === written_at
    const touched = rows.filter((row) => held.has(row.contact_id) && !isUntouched(row))
    const untouched = rows.filter(isUntouched)
    await putBack(
      db,
      lease.workspace,
      untouched.filter(({ outcome }) => outcome === 'updated'),
      now,
    )
    await contacts.removeLocked(db, lease.workspace, madeBy(untouched, held), now)
    await Promise.all([
      noteTouched(db, lease, touched),
      db
        .run(
          sql`update imports set undone_from = ${last.row_number}, undo_skipped = undo_skipped + ${touched.length},
              ${renewed(now)}
            where ${isHeld(lease)} and status = 'undoing'`,
        )
        .then(assertHeld),
    ])
    return true
  })
}

function lastWritten(db: Db, { workspace, id }: Lease): Promise<Written[]> {
  return db.many<Written>(
    sql`select row_number, outcome, contact_id, written_at, before from import_rows
      where workspace_id = ${workspace} and import_id = ${id} and outcome in ('created', 'updated')
        and row_number < (select undone_from from imports where workspace_id = ${workspace} and id = ${id})
      order by row_number desc limit ${rows_at_once}`,
  )
}

const madeBy = (rows: Written[], held: Map<string, Contact>): Contact[] =>
  rows.filter(({ outcome }) => outcome === 'created').flatMap(({ contact_id }) => held.get(contact_id) ?? [])

async function putBack(db: Db, workspace: string, rows: Written[], now: number): Promise<void> {
  const changes = rows.map(({ contact_id, before }) => ({
    id: contact_id,
    change: before ?? {},
    is_current: () => true,
  }))
  const results = changes.length > 0 ? await contacts.update(db, workspace, changes, now) : []
  for (const result of results) if (!('id' in result)) throw result
}

async function noteTouched(db: Db, { workspace, id }: Lease, rows: Written[]): Promise<void> {
  if (rows.length === 0) return
  await db.run(
    sql`update import_rows set reason = 'Not undone: the contact was changed after the import.'
      where workspace_id = ${workspace} and import_id = ${id}
        and row_number = any(${rows.map(({ row_number }) => row_number)}::integer[])`,
  )
}

async function finish(db: Db, lease: Lease, now: number): Promise<boolean> {
  const changes = sql`status = 'undone', undone_at = ${clock.iso(now)}`
  await end(db, lease, { from: ['undoing'], changes, told: 'import.undone' }, now)
  return false
}
