import * as events from '../events/store.ts'
import * as clock from '../kit/clock.ts'
import type { KeptFile } from '../kit/http/operation.ts'
import { firstIdOf, newId } from '../kit/id.ts'
import { type IsStopping, inBatches } from '../kit/postgres/in-batches.ts'
import * as page from '../kit/postgres/page.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'
import { invalid, notFound, Problem } from '../kit/problem.ts'
import { cut } from '../kit/text.ts'
import { isHeld, type Lease } from '../kit/work/work.ts'
import * as files from './files.ts'
import { mappingOf } from './mapping.ts'
import type { Import, ImportOptions } from './schema.ts'

export const columns =
  raw(`id, status, is_dry_run, file_name, on_conflict, default_country, columns, mapping, total, done,
  created, updated, skipped, refused, undo_skipped, error, created_at, started_at, finished_at, undone_at`)

const day_ms = 24 * 60 * 60 * 1000
/** How long the file and the rows are kept. A dry run's are of people who may never become contacts. */
const kept_ms = 30 * day_ms
const dry_run_kept_ms = 7 * day_ms
const removed_at_once_max = 10_000
const imports_at_once_max = 1_000

type Input = ImportOptions & { rows?: Record<string, string | null>[] }

/** Takes over the file that was kept, or keeps the rows that were sent. */
export async function create(
  db: Db,
  workspace: string,
  { input, file }: { input: Input; file: KeptFile | undefined },
  now: number,
): Promise<Import> {
  const file_id = file?.id ?? (await files.keepRows(db, workspace, input.rows ?? [], now))
  const { columns: names, row_count } = await files.get(db, workspace, file_id)
  const mapping = mappingOf(names, input.mapping)
  const is_matched = Object.values(mapping).includes('phone_number')
  if (!is_matched && !input.is_dry_run && row_count > 0) throw noPhoneNumbers(names)
  const { is_dry_run, on_conflict } = input
  const file_name = input.file_name ?? file?.name ?? null
  const default_country = input.default_country ?? null
  return insert(
    db,
    workspace,
    { is_dry_run, file_name, on_conflict, default_country, columns: names, mapping, total: row_count },
    file_id,
    now,
  )
}

type Described = Pick<
  Import,
  'is_dry_run' | 'file_name' | 'on_conflict' | 'default_country' | 'columns' | 'mapping' | 'total'
>

function insert(db: Db, workspace: string, said: Described, file_id: string, now: number): Promise<Import> {
  const { is_dry_run, file_name, on_conflict, default_country, columns: names, mapping, total } = said
  const at = clock.iso(now)
  return db.one<Import>(
    sql`insert into imports (workspace_id, id, status, is_dry_run, file_name, on_conflict, default_country, columns, mapping,
        total, file_id, created_at, due_at)
      values (${workspace}, ${newId()}, 'queued', ${is_dry_run}, ${file_name}, ${on_conflict}, ${default_country}, ${names},
        ${JSON.stringify(mapping)}, ${total}, ${file_id}, ${at}, ${at})
      returning ${columns}`,
  )
}

export async function get(db: Db, workspace: string, id: string): Promise<Import> {
  const found = await db.maybe<Import>(
    sql`select ${columns} from imports where workspace_id = ${workspace} and id = ${id}`,
  )
  if (!found) throw notFound()
  return found
}

export const list = (db: Db, workspace: string, query: page.PageQuery): Promise<page.Page<Import>> =>
  page.readSelection(
    db,
    query,
    page.newest_first,
    sql`select ${columns} from imports where workspace_id = ${workspace}`,
  )

/** What is done stays; a batch that is under way is either done or not. */
export async function cancel(db: Db, workspace: string, id: string, now: number): Promise<Import> {
  const changes = sql`status = 'canceled', finished_at = ${clock.iso(now)}, due_at = null,
    lease_token = null, lease_until = null`
  const canceled = await change(db, workspace, id, changes, sql`status in ('queued', 'running')`)
  await events.record(db, workspace, 'import.finished', [{ data: canceled }], now)
  return canceled
}

