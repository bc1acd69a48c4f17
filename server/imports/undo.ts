import type { Contact, ContactChange } from '../contacts/schema.ts'
import * as contacts from '../contacts/store.ts'
import { type At, inTransaction } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { sql } from '../kit/postgres/sql.ts'
import { assertHeld, isHeld, type Lease } from '../kit/work/rows.ts'
import { event_types } from './event-types.ts'
import { endWork } from './store.ts'

const rows_per_batch = 500

interface WrittenRow {
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
    const locked = await contacts.lock(
      at,
      rows.map(({ contact_id }) => contact_id),
    )
    const isUnchanged = ({ contact_id, written_at }: WrittenRow) => locked.get(contact_id)?.updated_at === written_at
    const changed = rows.filter((row) => locked.has(row.contact_id) && !isUnchanged(row))
    const unchanged = rows.filter(isUnchanged)
    await restore(
      at,
      unchanged.filter(({ outcome }) => outcome === 'updated'),
    )
    await contacts.removeLocked(at, createdBy(unchanged, locked))
    await Promise.all([
      recordSkipped(at, lease, changed),
      at.db
        .run(
          sql`update imports set undone_from = ${last.row_number}, undo_skipped = undo_skipped + ${changed.length},
              attempt = 0
            where ${isHeld(lease)} and status = 'undoing'`,
        )
        .then(assertHeld),
    ])
    return true
  })
}

function lastWritten({ db }: At, { workspace, id }: Lease): Promise<WrittenRow[]> {
  return db.many<WrittenRow>(
    sql`select row_number, outcome, contact_id, written_at, before from import_rows
      where workspace_id = ${workspace} and import_id = ${id} and outcome in ('created', 'updated')
        and row_number < (select undone_from from imports where workspace_id = ${workspace} and id = ${id})
      order by row_number desc limit ${rows_per_batch}`,
  )
}

const createdBy = (rows: WrittenRow[], locked: Map<string, Contact>): Contact[] =>
  rows.filter(({ outcome }) => outcome === 'created').flatMap(({ contact_id }) => locked.get(contact_id) ?? [])

async function restore(at: At, rows: WrittenRow[]): Promise<void> {
  const changes = rows.map(({ contact_id, before }) => ({
    id: contact_id,
    change: before ?? {},
    isCurrent: () => true,
  }))
  const results = changes.length > 0 ? await contacts.update(at, changes) : []
  for (const result of results) if (!('id' in result)) throw result
}

async function recordSkipped({ db }: At, { workspace, id }: Lease, rows: WrittenRow[]): Promise<void> {
  if (rows.length === 0) return
  await db.run(
    sql`update import_rows set reason = 'Not undone: the contact was changed after the import.'
      where workspace_id = ${workspace} and import_id = ${id}
        and row_number = any(${rows.map(({ row_number }) => row_number)}::integer[])`,
  )
}

async function finish(at: At, lease: Lease): Promise<boolean> {
  const changes = sql`status = 'undone', undone_at = ${clock.iso(at.now)}`
  await endWork(at, { lease, from: ['undoing'], changes, event_type: event_types.undone })
  return false
}
