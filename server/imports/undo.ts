import type { Contact, ContactChange } from '../contacts/schema.ts'
import * as contacts from '../contacts/store.ts'
import { type At, inTransaction } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { sql } from '../kit/postgres/sql.ts'
import { assertHeld, isHeld, type Lease, renewed } from '../kit/work/work.ts'
import { event_types } from './event-types.ts'
import { end } from './store.ts'

const rows_at_once = 500

interface Written {
  row_number: number
  outcome: 'created' | 'updated'
  contact_id: string
  written_at: string
  before: ContactChange | null
}

/** Deletes the contacts that a batch of rows created, and restores those that it updated. Skips contacts changed since. */
export async function undoBatch(at: At, lease: Lease): Promise<boolean> {
  return inTransaction(at, async (at) => {
    const rows = await lastWritten(at, lease)
    const last = rows.at(-1)
    if (!last) return finish(at, lease)
    const held = await contacts.lock(
      at,
      rows.map(({ contact_id }) => contact_id),
    )
    const isUntouched = ({ contact_id, written_at }: Written) => held.get(contact_id)?.updated_at === written_at
    const touched = rows.filter((row) => held.has(row.contact_id) && !isUntouched(row))
    const untouched = rows.filter(isUntouched)
    await restore(
      at,
      untouched.filter(({ outcome }) => outcome === 'updated'),
    )
    await contacts.removeLocked(at, createdBy(untouched, held))
    await Promise.all([
      recordSkipped(at, lease, touched),
      at.db
        .run(
          sql`update imports set undone_from = ${last.row_number}, undo_skipped = undo_skipped + ${touched.length},
              ${renewed(at.now)}
            where ${isHeld(lease)} and status = 'undoing'`,
        )
        .then(assertHeld),
    ])
    return true
  })
}

function lastWritten({ db }: At, { workspace, id }: Lease): Promise<Written[]> {
  return db.many<Written>(
    sql`select row_number, outcome, contact_id, written_at, before from import_rows
      where workspace_id = ${workspace} and import_id = ${id} and outcome in ('created', 'updated')
        and row_number < (select undone_from from imports where workspace_id = ${workspace} and id = ${id})
      order by row_number desc limit ${rows_at_once}`,
  )
}

const createdBy = (rows: Written[], held: Map<string, Contact>): Contact[] =>
  rows.filter(({ outcome }) => outcome === 'created').flatMap(({ contact_id }) => held.get(contact_id) ?? [])

async function restore(at: At, rows: Written[]): Promise<void> {
  const changes = rows.map(({ contact_id, before }) => ({
    id: contact_id,
    change: before ?? {},
    is_current: () => true,
  }))
  const results = changes.length > 0 ? await contacts.update(at, changes) : []
  for (const result of results) if (!('id' in result)) throw result
}

async function recordSkipped({ db }: At, { workspace, id }: Lease, rows: Written[]): Promise<void> {
  if (rows.length === 0) return
  await db.run(
    sql`update import_rows set reason = 'Not undone: the contact was changed after the import.'
      where workspace_id = ${workspace} and import_id = ${id}
        and row_number = any(${rows.map(({ row_number }) => row_number)}::integer[])`,
  )
}

async function finish(at: At, lease: Lease): Promise<boolean> {
  const changes = sql`status = 'undone', undone_at = ${clock.iso(at.now)}`
  await end(at, lease, { from: ['undoing'], changes, event_type: event_types.undone })
  return false
}
