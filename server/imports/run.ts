import { setImmediate } from 'node:timers/promises'
import type { Contact } from '../contacts/schema.ts'
import * as contacts from '../contacts/store.ts'
import { type At, atNow, inTransaction, type Service } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { copyLine } from '../kit/postgres/copy.ts'
import { sql } from '../kit/postgres/sql.ts'
import { assertHeld, isHeld, type Lease, renewed, type Work } from '../kit/work/work.ts'
import { event_types } from './event-types.ts'
import * as files from './files.ts'
import { type Met, outcomesOf, type Row } from './outcome.ts'
import { type Planned, planner } from './parse-row.ts'
import type { Import } from './schema.ts'
import { columns, end, removeNumbers } from './store.ts'
import { undoBatch } from './undo.ts'

/** Yields to requests after planning for this long. */
const planned_at_once_ms = 10
/** Concurrent batches: PostgreSQL takes longer to write one than this process to read and check its rows. */
const batches_at_once = 2

type Running = Import & { file_id: string }

export const work: Work = { table: 'imports', begin, giveUp }

/** Reads and checks rows while those before them are written. */
async function begin(service: Service, lease: Lease): Promise<() => Promise<boolean>> {
  const at = () => atNow(service, lease.workspace)
  const now = clock.iso(clock.now())
  const started = await service.pool.maybe<Running>(
    sql`update imports set status = case status when 'queued' then 'running' else status end,
        started_at = coalesce(started_at, ${now})
      where ${isHeld(lease)} and status in ('queued', 'running', 'undoing')
      returning ${columns}, file_id`,
  )
  if (!started) return async () => false
  if (started.status === 'undoing') return () => undoBatch(at(), lease)
  const plan = planner(started)
  const prepare = async (row: number): Promise<Planned[][]> => {
    const chunks = await files.listChunks(at(), { id: started.file_id, row, count: batches_at_once })
    const batches: Planned[][] = []
    for (const chunk of chunks) batches.push(await planAll(chunk, plan))
    return batches
  }
  let next = prepare(started.done + 1)
  return async () => {
    const batches = await next
    const last = batches.at(-1)?.at(-1)
    if (!last) return finish(at(), started, lease)
    next = prepare(last.row_number + 1)
    // A failure is thrown where this is awaited. The turn may end before.
    next.catch(() => {})
    await runBatches(at(), started, lease, batches)
    return true
  }
}

/** Runs batches concurrently, but commits them in order. Batches that share a number run one after the other. */
async function runBatches(at: At, it: Running, lease: Lease, batches: Planned[][]): Promise<void> {
  const met = new Set<string>()
  const all: Promise<void>[] = []
  for (const batch of batches) {
    const numbers = batch.flatMap(({ contact }) => contact?.phone_number ?? [])
    const is_apart = numbers.every((number) => !met.has(number))
    const previous = all.at(-1) ?? Promise.resolve()
    if (!is_apart) await previous
    for (const number of numbers) met.add(number)
    const running = runBatch({ ...at, now: clock.now() }, it, lease, batch, previous)
    // A failure is thrown below, when all have ended.
    running.catch(() => {})
    all.push(running)
  }
  const failed = (await Promise.allSettled(all)).find(({ status }) => status === 'rejected')
  if (failed) throw Object(failed).reason
}

async function planAll({ first_row, rows }: files.Chunk, plan: ReturnType<typeof planner>): Promise<Planned[]> {
  const planned: Planned[] = []
  let until = clock.ticks() + planned_at_once_ms
  for (const [index, cells] of rows.entries()) {
    if (clock.ticks() > until) {
      await setImmediate()
      until = clock.ticks() + planned_at_once_ms
    }
    planned.push(plan(cells, first_row + index))
  }
  return planned
}

/** Imports a batch and records the progress, in one transaction. */
async function runBatch(at: At, it: Running, lease: Lease, planned: Planned[], previous: Promise<void>): Promise<void> {
  await inTransaction(at, async (at) => {
    const rows = it.is_dry_run ? await tryOut(at, it, planned) : await write(at, it, planned, previous)
    const count = (outcome: Row['outcome']) => rows.filter((row) => row.outcome === outcome).length
    await Promise.all([recordRows(at, lease, rows), previous])
    const changed = await at.db.run(
      sql`update imports
        set done = ${planned.at(-1)?.row_number}, created = created + ${count('created')},
          updated = updated + ${count('updated')}, skipped = skipped + ${count('skipped')},
          refused = refused + ${count('refused')}, ${renewed(at.now)}
        where ${isHeld(lease)} and status = 'running'`,
    )
    assertHeld(changed)
  })
}

