import { grantUnlessOptedOut } from '../consent/grant.ts'
import type { Contact } from '../contacts/schema.ts'
import * as contacts from '../contacts/store.ts'
import { type At, atLater, inTransaction } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { letOthersRun } from '../kit/let-others-run.ts'
import { selectRows } from '../kit/postgres/citus/tenants.ts'
import { copyLine } from '../kit/postgres/copy.ts'
import { sql } from '../kit/postgres/sql.ts'
import { assertHeld, isHeld, type Lease, type RowWork } from '../kit/work/rows.ts'
import { enrollImported } from './campaign.ts'
import { event_types } from './event-types.ts'
import * as files from './files.ts'
import {
  type Candidate,
  compareMatches,
  completeRows,
  createdRow,
  duplicateRow,
  type Match,
  type Row,
  sortRows,
} from './outcome.ts'
import { type ParsedRow, rowParser } from './parse-row.ts'
import type { Import } from './schema.ts'
import { columns, endWork, removeNumbers } from './store.ts'
import { undoBatch } from './undo.ts'

/** This many batches run concurrently: PostgreSQL takes longer to write one than this process to parse it. */
const batches_at_once = 2

type RunningImport = Import & { file_id: string }

/** An import that this process has leased. */
interface Job {
  running: RunningImport
  lease: Lease
}

export const work: RowWork = { table: 'imports', begin, giveUp }

/** Begins an import. The next batches are parsed while the current ones are written. */
async function begin(at: At, lease: Lease): Promise<() => Promise<boolean>> {
  const running = await at.db.maybe<RunningImport>(
    sql`update imports set status = case when status = 'queued' then 'running' else status end,
        started_at = coalesce(started_at, ${clock.iso(at.now)})
      where ${isHeld(lease)} and status in ('queued', 'running', 'undoing')
      returning ${columns}, file_id`,
  )
  if (!running) return async () => false
  if (running.status === 'undoing') return () => undoBatch(atLater(at), lease)
  const job = { running, lease }
  const parse = rowParser(running)
  const parseBatches = async (row: number): Promise<ParsedRow[][]> => {
    const chunks = await files.listChunks(at, { id: running.file_id, row, count: batches_at_once })
    const batches: ParsedRow[][] = []
    for (const chunk of chunks) batches.push(await parseChunk(chunk, parse))
    return batches
  }
  let next = parseBatches(running.done + 1)
  return async () => {
    const batches = await next
    const last = batches.at(-1)?.at(-1)
    if (!last) return finish(atLater(at), job)
    next = parseBatches(last.row_number + 1)
    // An error is thrown where `next` is awaited, which may never happen.
    next.catch(() => {})
    await runBatches(at, job, batches)
    return true
  }
}

async function parseChunk({ first_row, rows }: files.Chunk, parse: ReturnType<typeof rowParser>): Promise<ParsedRow[]> {
  const parsed: ParsedRow[] = []
  for (const [index, cells] of rows.entries()) {
    await letOthersRun()
    parsed.push(parse(cells, first_row + index))
  }
  return parsed
}

/** Runs batches concurrently, but commits them in order. Batches that share a number run one after the other. */
async function runBatches(at: At, job: Job, batches: ParsedRow[][]): Promise<void> {
  const seen = new Set<string>()
  const all: Promise<void>[] = []
  for (const batch of batches) {
    const numbers = batch.flatMap(({ contact }) => contact?.phone_number ?? [])
    const previous = all.at(-1) ?? Promise.resolve()
    if (numbers.some((number) => seen.has(number))) await previous
    for (const number of numbers) seen.add(number)
    const running = runBatch(atLater(at), job, { batch, previous })
    // An error is thrown below, after all batches have ended.
    running.catch(() => {})
    all.push(running)
  }
  const failed = (await Promise.allSettled(all)).find(({ status }) => status === 'rejected')
  if (failed) throw Object(failed).reason
}

interface Batch {
  batch: ParsedRow[]
  /** Resolves when the batch before is committed. */
  previous: Promise<void>
}

/** Imports a batch and records the progress, in one transaction. */
async function runBatch(at: At, { running, lease }: Job, { batch, previous }: Batch): Promise<void> {
  await inTransaction(at, async (at) => {
    const { id, consent, campaign_id, is_dry_run } = running
    const { rows, people } = is_dry_run
      ? { rows: await tryContacts(at, running, batch), people: [] }
      : await writeContacts(at, running, { batch, previous })
    const count = (outcome: Row['outcome']) => rows.filter((row) => row.outcome === outcome).length
    await Promise.all([recordRows(at, lease, rows), previous])
    // Consent is written after the end of the batch before, which could otherwise wait for the ledger that this one has
    // locked.
    if (consent !== null)
      await grantUnlessOptedOut(at, { kind: consent, people, source: 'import', evidence: { import_id: id } })
    const { not_enrolled, error } =
      campaign_id === null ? { not_enrolled: 0, error: null } : await enrollImported(at, { campaign_id, people })
    const changed = await at.db.run(
      sql`update imports
        set done = ${batch.at(-1)?.row_number}, created = created + ${count('created')},
          updated = updated + ${count('updated')}, skipped = skipped + ${count('skipped')},
          refused = refused + ${count('refused')}, not_enrolled = not_enrolled + ${not_enrolled}, attempt = 0,
          error = coalesce(${error}, error)
        where ${isHeld(lease)} and status = 'running'`,
    )
    assertHeld(changed)
  })
}

interface WrittenBatch {
  rows: Row[]
  /**
   * The contacts of the batch that no earlier row has named. Existing ones are needed only for consent or a campaign.
   */
  people: { contact_id: string; phone_number: string; variables: Candidate['variables'] }[]
}

