import { setImmediate } from 'node:timers/promises'
import type { Contact } from '../contacts/schema.ts'
import * as contacts from '../contacts/store.ts'
import * as clock from '../kit/clock.ts'
import { copyLine } from '../kit/postgres/copy.ts'
import type { Db, Pool } from '../kit/postgres/pool.ts'
import { sql } from '../kit/postgres/sql.ts'
import { assertHeld, isHeld, type Lease, renewed, type Work } from '../kit/work/work.ts'
import * as files from './files.ts'
import { type Met, outcomesOf, type Row } from './outcome.ts'
import { type Planned, planner } from './plan.ts'
import type { Import } from './schema.ts'
import { columns, end, forgetNumbers } from './store.ts'
import { undoBatch } from './undo.ts'

/** Then requests get their turn in between. */
const planned_at_once_ms = 10
/** Batches that are written at once: PostgreSQL takes longer for one than reading and checking its rows takes here. */
const batches_at_once = 2

type Running = Import & { file_id: string }

export const work: Work = { table: 'imports', begin, giveUp }

/** Rows are read and checked while those before are being written. */
async function begin(pool: Pool, lease: Lease): Promise<() => Promise<boolean>> {
  const { workspace } = lease
  const now = clock.iso(clock.now())
  const started = await pool.maybe<Running>(
    sql`update imports set status = case status when 'queued' then 'running' else status end,
        started_at = coalesce(started_at, ${now})
      where ${isHeld(lease)} and status in ('queued', 'running', 'undoing')
      returning ${columns}, file_id`,
  )
  if (!started) return async () => false
  if (started.status === 'undoing') return () => undoBatch(pool, lease)
  const plan = planner(started)
  const prepare = async (row: number): Promise<Planned[][]> => {
    const chunks = await files.chunksFrom(pool, workspace, started.file_id, row, batches_at_once)
    const batches: Planned[][] = []
    for (const chunk of chunks) batches.push(await planAll(chunk, plan))
    return batches
  }
  let next = prepare(started.done + 1)
  return async () => {
    const batches = await next
    const last = batches.at(-1)?.at(-1)
    if (!last) return finish(pool, started, lease)
    next = prepare(last.row_number + 1)
    // It is told where it is awaited; a turn may end before.
    next.catch(() => {})
    await carryOutAll(pool, started, lease, batches)
    return true
  }
}

