import * as calls from '../calls/store.ts'
import * as campaigns from '../campaigns/counted.ts'
import * as conversations from '../conversations/counted.ts'
import { type At, inTransaction, newTool } from '../kit/at.ts'
import { firstIdOf } from '../kit/id.ts'
import { setBounded } from '../kit/limits/bounded-map.ts'
import { type IsStopping, inBatches } from '../kit/postgres/in-batches.ts'
import { sql } from '../kit/postgres/sql.ts'
import { countOfConversation, countsOfAttempt, countsOfCall } from './counted.ts'
import { add, type Count, type Kind, kinds } from './counts.ts'

/*
 * Counts what was written before there were counts. Each kind is read in the order of ids, a batch in a transaction that also moves
 * `counted_until`. Whoever changes something with an id before `live_from` shares the row of the fill: if the fill has not come so far, it is
 * not counted now, but with the rest, as it is then. A fill begins only after `live_from`: processes of the version before, which count
 * nothing, have ended by then. A workspace that is newer than the counts has no fills.
 */

/** Something may be committed this long after it got its id. */
const late_ms = 60_000
const workspaces_known_max = 10_000

/** By workspace, the id from which on everything is counted when it is written. Null if that is all. */
export const knownLiveFrom = newTool(() => new Map<string, string | null>())

/** Leaves out what a fill will count. */
export async function withoutUnfilled<Changed>(
  at: At,
  kind: Kind,
  { changes, idOf }: { changes: Changed[]; idOf: (changed: Changed) => string },
): Promise<Changed[]> {
  const live_from = await readLiveFrom(at)
  if (live_from === null || changes.every((one) => idOf(one) >= live_from)) return changes
  const fill = await at.db.maybe<{ counted_until: string }>(
    sql`select counted_until from analytics_fills where workspace_id = ${at.workspace} and kind = ${kind} for share`,
  )
  if (!fill) return changes
  return changes.filter((one) => idOf(one) >= live_from || idOf(one) <= fill.counted_until)
}

/** All fills of a workspace have the same one, which stays as it is. Who still has it after the last fill finds that there is none. */
async function readLiveFrom(at: At): Promise<string | null> {
  const { db, workspace } = at
  const known = knownLiveFrom.of(at)
  const cached = known.get(workspace)
  if (cached !== undefined) return cached
  const [fill] = await db.many<{ live_from: string }>(
    sql`select live_from from analytics_fills where workspace_id = ${workspace} limit 1`,
  )
  const live_from = fill?.live_from ?? null
  setBounded(known, workspace, live_from, workspaces_known_max)
  return live_from
}

export const workspacesToFill = ({ db }: Pick<At, 'db'>): Promise<{ workspace_id: string }[]> =>
  db.many(sql`select distinct workspace_id from analytics_fills`)

interface FillOptions {
  now?: () => number
  batch_rows?: number
}

/** Goes on where the last one has ended. The time of an id is wall time, so `now` is the database's. Tests set the options. */
export async function fill(
  at: At,
  isStopping?: IsStopping,
  { now = () => at.db.time(), batch_rows = 500 }: FillOptions = {},
): Promise<void> {
  for (const kind of kinds)
    await inBatches(batch_rows, () => inTransaction(at, (at) => fillBatch(at, kind, now(), batch_rows)), isStopping)
}

interface Batch {
  /** How many rows were read, and the id of the last one. */
  rows: number
  last: string | undefined
  counts: Count[]
}

type Range = { after: string; before: string; limit: number }

const readers: Record<Kind, (at: At, range: Range) => Promise<Batch>> = {
  async calls(at, range) {
    const rows = await calls.readCounted(at, range)
    return { rows: rows.length, last: rows.at(-1)?.id, counts: rows.flatMap((call) => countsOfCall(at, call)) }
  },
  async conversations(at, range) {
    const { count, last, progress } = await conversations.readProgress(at, range)
    return { rows: count, last, counts: progress.map(countOfConversation) }
  },
  async campaigns(at, range) {
    const { count, last, attempts } = await campaigns.readCounted(at, range)
    return { rows: count, last, counts: attempts.flatMap((attempt) => countsOfAttempt(at, attempt)) }
  },
}

/** Returns how many rows were read. The fill ends where everything is counted when it is written. */
async function fillBatch(at: At, kind: Kind, now: number, batch_rows: number): Promise<number> {
  const { db, workspace } = at
  const of_fill = sql`workspace_id = ${workspace} and kind = ${kind}`
  const fill = await db.maybe<{ counted_until: string; live_from: string }>(
    sql`select counted_until, live_from from analytics_fills where ${of_fill} for update`,
  )
  if (!fill) return 0
  const { counted_until: after, live_from: before } = fill
  if (firstIdOf(now - late_ms) < before) return 0
  const { rows, last, counts } = await readers[kind](at, { after, before, limit: batch_rows })
  await add(at, counts)
  if (rows < batch_rows) await db.run(sql`delete from analytics_fills where ${of_fill}`)
  else if (last !== undefined) await db.run(sql`update analytics_fills set counted_until = ${last} where ${of_fill}`)
  return rows
}
