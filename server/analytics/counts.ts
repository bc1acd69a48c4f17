import { type InWorkspace, inTransaction } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import { letOthersRun } from '../kit/let-others-run.ts'
import { copyLine } from '../kit/postgres/copy.ts'
import { type IsStopping, inBatches } from '../kit/postgres/in-batches.ts'
import { raw, sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import { localDay, startOfDay } from '../kit/time-zone.ts'
import * as workspaces from '../workspaces/store.ts'
import { columnBucketOf, type Measure } from './histogram.ts'

/*
 * Counts by workspace, kind, quarter of an hour and what the counted things belong to. Transactions only add rows, which others don't wait for;
 * `sumUp` replaces them by their sums a little later, in the quarter and in the day. Readers add up both, so what they read is exact at any time.
 * docs/decisions/0040 says why.
 */

const quarter_ms = 15 * 60_000
const table = 'analytics_counts'

const kinds = ['calls', 'conversations', 'campaigns'] as const
export type Kind = (typeof kinds)[number]

export const keys = ['agent_id', 'agent_version_id', 'channel_id', 'campaign_id', 'outcome'] as const
export type Key = (typeof keys)[number]

export const sums = ['total', 'reached', 'completed', 'handed_over', 'closed', 'turns', 'cost_micros'] as const
export type Sum = (typeof sums)[number]

/** What one thing adds to the counts, or takes away from them. */
export interface Count {
  kind: Kind
  /** The quarter of an hour is the one with this time. */
  time: number
  keys: Partial<Record<Key, string | null>>
  sums: Partial<Record<Sum, number>>
  times?: Partial<Record<Measure, number | null>>
  /** 1 adds it, and -1 takes it away. */
  by?: 1 | -1
}

interface Row extends Record<Key, string | null>, Record<Sum, number> {
  kind: Kind
  is_day: boolean
  start_at: string
  by_bucket: Map<number, number>
}

/** Commits that add rows have this topic. */
export const topic = table

const columns = [
  'workspace_id',
  'id',
  'is_sum',
  'kind',
  'is_day',
  'start_at',
  ...keys,
  ...sums,
  'buckets',
  'bucket_totals',
]

/** Runs in the transaction that changes what is counted. All counts of a quarter with the same keys become one row. */
export async function add(at: InWorkspace, counts: Count[]): Promise<void> {
  const rows = new Rows()
  for (const { kind, time, keys: own, sums: own_sums, times = {}, by = 1 } of counts) {
    const start_at = clock.iso(clock.floorTo(time, quarter_ms))
    const row = rows.get({ kind, is_day: false, start_at, ...no_keys, ...own })
    for (const sum of sums) row[sum] += by * (own_sums[sum] ?? 0)
    // The cast is true because the keys of the literal are measures.
    for (const [measure, time_ms] of Object.entries(times))
      if (time_ms !== null) addToBucket(row, columnBucketOf(measure as Measure, time_ms), by)
  }
  if (await write(at, rows.changed(), { is_sum: false })) at.db.notify({ topic, workspace: at.workspace })
}

const no_keys = { agent_id: null, agent_version_id: null, channel_id: null, campaign_id: null, outcome: null }

/** Rows by their quarter or day, and their keys. */
class Rows {
  readonly #rows = new Map<string, Row>()

  get(key: Pick<Row, 'kind' | 'is_day' | 'start_at' | Key>): Row {
    const { kind, is_day, start_at } = key
    const text = `${kind} ${is_day} ${start_at} ${keys.map((name) => key[name]).join(' ')}`
    const known = this.#rows.get(text)
    if (known) return known
    // The casts are true because all members of a row are listed.
    const zeros = Object.fromEntries(sums.map((sum) => [sum, 0])) as Record<Sum, number>
    const own_keys = Object.fromEntries(keys.map((name) => [name, key[name]])) as Record<Key, string | null>
    const row: Row = { kind, is_day, start_at, ...own_keys, ...zeros, by_bucket: new Map() }
    this.#rows.set(text, row)
    return row
  }

  /** Returns the rows that are more than nothing. */
  changed(): Row[] {
    const isChanged = (row: Row) =>
      sums.some((sum) => row[sum] !== 0) || row.by_bucket.values().some((total) => total !== 0)
    return [...this.#rows.values().filter(isChanged)]
  }
}

const addToBucket = ({ by_bucket }: Row, bucket: number, by: number): void =>
  void by_bucket.set(bucket, (by_bucket.get(bucket) ?? 0) + by)

/** Writes rows. Returns how many there were. */
async function write({ db, workspace }: InWorkspace, rows: Row[], { is_sum }: { is_sum: boolean }): Promise<number> {
  if (rows.length === 0) return 0
  const lines: string[] = []
  for (const row of rows) {
    const buckets = [...row.by_bucket].filter(([, total]) => total !== 0).sort(([left], [right]) => left - right)
    lines.push(
      copyLine([
        workspace,
        newId(),
        is_sum,
        row.kind,
        row.is_day,
        row.start_at,
        ...keys.map((key) => row[key]),
        ...sums.map((sum) => row[sum]),
        toArrayLiteral(buckets.map(([bucket]) => bucket)),
        toArrayLiteral(buckets.map(([, total]) => total)),
      ]),
    )
    // A transaction that adds counts may hold locks for which others wait, so it continues soon. Nobody waits for sums.
    await letOthersRun({ is_urgent: !is_sum })
  }
  await db.copy(table, columns, lines.join(''))
  return rows.length
}

/**
 * One transaction replaces at most this many added rows, of one kind and in this many quarters. It also locks the sums
 * of these quarters.
 */
const batch_rows = 2_000
const batch_quarters = 8

/** Returns the workspaces with rows that were added. */
export const workspacesWithAdded = ({ db }: Pick<InWorkspace, 'db'>): Promise<{ workspace_id: string }[]> =>
  db.many(sql`select distinct workspace_id from analytics_counts where not is_sum`)

/**
 * Replaces rows that were added by their sums, for the quarter and for the day. Several processes may do so at once:
 * then a sum is that of two rows for a while. When the workspace has another time zone than its days, these are summed
 * up anew before. Rows that are added meanwhile are left for the next time, so that it ends.
 */
export async function sumUp(at: InWorkspace, isStopping?: IsStopping): Promise<void> {
  const { time_zone } = await workspaces.readSettings(at)
  await at.db.run(
    sql`insert into analytics_days (workspace_id, time_zone) values (${at.workspace}, ${time_zone})
      on conflict (workspace_id) do nothing`,
  )
  await inTransaction(at, (at) => rebuildDays(at, time_zone))
  const before = newId()
  for (const kind of kinds)
    await inBatches(1, () => inTransaction(at, (at) => sumUpBatch(at, kind, before)), isStopping)
}

type StoredRow = Omit<Row, 'by_bucket'> & { id: string; buckets: number[]; bucket_totals: number[] }

const selected = raw(`id, kind, is_day, start_at, ${[...keys, ...sums].join(', ')}, buckets, bucket_totals`)

/** Sums up added rows with ids before this one. Returns 0 when none is left. */
async function sumUpBatch(at: InWorkspace, kind: Kind, before: string): Promise<0 | 1> {
  const { db, workspace } = at
  const { time_zone } = await db.one<{ time_zone: string }>(
    sql`select time_zone from analytics_days where workspace_id = ${workspace} for share`,
  )
  const found = await db.many<StoredRow>(
    sql`select ${selected} from analytics_counts
      where workspace_id = ${workspace} and kind = ${kind} and id < ${before} and not is_sum
      order by start_at, id limit ${batch_rows} for update skip locked`,
  )
  const quarters = new Set([...new Set(found.map(({ start_at }) => start_at))].slice(0, batch_quarters))
  const added = found.filter(({ start_at }) => quarters.has(start_at))
  if (added.length === 0) return 0
  const days = new Set([...quarters].map((start_at) => dayOf(time_zone, start_at)))
  const added_to = [...new Set(added.map(keyText))]
  const lockSums = (is_day: boolean, starts: Set<string>) =>
    db.many<StoredRow>(
      sql`select ${selected} from analytics_counts
        where workspace_id = ${workspace} and kind = ${kind} and is_day = ${is_day}
          and start_at = any(${[...starts]}::timestamptz[]) and is_sum
          and ${key_text} in (select unnest(${added_to}::text[]))
        order by id for update skip locked`,
    )
  const replaced = [...added, ...(await lockSums(false, quarters)), ...(await lockSums(true, days))]
  await db.run(
    sql`delete from analytics_counts
      where workspace_id = ${workspace} and kind = ${kind} and is_day = any('{false,true}')
        and start_at = any(${[...quarters, ...days]}::timestamptz[])
        and id = any(${toArrayLiteral(replaced.map(({ id }) => id))}::uuid[])`,
  )
  const rows = new Rows()
  await addAllStored(rows, replaced)
  await addAllStored(rows, added, (start_at) => dayOf(time_zone, start_at))
  await write(at, rows.changed(), { is_sum: true })
  return 1
}

/** Returns all keys in one text, as `key_text` has them. */
const keyText = (row: Pick<Row, Key>): string => keys.map((key) => row[key] ?? '').join(' ')
const key_text = raw(`concat_ws(' ', ${keys.map((key) => `coalesce(${key}::text, '')`).join(', ')})`)

const dayOf = (time_zone: string, time: string): string =>
  clock.iso(startOfDay(time_zone, localDay(time_zone, clock.parse(time))))

/** Adds stored rows to their own quarters and days, or to the days of quarters. */
async function addAllStored(rows: Rows, all: StoredRow[], dayWith?: (start_at: string) => string): Promise<void> {
  for (const stored of all) {
    const row = rows.get(dayWith ? { ...stored, is_day: true, start_at: dayWith(stored.start_at) } : stored)
    for (const sum of sums) row[sum] += stored[sum]
    for (const [index, bucket] of stored.buckets.entries()) addToBucket(row, bucket, stored.bucket_totals[index] ?? 0)
    await letOthersRun()
  }
}

/**
 * Sums up the days of another time zone from the quarters. No rows are replaced by their sums meanwhile; nothing else
 * waits.
 */
async function rebuildDays(at: InWorkspace, time_zone: string): Promise<void> {
  const { db, workspace } = at
  const outdated = await db.maybe(
    sql`select from analytics_days where workspace_id = ${workspace} and time_zone <> ${time_zone} for update`,
  )
  if (!outdated) return
  await db.run(sql`delete from analytics_counts where workspace_id = ${workspace} and is_day`)
  for (const kind of kinds) {
    let last: Pick<StoredRow, 'start_at' | 'id'> | undefined
    do {
      const after = last ? sql`and (start_at, id) > (${last.start_at}, ${last.id})` : raw('')
      const found: StoredRow[] = await db.many<StoredRow>(
        sql`select ${selected} from analytics_counts
          where workspace_id = ${workspace} and kind = ${kind} and not is_day and is_sum ${after}
          order by start_at, id limit ${batch_rows}`,
      )
      const rows = new Rows()
      await addAllStored(rows, found, (start_at) => dayOf(time_zone, start_at))
      await write(at, rows.changed(), { is_sum: true })
      last = found.at(-1)
    } while (last !== undefined)
  }
  await db.run(sql`update analytics_days set time_zone = ${time_zone} where workspace_id = ${workspace}`)
}

/** Whether the sums of days are those of this time zone. If not, they soon will be. */
export async function hasDays({ db, workspace }: InWorkspace, time_zone: string): Promise<boolean> {
  const days = await db.maybe<{ time_zone: string }>(
    sql`select time_zone from analytics_days where workspace_id = ${workspace}`,
  )
  if (days && days.time_zone !== time_zone) db.notify({ topic, workspace })
  return days?.time_zone === time_zone
}
