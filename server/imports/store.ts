import type { EventType } from '../events/catalog.ts'
import * as events from '../events/store.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import type { StoredFile } from '../kit/http/uploaded-file.ts'
import { firstIdOf, newId } from '../kit/id.ts'
import { type IsStopping, inBatches } from '../kit/postgres/in-batches.ts'
import * as page from '../kit/postgres/page.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'
import { invalid, notFound, Problem } from '../kit/problem.ts'
import { truncate } from '../kit/text.ts'
import { announce, isHeld, type Lease } from '../kit/work/rows.ts'
import { assertEnrollable } from './campaign.ts'
import { event_types } from './event-types.ts'
import * as files from './files.ts'
import { matchColumns } from './match-columns.ts'
import type { Import, ImportOptions } from './schema.ts'

export const columns =
  raw(`id, status, is_dry_run, file_name, on_conflict, default_country, consent, campaign_id, columns, mapping, total, done,
  created, updated, skipped, refused, not_enrolled, undo_skipped, error, created_at, started_at, finished_at, undone_at`)

/**
 * Files and rows are kept this long. Those of a dry run, which are kept for a shorter time, are about people who may
 * never become contacts.
 */
const kept_ms = 30 * clock.day_ms
const dry_run_kept_ms = 7 * clock.day_ms
const delete_batch_rows = 10_000
/** One run deletes at most this many imports. The next one deletes the rest. */
const old_imports_max = 1_000

type Input = ImportOptions & { rows?: Record<string, string | null>[] }

/** Takes over the uploaded file, or stores the rows that were sent. */
export async function create(at: At, { input, file }: { input: Input; file: StoredFile | undefined }): Promise<Import> {
  const file_id = file?.id ?? (await files.storeRows(at, input.rows ?? []))
  const { columns: names, row_count } = await files.get(at, file_id)
  const { default_country = null, consent = null, campaign_id = null } = input
  const mapping = matchColumns(names, { requested: input.mapping, has_variables: campaign_id !== null })
  const has_numbers = Object.values(mapping).includes('phone_number')
  if (!has_numbers && !input.is_dry_run && row_count > 0) throw phoneNumberNotMapped(names)
  const { is_dry_run, on_conflict } = input
  const file_name = input.file_name ?? file?.name ?? null
  if (campaign_id !== null) await assertEnrollable(at, campaign_id)
  const settings = { is_dry_run, file_name, on_conflict, default_country, consent, campaign_id }
  return insert(at, { ...settings, columns: names, mapping, total: row_count, file_id })
}

type Options = 'is_dry_run' | 'file_name' | 'on_conflict' | 'default_country' | 'consent' | 'campaign_id'
type NewImport = Pick<Import, Options | 'columns' | 'mapping' | 'total'> & { file_id: string }

function insert(at: At, input: NewImport): Promise<Import> {
  const { db, workspace, now } = at
  announce(at, { table: 'imports' })
  const { is_dry_run, file_name, on_conflict, default_country, consent, campaign_id } = input
  const { columns: names, mapping, total, file_id } = input
  const created_at = clock.iso(now)
  return db.one<Import>(
    sql`insert into imports (workspace_id, id, status, is_dry_run, file_name, on_conflict, default_country, consent, campaign_id,
        columns, mapping, total, file_id, created_at, due_at)
      values (${workspace}, ${newId()}, 'queued', ${is_dry_run}, ${file_name}, ${on_conflict}, ${default_country}, ${consent},
        ${campaign_id}, ${names}, ${JSON.stringify(mapping)}, ${total}, ${file_id}, ${created_at}, ${created_at})
      returning ${columns}`,
  )
}

export async function get({ db, workspace }: At, id: string): Promise<Import> {
  const found = await db.maybe<Import>(
    sql`select ${columns} from imports where workspace_id = ${workspace} and id = ${id}`,
  )
  if (!found) throw notFound()
  return found
}

export const list = ({ db, workspace }: At, query: page.PageQuery): Promise<page.Page<Import>> =>
  page.readSelection(
    db,
    query,
    page.newest_first,
    sql`select ${columns} from imports where workspace_id = ${workspace}`,
  )

/** Cancels an import. Contacts imported so far stay. A batch in progress is committed as a whole or not at all. */
export async function cancel(at: At, id: string): Promise<Import> {
  const changes = sql`status = 'canceled', finished_at = ${clock.iso(at.now)}, due_at = null,
    lease_token = null, lease_until = null`
  const condition = sql`status in ('queued', 'running')`
  const canceled = await changeStatus(at, { id, changes, condition, toProblem: wrongStatus })
  await events.record(at, event_types.finished, [{ data: canceled }])
  return canceled
}

export interface WorkEnd {
  lease: Lease
  /** The statuses of which the import must have one. */
  from: Import['status'][]
  changes: Sql
  event_type: EventType
}

/** Ends the work on an import and records the event, if the lease is still held. */
export async function endWork(at: At, { lease, from, changes, event_type }: WorkEnd): Promise<void> {
  const ended = await at.db.maybe<Import>(
    sql`update imports set ${changes}, due_at = null where ${isHeld(lease)} and status = any(${from}::text[])
      returning ${columns}`,
  )
  if (ended) await events.record(at, event_type, [{ data: ended }])
}

const undoable_statuses: Import['status'][] = ['finished', 'canceled', 'failed']

/** Undoes from the last row to the first, in the background. Continues an undo that failed. */
export function undo(at: At, id: string): Promise<Import> {
  announce(at, { table: 'imports' })
  const changes = sql`status = 'undoing', due_at = ${clock.iso(at.now)}, attempt = 0,
    undone_from = coalesce(undone_from, done + 1), error = null`
  const condition = sql`status = any(${undoable_statuses}::text[]) and not is_dry_run
    and file_id is not null`
  return changeStatus(at, { id, changes, condition, toProblem: notUndoable })
}

