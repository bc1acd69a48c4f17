import type { EventType } from '../events/catalog.ts'
import * as events from '../events/store.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import type { StoredFile } from '../kit/http/operation.ts'
import { firstIdOf, newId } from '../kit/id.ts'
import { type IsStopping, inBatches } from '../kit/postgres/in-batches.ts'
import * as page from '../kit/postgres/page.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'
import { invalid, notFound, Problem } from '../kit/problem.ts'
import { cut } from '../kit/text.ts'
import { isHeld, type Lease } from '../kit/work/work.ts'
import { event_types } from './event-types.ts'
import * as files from './files.ts'
import { mappingOf } from './match-columns.ts'
import type { Import, ImportOptions } from './schema.ts'

export const columns =
  raw(`id, status, is_dry_run, file_name, on_conflict, default_country, columns, mapping, total, done,
  created, updated, skipped, refused, undo_skipped, error, created_at, started_at, finished_at, undone_at`)

const day_ms = 24 * 60 * 60 * 1000
/** How long the file and the rows are kept. A dry run's are of people who may never become contacts. */
const kept_ms = 30 * day_ms
const dry_run_kept_ms = 7 * day_ms
const batch_rows = 10_000
const imports_max = 1_000

type Input = ImportOptions & { rows?: Record<string, string | null>[] }

/** Takes over the uploaded file, or stores the rows that were sent. */
export async function create(at: At, { input, file }: { input: Input; file: StoredFile | undefined }): Promise<Import> {
  const file_id = file?.id ?? (await files.storeRows(at, input.rows ?? []))
  const { columns: names, row_count } = await files.get(at, file_id)
  const mapping = mappingOf(names, input.mapping)
  const is_matched = Object.values(mapping).includes('phone_number')
  if (!is_matched && !input.is_dry_run && row_count > 0) throw noPhoneNumbers(names)
  const { is_dry_run, on_conflict } = input
  const file_name = input.file_name ?? file?.name ?? null
  const default_country = input.default_country ?? null
  const described = { is_dry_run, file_name, on_conflict, default_country, columns: names, mapping, total: row_count }
  return insert(at, described, file_id)
}

type Described = Pick<
  Import,
  'is_dry_run' | 'file_name' | 'on_conflict' | 'default_country' | 'columns' | 'mapping' | 'total'
>