/** Ends the work on it, if the lease is held and it has such a status: told in the log by the same transaction. */
export async function end(
  db: Db,
  lease: Lease,
  { from, changes, told }: { from: Import['status'][]; changes: Sql; told: events.EventType },
  now: number,
): Promise<void> {
  const ended = await db.maybe<Import>(
    sql`update imports set ${changes}, due_at = null where ${isHeld(lease)} and status = any(${from}::text[])
      returning ${columns}`,
  )
  if (ended) await events.record(db, lease.workspace, told, [{ data: ended }], now)
}

/** From the last row to the first, in the background; after an undo that failed, from where it stopped. */
export function undo(db: Db, workspace: string, id: string, now: number): Promise<Import> {
  const changes = sql`status = 'undoing', due_at = ${clock.iso(now)}, attempt = 0,
    undone_from = coalesce(undone_from, done + 1), error = null`
  const condition = sql`status in ('finished', 'canceled', 'failed') and not is_dry_run and file_id is not null`
  return change(db, workspace, id, changes, condition, notUndoable)
}

/** A finished dry run once more, in earnest. */
export async function runAgain(db: Db, workspace: string, id: string, now: number): Promise<Import> {
  const tried = await db.maybe<Import & { file_id: string | null }>(
    sql`select ${columns}, file_id from imports where workspace_id = ${workspace} and id = ${id} for update`,
  )
  if (!tried) throw notFound()
  if (!tried.is_dry_run || tried.status !== 'finished' || !tried.file_id) throw notRunnable(tried)
  if (tried.refused > 0 && tried.refused === tried.total) {
    throw new Problem('INVALID_STATE', 'All rows were refused: post the file again, with another mapping.')
  }
  return insert(db, workspace, { ...tried, is_dry_run: false }, tried.file_id, now)
}

async function change(
  db: Db,
  workspace: string,
  id: string,
  changes: Sql,
  condition: Sql,
  refusal = notNow,
): Promise<Import> {
  const changed = await db.maybe<Import>(
    sql`update imports set ${changes} where workspace_id = ${workspace} and id = ${id} and ${condition}
      returning ${columns}`,
  )
  if (changed) return changed
  throw refusal(await get(db, workspace, id))
}

/** Files and rows of old imports go, and files that nobody took over; the imports themselves stay. */
export async function removeOld(db: Db, workspace: string, now: number, isStopping?: IsStopping): Promise<void> {
  const old = await db.many<{ id: string }>(
    sql`select id from imports
      where workspace_id = ${workspace} and file_id is not null and due_at is null
        and created_at < case when is_dry_run then ${clock.iso(now - dry_run_kept_ms)}::timestamptz
          else ${clock.iso(now - kept_ms)}::timestamptz end
      order by created_at limit ${imports_at_once_max}`,
  )
  for (const { id } of old) {
    await inBatches(removed_at_once_max, removing(db, 'import_rows', 'row_number', workspace, id), isStopping)
    if (isStopping?.()) return
    await db.run(sql`update imports set file_id = null where workspace_id = ${workspace} and id = ${id}`)
  }
  await files.removeUnused(db, workspace, now - day_ms, isStopping)
  await removeLeftNumbers(db, workspace, isStopping)
}

/** Of dry runs that were canceled or could not go on. From import to import, without reading the numbers of those that run. */
async function removeLeftNumbers(db: Db, workspace: string, isStopping?: IsStopping): Promise<void> {
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
    await inBatches(removed_at_once_max, removing(db, 'import_numbers', 'phone_number', workspace, last), isStopping)
  }
}

/** What a dry run has met is of no use when it has ended. */
export async function forgetNumbers(db: Db, workspace: string, id: string): Promise<void> {
  const removeSome = removing(db, 'import_numbers', 'phone_number', workspace, id)
  while ((await removeSome()) === removed_at_once_max);
}

/** Removes some of an import's rows, so few that nothing waits for it. Gives how many. */
function removing(db: Db, table: string, key: string, workspace: string, id: string): () => Promise<number> {
  const of_import = sql`workspace_id = ${workspace} and import_id = ${id}`
  const column = raw(key)
  const some = sql`select ${column} from ${raw(table)} where ${of_import}
    order by ${column} limit ${raw(String(removed_at_once_max))}`
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