/** Creates an import from a finished dry run, with the same file and options. */
export async function runDryRun(at: At, id: string): Promise<Import> {
  const { db, workspace } = at
  const dry_run = await db.maybe<Import & { file_id: string | null }>(
    sql`select ${columns}, file_id from imports where workspace_id = ${workspace} and id = ${id} for update`,
  )
  if (!dry_run) throw notFound()
  const { is_dry_run, status, file_id, refused, total } = dry_run
  if (!is_dry_run || status !== 'finished' || !file_id) throw notRunnable(dry_run)
  if (refused > 0 && refused === total) {
    throw new Problem('INVALID_STATE', 'The dry run refused all rows. Upload the file again with another mapping.')
  }
  return insert(at, { ...dry_run, is_dry_run: false, file_id })
}

type Status = Pick<Import, 'status' | 'is_dry_run'>

interface StatusChange {
  id: string
  changes: Sql
  condition: Sql
  /** Makes the error for an import that doesn't meet the condition. */
  toProblem: (it: Status) => Problem
}

async function changeStatus(at: At, { id, changes, condition, toProblem }: StatusChange): Promise<Import> {
  const { db, workspace } = at
  const changed = await db.maybe<Import>(
    sql`update imports set ${changes} where workspace_id = ${workspace} and id = ${id} and ${condition}
      returning ${columns}`,
  )
  if (changed) return changed
  throw toProblem(await get(at, id))
}

/** Deletes files and rows of old imports, and files that no import took over. The imports themselves stay. */
export async function removeOld(at: At, isStopping?: IsStopping): Promise<void> {
  const { db, workspace, now } = at
  const old = await db.many<{ id: string }>(
    sql`select id from imports
      where workspace_id = ${workspace} and file_id is not null and due_at is null
        and created_at < case when is_dry_run then ${clock.iso(now - dry_run_kept_ms)}::timestamptz
          else ${clock.iso(now - kept_ms)}::timestamptz end
      order by created_at limit ${old_imports_max}`,
  )
  for (const { id } of old) {
    await inBatches(delete_batch_rows, batchRemoval(at, id, { table: 'import_rows', key: 'row_number' }), isStopping)
    if (isStopping?.()) return
    await db.run(sql`update imports set file_id = null where workspace_id = ${workspace} and id = ${id}`)
  }
  await files.removeUnused(at, { before: now - clock.day_ms, isStopping })
  await removeUnusedNumbers(at, isStopping)
}

/** Deletes the phone numbers of dry runs that were canceled or failed. Skips from import to import along the index. */
async function removeUnusedNumbers(at: At, isStopping?: IsStopping): Promise<void> {
  const { db, workspace } = at
  let last = firstIdOf(0)
  for (;;) {
    const next = await db.maybe<{ import_id: string; is_due: boolean }>(
      sql`select import_id, exists (select from imports
          where workspace_id = ${workspace} and imports.id = import_id and due_at is not null) as is_due
        from import_numbers where workspace_id = ${workspace} and import_id > ${last} order by import_id limit 1`,
    )
    if (!next || isStopping?.()) return
    last = next.import_id
    if (next.is_due) continue
    await inBatches(delete_batch_rows, batchRemoval(at, last, numbers), isStopping)
  }
}

/** Deletes the phone numbers that a dry run recorded. */
export async function removeNumbers(at: At, id: string): Promise<void> {
  const removeBatch = batchRemoval(at, id, numbers)
  while ((await removeBatch()) === delete_batch_rows);
}

const numbers = { table: 'import_numbers', key: 'phone_number' }

/** Returns a function that deletes one batch of an import's rows, and returns their number. */
function batchRemoval(
  { db, workspace }: At,
  id: string,
  { table, key }: { table: string; key: string },
): () => Promise<number> {
  const of_import = sql`workspace_id = ${workspace} and import_id = ${id}`
  const column = raw(key)
  const batch = sql`select ${column} from ${raw(table)} where ${of_import}
    order by ${column} limit ${raw(String(delete_batch_rows))}`
  return () => db.run(sql`delete from ${raw(table)} where ${of_import} and ${column} = any(array(${batch}))`)
}

const phoneNumberNotMapped = (names: string[]) =>
  invalid([
    {
      path: 'mapping',
      code: 'required',
      message: `No column is mapped to phone_number. The columns are: ${truncate(names.join(', '), 500)}.`,
    },
  ])

const wrongStatus = ({ status, is_dry_run }: Status): Problem =>
  notPossible(`Not possible: ${is_dry_run ? 'the dry run' : 'the import'} is ${status}.`, status)

function notRunnable(it: Status): Problem {
  const { is_dry_run, status } = it
  if (!is_dry_run) return notPossible('Only a dry run can be run. This is an import.', status)
  if (status !== 'finished') return wrongStatus(it)
  return notPossible('The file of this dry run was deleted because of its age. Upload it again.', status)
}

function notUndoable(it: Status): Problem {
  const { is_dry_run, status } = it
  if (is_dry_run) {
    return notPossible('A dry run writes nothing. Undo the import that was created by running it.', status)
  }
  if (!undoable_statuses.includes(status)) return wrongStatus(it)
  return notPossible('The rows of this import were deleted because of its age. It can no longer be undone.', status)
}

const notPossible = (message: string, status: Import['status']): Problem =>
  new Problem('INVALID_STATE', message, { status })