/** At once, but each is committed after the one before. Those that share a number would wait for each other: not these. */
async function carryOutAll(pool: Pool, it: Running, lease: Lease, batches: Planned[][]): Promise<void> {
  const met = new Set<string>()
  const flights: Promise<void>[] = []
  for (const batch of batches) {
    const numbers = batch.flatMap(({ contact }) => contact?.phone_number ?? [])
    const is_apart = numbers.every((number) => !met.has(number))
    const previous = flights.at(-1) ?? Promise.resolve()
    if (!is_apart) await previous
    for (const number of numbers) met.add(number)
    const flight = carryOut(pool, it, lease, batch, previous)
    // It is told below, when all have ended.
    flight.catch(() => {})
    flights.push(flight)
  }
  const failed = (await Promise.allSettled(flights)).find(({ status }) => status === 'rejected')
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

/** All or nothing, together with how far the import is. */
async function carryOut(
  pool: Pool,
  it: Running,
  lease: Lease,
  planned: Planned[],
  previous: Promise<void>,
): Promise<void> {
  const now = clock.now()
  await pool.tx(async (db) => {
    const rows = it.is_dry_run
      ? await tryOut(db, lease.workspace, it, planned)
      : await write(db, lease.workspace, it, planned, now, previous)
    const count = (outcome: Row['outcome']) => rows.filter((row) => row.outcome === outcome).length
    await Promise.all([note(db, lease, rows), previous])
    const changed = await db.run(
      sql`update imports
        set done = ${planned.at(-1)?.row_number}, created = created + ${count('created')},
          updated = updated + ${count('updated')}, skipped = skipped + ${count('skipped')},
          refused = refused + ${count('refused')}, ${renewed(now)}
        where ${isHeld(lease)} and status = 'running'`,
    )
    assertHeld(changed)
  })
}

/** Creates what is new, and updates what is known if that is asked for. */
async function write(
  db: Db,
  workspace: string,
  it: Running,
  planned: Planned[],
  now: number,
  turn: Promise<void>,
): Promise<Row[]> {
  const { firsts, outcomes } = outcomesOf(planned)
  const results = await contacts.createMany(
    db,
    workspace,
    firsts.map(({ contact }) => ({ ...contact, source: 'import' as const })),
    now,
    turn,
  )
  const known = new Map<number, string>()
  for (const [index, { row_number }] of firsts.entries()) {
    const result = results[index]
    if (result && 'id' in result) outcomes.created(row_number, result)
    else known.set(row_number, String(Object(result).details.existing_id))
  }
  const met = await metBefore(db, workspace, it.id, [...known.values()])
  const held = it.on_conflict === 'update' ? await contacts.lock(db, workspace, [...known.values()]) : new Map()
  const changes = outcomes.known(known, met, held, it.on_conflict)
  const changed = await contacts.update(db, workspace, changes, now)
  for (const result of changed) if (!('id' in result)) throw result
  return outcomes.rows(changed as Contact[])
}

/** Which rows of this import have made or met these contacts. */
async function metBefore(db: Db, workspace: string, import_id: string, ids: string[]): Promise<Met> {
  if (ids.length === 0) return new Map()
  const rows = await db.many<{ contact_id: string; row_number: number }>(
    sql`select contact_id, min(row_number) as row_number from import_rows
      where workspace_id = ${workspace} and contact_id = any(${ids}::uuid[]) and import_id = ${import_id}
      group by contact_id`,
  )
  return new Map(rows.map(({ contact_id, row_number }) => [contact_id, row_number]))
}

/** Finds out the same without writing a contact. */
async function tryOut(db: Db, workspace: string, it: Running, planned: Planned[]): Promise<Row[]> {
  const { firsts, outcomes } = outcomesOf(planned)
  const numbers = firsts.map(({ contact }) => contact.phone_number)
  const [holders, met] = await Promise.all([
    contacts.holdersOf(db, workspace, numbers),
    noteNumbers(db, workspace, it.id, firsts),
  ])
  const held = await read(db, workspace, [...holders.values()])
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

/** Without holding them, as nothing is written. */
async function read(db: Db, workspace: string, ids: string[]): Promise<Map<string, Contact>> {
  if (ids.length === 0) return new Map()
  const rows = await db.many<Contact>(
    sql`select ${contacts.columns} from contacts where workspace_id = ${workspace} and id = any(${ids}::uuid[])`,
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** Which numbers earlier rows had. */
async function noteNumbers(
  db: Db,
  workspace: string,
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

const noted = ['workspace_id', 'import_id', 'row_number', 'outcome', 'reason', 'contact_id', 'written_at', 'before']

async function note(db: Db, { workspace, id }: Lease, rows: Row[]): Promise<void> {
  const lines = rows.map(({ row_number, outcome, reason, contact_id, written_at, before }) =>
    copyLine([workspace, id, row_number, outcome, reason, contact_id, written_at, before && JSON.stringify(before)]),
  )
  await db.copy('import_rows', noted, lines.join(''))
}

async function finish(pool: Pool, { id, is_dry_run }: Running, lease: Lease): Promise<boolean> {
  if (is_dry_run) await forgetNumbers(pool, lease.workspace, id)
  const now = clock.now()
  const changes = sql`status = 'finished', finished_at = ${clock.iso(now)}`
  await pool.tx((db) => end(db, lease, { from: ['running'], changes, told: 'import.finished' }, now))
  return false
}

async function giveUp(db: Db, lease: Lease, now: number): Promise<void> {
  const error = 'Something went wrong on our side, again and again. What is done stays; it can be undone.'
  const changes = sql`status = 'failed', error = ${error}, finished_at = ${clock.iso(now)}`
  await end(db, lease, { from: ['queued', 'running', 'undoing'], changes, told: 'import.finished' }, now)
}