/** Creates new contacts, and updates existing ones if `on_conflict` says so. */
async function write(at: At, it: Running, planned: Planned[], turn: Promise<void>): Promise<Row[]> {
  const { firsts, outcomes } = outcomesOf(planned)
  const inputs = firsts.map(({ contact }) => ({ ...contact, source: 'import' as const }))
  const results = await contacts.createMany(at, { inputs, turn })
  const known = new Map<number, string>()
  for (const [index, { row_number }] of firsts.entries()) {
    const result = results[index]
    if (result && 'id' in result) outcomes.created(row_number, result)
    else known.set(row_number, String(Object(result).details.existing_id))
  }
  const met = await seenBefore(at, it.id, [...known.values()])
  const held = it.on_conflict === 'update' ? await contacts.lock(at, [...known.values()]) : new Map()
  const changes = outcomes.known(known, met, held, it.on_conflict)
  const changed = await contacts.update(at, changes)
  for (const result of changed) if (!('id' in result)) throw result
  return outcomes.rows(changed as Contact[])
}

/** The first row of this import that created or matched each of these contacts. */
async function seenBefore({ db, workspace }: At, import_id: string, ids: string[]): Promise<Met> {
  if (ids.length === 0) return new Map()
  const rows = await db.many<{ contact_id: string; row_number: number }>(
    sql`select contact_id, min(row_number) as row_number from import_rows
      where workspace_id = ${workspace} and contact_id = any(${ids}::uuid[]) and import_id = ${import_id}
      group by contact_id`,
  )
  return new Map(rows.map(({ contact_id, row_number }) => [contact_id, row_number]))
}

/** Like `write`, without writing contacts. */
async function tryOut(at: At, it: Running, planned: Planned[]): Promise<Row[]> {
  const { firsts, outcomes } = outcomesOf(planned)
  const numbers = firsts.map(({ contact }) => contact.phone_number)
  const [holders, met] = await Promise.all([contacts.idsByNumber(at, numbers), recordNumbers(at, it.id, firsts)])
  const held = await contacts.getMany(at, [...holders.values()])
  const known = new Map<number, string>()
  for (const { row_number, contact } of firsts) {
    const earlier = met.get(contact.phone_number)
    const holder = holders.get(contact.phone_number)
    if (earlier !== undefined) outcomes.repeated(row_number, earlier, holder ?? null)
    else if (holder === undefined) outcomes.created(row_number, undefined)
    else known.set(row_number, holder)
  }
  const changes = outcomes.known(known, new Map(), held, it.on_conflict)
  return outcomes.rows(changes.map(({ id }) => held.get(id)).filter((contact) => contact !== undefined))
}

/** Records the numbers of these rows, and returns the earlier rows that had them. */
async function recordNumbers(
  { db, workspace }: At,
  import_id: string,
  firsts: { row_number: number; contact: { phone_number: string } }[],
): Promise<Met> {
  const rows = await db.many<{ phone_number: string; row_number: number }>(
    sql`select phone_number, row_number from import_numbers
      where workspace_id = ${workspace} and import_id = ${import_id}
        and phone_number = any(${firsts.map(({ contact }) => contact.phone_number)}::text[])`,
  )
  await db.run(
    sql`insert into import_numbers (workspace_id, import_id, phone_number, row_number)
      select ${workspace}, ${import_id}, phone_number, row_number
      from unnest(${firsts.map(({ contact }) => contact.phone_number)}::text[],
        ${firsts.map(({ row_number }) => row_number)}::integer[]) as met (phone_number, row_number)
      on conflict do nothing`,
  )
  return new Map(rows.map(({ phone_number, row_number }) => [phone_number, row_number]))
}

const row_columns = [
  'workspace_id',
  'import_id',
  'row_number',
  'outcome',
  'reason',
  'contact_id',
  'written_at',
  'before',
]

async function recordRows({ db }: At, { workspace, id }: Lease, rows: Row[]): Promise<void> {
  const lines = rows.map(({ row_number, outcome, reason, contact_id, written_at, before }) =>
    copyLine([workspace, id, row_number, outcome, reason, contact_id, written_at, before && JSON.stringify(before)]),
  )
  await db.copy('import_rows', row_columns, lines.join(''))
}

async function finish(at: At, { id, is_dry_run }: Running, lease: Lease): Promise<boolean> {
  if (is_dry_run) await removeNumbers(at, id)
  const changes = sql`status = 'finished', finished_at = ${clock.iso(clock.now())}`
  await inTransaction(at, (at) => end(at, lease, { from: ['running'], changes, event_type: event_types.finished }))
  return false
}

async function giveUp(at: At, lease: Lease): Promise<void> {
  const error = 'Something went wrong on our side, again and again. What is done stays; it can be undone.'
  const changes = sql`status = 'failed', error = ${error}, finished_at = ${clock.iso(at.now)}`
  await end(at, lease, { from: ['queued', 'running', 'undoing'], changes, event_type: event_types.finished })
}