/** Creates new contacts, and updates existing ones if `on_conflict` says so. */
async function writeContacts(
  at: At,
  { id, on_conflict, consent, campaign_id }: RunningImport,
  { batch, previous }: Batch,
): Promise<WrittenBatch> {
  const { candidates, duplicates, refused } = sortRows(batch)
  const inputs = candidates.map(({ contact }) => ({ ...contact, source: 'import' as const }))
  const results = await contacts.createMany(at, { inputs, before_counts: previous })
  const created: Row[] = []
  const people: WrittenBatch['people'] = []
  const matches: Match[] = []
  for (const [index, candidate] of candidates.entries()) {
    const result = results[index]
    if (!result) throw new Error('a row has neither a new contact nor an existing one')
    if ('existing_id' in result) matches.push({ ...candidate, contact_id: result.existing_id })
    else {
      created.push(createdRow(candidate.row_number, result))
      const { variables } = candidate
      people.push({ contact_id: result.id, phone_number: result.phone_number, variables })
    }
  }
  const ids = matches.map(({ contact_id }) => contact_id)
  const first_rows = await firstRowsOf(at, id, ids)
  const must_lock = on_conflict === 'update' || consent !== null || campaign_id !== null
  const locked: Map<string, Contact> = must_lock ? await contacts.lock(at, ids) : new Map()
  const { rows, changes } = compareMatches(matches, { first_rows, contacts: locked, on_conflict })
  const updated = await contacts.update(at, changes)
  for (const result of updated) if (!('id' in result)) throw result
  for (const { contact_id, contact, variables } of matches) {
    const is_first = !first_rows.has(contact_id)
    const { phone_number } = contact
    if (is_first && locked.get(contact_id)?.phone_number === phone_number)
      people.push({ contact_id, phone_number, variables })
  }
  const all = { rows: [...refused, ...created, ...rows], duplicates, updated: updated as Contact[] }
  return { rows: completeRows(all), people }
}

/** Finds the first row of this import that created or matched each of these contacts. */
async function firstRowsOf({ db, workspace }: At, import_id: string, ids: string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await db.many<{ contact_id: string; row_number: number }>(
    sql`select contact_id, min(row_number) as row_number from import_rows
      where workspace_id = ${workspace} and contact_id = any(${ids}::uuid[]) and import_id = ${import_id}
      group by contact_id`,
  )
  return new Map(rows.map(({ contact_id, row_number }) => [contact_id, row_number]))
}

/** Returns the same outcomes as `writeContacts`, without writing contacts. */
async function tryContacts(at: At, { id, on_conflict }: RunningImport, batch: ParsedRow[]): Promise<Row[]> {
  const { candidates, duplicates, refused } = sortRows(batch)
  const numbers = candidates.map(({ contact }) => contact.phone_number)
  const [holders, first_rows] = await Promise.all([
    contacts.idsByNumber(at, numbers),
    recordNumbers(at, id, candidates),
  ])
  const existing = await contacts.getMany(at, [...holders.values()])
  const decided: Row[] = []
  const matches: Match[] = []
  for (const candidate of candidates) {
    const { row_number, contact } = candidate
    const first_row = first_rows.get(contact.phone_number)
    const contact_id = holders.get(contact.phone_number)
    if (first_row !== undefined) decided.push(duplicateRow({ row_number, first_row }, contact_id ?? null))
    else if (contact_id === undefined) decided.push(createdRow(row_number))
    else matches.push({ ...candidate, contact_id })
  }
  const { rows, changes } = compareMatches(matches, { first_rows: new Map(), contacts: existing, on_conflict })
  const updated = changes.flatMap((change) => existing.get(change.id) ?? [])
  return completeRows({ rows: [...refused, ...decided, ...rows], duplicates, updated })
}

/** Records the numbers of a dry run, and returns the earlier rows that had them. */
async function recordNumbers(at: At, import_id: string, candidates: Candidate[]): Promise<Map<string, number>> {
  const { db, workspace } = at
  const numbers = candidates.map(({ contact }) => contact.phone_number)
  const row_numbers = candidates.map(({ row_number }) => row_number)
  const earlier = await db.many<{ phone_number: string; row_number: number }>(
    sql`select phone_number, row_number from import_numbers
      where workspace_id = ${workspace} and import_id = ${import_id} and phone_number = any(${numbers}::text[])`,
  )
  const selected = selectRows(at, {
    columns: sql`${import_id}, phone_number, row_number`,
    from: sql`unnest(${numbers}::text[], ${row_numbers}::integer[]) as seen (phone_number, row_number)`,
  })
  await db.run(
    sql`insert into import_numbers (workspace_id, import_id, phone_number, row_number) ${selected}
      on conflict do nothing`,
  )
  return new Map(earlier.map(({ phone_number, row_number }) => [phone_number, row_number]))
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

async function finish(at: At, { running, lease }: Job): Promise<boolean> {
  if (running.is_dry_run) await removeNumbers(at, running.id)
  const changes = sql`status = 'finished', finished_at = ${clock.iso(at.now)}`
  await inTransaction(at, (at) => endWork(at, { lease, from: ['running'], changes, event_type: event_types.finished }))
  return false
}

async function giveUp(at: At, lease: Lease): Promise<void> {
  const error = 'An internal error occurred repeatedly. Contacts imported so far stay; undo the import to remove them.'
  const changes = sql`status = 'failed', error = ${error}, finished_at = ${clock.iso(at.now)}`
  await endWork(at, { lease, from: ['queued', 'running', 'undoing'], changes, event_type: event_types.finished })
}