function insert({ db, workspace, now }: At, described: Described, file_id: string): Promise<Import> {
  const { is_dry_run, file_name, on_conflict, default_country, columns: names, mapping, total } = described
  const created_at = clock.iso(now)
  return db.one<Import>(
    sql`insert into imports (workspace_id, id, status, is_dry_run, file_name, on_conflict, default_country, columns, mapping,
        total, file_id, created_at, due_at)
      values (${workspace}, ${newId()}, 'queued', ${is_dry_run}, ${file_name}, ${on_conflict}, ${default_country}, ${names},
        ${JSON.stringify(mapping)}, ${total}, ${file_id}, ${created_at}, ${created_at})
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

/** Contacts imported so far stay. A batch in progress is committed as a whole or not at all. */
export async function cancel(at: At, id: string): Promise<Import> {
  const changes = sql`status = 'canceled', finished_at = ${clock.iso(at.now)}, due_at = null,
    lease_token = null, lease_until = null`
  const canceled = await change(at, id, changes, sql`status in ('queued', 'running')`)
  await events.record(at, event_types.finished, [{ data: canceled }])
  return canceled
}

export interface End {
  /** The import must have one of these statuses. */
  from: Import['status'][]
  changes: Sql
  event_type: EventType
}

/** Ends the work on an import and records the event, if the lease is still held. */
export async function end(at: At, lease: Lease, { from, changes, event_type }: End): Promise<void> {
  const ended = await at.db.maybe<Import>(
    sql`update imports set ${changes}, due_at = null where ${isHeld(lease)} and status = any(${from}::text[])
      returning ${columns}`,
  )
  if (ended) await events.record(at, event_type, [{ data: ended }])
}

/** Undoes from the last row to the first, in the background. Continues an undo that failed. */
export function undo(at: At, id: string): Promise<Import> {
  const changes = sql`status = 'undoing', due_at = ${clock.iso(at.now)}, attempt = 0,
    undone_from = coalesce(undone_from, done + 1), error = null`
  const condition = sql`status in ('finished', 'canceled', 'failed') and not is_dry_run and file_id is not null`
  return change(at, id, changes, condition, notUndoable)
}

/** Runs a finished dry run for real, as a new import. */
export async function runDryRun(at: At, id: string): Promise<Import> {
  const { db, workspace } = at
  const tried = await db.maybe<Import & { file_id: string | null }>(
    sql`select ${columns}, file_id from imports where workspace_id = ${workspace} and id = ${id} for update`,
  )
  if (!tried) throw notFound()
  if (!tried.is_dry_run || tried.status !== 'finished' || !tried.file_id) throw notRunnable(tried)
  if (tried.refused > 0 && tried.refused === tried.total) {
    throw new Problem('INVALID_STATE', 'All rows were refused: post the file again, with another mapping.')
  }
  return insert(at, { ...tried, is_dry_run: false }, tried.file_id)
}

async function change(at: At, id: string, changes: Sql, condition: Sql, refusal = notNow): Promise<Import> {
  const { db, workspace } = at
  const changed = await db.maybe<Import>(
    sql`update imports set ${changes} where workspace_id = ${workspace} and id = ${id} and ${condition}
      returning ${columns}`,
  )
  if (changed) return changed
  throw refusal(await get(at, id))
}

/** Deletes files and rows of old imports, and files that no import took over. The imports themselves stay. */
export async function removeOld(at: At, isStopping?: IsStopping): Promise<void> {
  const { db, workspace, now } = at
  const old = await db.many<{ id: string }>(
    sql`select id from imports
      where workspace_id = ${workspace} and file_id is not null and due_at is null
        and created_at < case when is_dry_run then ${clock.iso(now - dry_run_kept_ms)}::timestamptz
          else ${clock.iso(now - kept_ms)}::timestamptz end
      order by created_at limit ${imports_max}`,
  )
  for (const { id } of old) {
    await inBatches(batch_rows, batchRemoval(at, id, { table: 'import_rows', key: 'row_number' }), isStopping)
    if (isStopping?.()) return
    await db.run(sql`update imports set file_id = null where workspace_id = ${workspace} and id = ${id}`)
  }
  await files.removeUnused(at, now - day_ms, isStopping)
  await removeLeftNumbers(at, isStopping)
}

/** Deletes the phone numbers of dry runs that were canceled or failed, without reading those of imports that run. */
async function removeLeftNumbers(at: At, isStopping?: IsStopping): Promise<void> {
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
    await inBatches(batch_rows, batchRemoval(at, last, numbers), isStopping)
  }
}

/** Deletes the phone numbers that a dry run has seen. */
export async function removeNumbers(at: At, id: string): Promise<void> {
  const removeSome = batchRemoval(at, id, numbers)
  while ((await removeSome()) === batch_rows);
}

const numbers = { table: 'import_numbers', key: 'phone_number' }

/** Returns a function that deletes a batch of an import's rows, and returns how many. */
function batchRemoval(
  { db, workspace }: At,
  id: string,
  { table, key }: { table: string; key: string },
): () => Promise<number> {
  const of_import = sql`workspace_id = ${workspace} and import_id = ${id}`
  const column = raw(key)
  const some = sql`select ${column} from ${raw(table)} where ${of_import}
    order by ${column} limit ${raw(String(batch_rows))}`
  return () => db.run(sql`delete from ${raw(table)} where ${of_import} and ${column} = any(array(${some}))`)
}

const noPhoneNumbers = (names: string[]) =>
  invalid([
    {
      path: 'mapping',
      code: 'required',
      message: `No column is matched to phone_number. The columns are: ${cut(names.join(', '), 500)}.`,
    },
  ])

const notNow = ({ status, is_dry_run }: Pick<Import, 'status' | 'is_dry_run'>) =>
  new Problem(
    'INVALID_STATE',
    `This is not possible with ${is_dry_run ? 'a dry run' : 'an import'} that is ${status}.`,
    {
      status,
    },
  )

const notRunnable = (it: Pick<Import, 'status' | 'is_dry_run'>) =>
  it.is_dry_run
    ? notNow(it)
    : new Problem('INVALID_STATE', 'Only a dry run can be run, and this import is none.', { status: it.status })

const notUndoable = (it: Pick<Import, 'status' | 'is_dry_run'>) =>
  it.is_dry_run
    ? new Problem('INVALID_STATE', 'A dry run has written nothing: undo the import that running it created.', {
        status: it.status,
      })
    : notNow(it)
