import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { selectRows } from '../kit/postgres/citus/tenants.ts'
import { type IsStopping, inBatches } from '../kit/postgres/in-batches.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import type { StoredChannel } from './store.ts'

const minute_ms = 60_000
const kept_ms = 40 * clock.day_ms
const delete_batch_max = 2_000

export type LimitedChannel = Pick<StoredChannel, 'id' | 'messages_per_minute_max' | 'messages_per_day_max'>

export interface Reserved {
  /** This many of the wanted messages may be sent now. */
  granted: number
  /** When more may be sent. Null if all were granted. */
  retry_at: number | null
}

interface Row {
  channel_id: string
  period: 'minute' | 'day'
  messages: number
}

const beginOf = (now: number, period_ms: number): number => Math.floor(now / period_ms) * period_ms

/**
 * Counts messages that are about to be sent, and grants what the limits of the current minute and day (UTC) leave. The counts
 * stay locked until the transaction ends, so that processes never exceed a limit together.
 */
export async function reserve(
  at: At,
  { channels, wanted }: { channels: LimitedChannel[]; wanted: Map<string, number> },
): Promise<Map<string, Reserved>> {
  const asking = channels.filter(({ id }) => (wanted.get(id) ?? 0) > 0)
  if (asking.length === 0) return new Map()
  const rows = await lockCounts(
    at,
    asking.map(({ id }) => id),
  )
  const sent = (id: string, period: Row['period']) =>
    rows.find((row) => row.channel_id === id && row.period === period)?.messages ?? 0
  const reserved = new Map(
    asking.map((channel): [string, Reserved] => {
      const { id, messages_per_minute_max, messages_per_day_max } = channel
      const left = {
        minute: Math.max(0, messages_per_minute_max - sent(id, 'minute')),
        day: Math.max(0, messages_per_day_max - sent(id, 'day')),
      }
      return [id, grant(at.now, wanted.get(id) ?? 0, left)]
    }),
  )
  await addMessages(at, reserved)
  return reserved
}

function grant(now: number, wanted: number, left: Record<Row['period'], number>): Reserved {
  const granted = Math.min(wanted, left.minute, left.day)
  const period_ms = granted === left.day ? clock.day_ms : minute_ms
  return { granted, retry_at: granted === wanted ? null : beginOf(now, period_ms) + period_ms }
}

/** Locks the counts of the current minute and day, always in the same order, and adds their rows if needed. */
function lockCounts(at: At, ids: string[]): Promise<Row[]> {
  const { db, now } = at
  const rows = [...new Set(ids)].sort().flatMap((id) => [
    { id, period: 'day', began_at: clock.iso(beginOf(now, clock.day_ms)) },
    { id, period: 'minute', began_at: clock.iso(beginOf(now, minute_ms)) },
  ])
  const selected = selectRows(at, {
    columns: raw('row.*'),
    from: sql`unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ period }) => period)}::text[],
      ${rows.map(({ began_at }) => began_at)}::timestamptz[]) as row (channel_id, period, began_at)`,
  })
  return db.many<Row>(
    sql`insert into channel_usage (workspace_id, channel_id, period, began_at) ${selected}
      on conflict (workspace_id, channel_id, period, began_at) do update set messages = channel_usage.messages
      returning channel_id, period, messages`,
  )
}

async function addMessages({ db, workspace, now }: At, reserved: Map<string, Reserved>): Promise<void> {
  const granted = [...reserved].filter(([, { granted }]) => granted > 0)
  if (granted.length === 0) return
  await db.run(
    sql`update channel_usage set messages = channel_usage.messages + row.messages
      from unnest(${granted.map(([id]) => id)}::uuid[], ${granted.map(([, one]) => one.granted)}::integer[])
        as row (channel_id, messages)
      where workspace_id = ${workspace} and channel_usage.channel_id = row.channel_id
        and ((period = 'minute' and began_at = ${clock.iso(beginOf(now, minute_ms))})
          or (period = 'day' and began_at = ${clock.iso(beginOf(now, clock.day_ms))}))`,
  )
}

/** Adds the tokens of answers, in the transaction that writes these. */
export async function addTokens(at: At, uses: { channel_id: string; tokens: number }[]): Promise<void> {
  const sums = new Map<string, number>()
  for (const { channel_id, tokens } of uses) sums.set(channel_id, (sums.get(channel_id) ?? 0) + tokens)
  const used = [...sums].filter(([, tokens]) => tokens > 0).sort(([a], [b]) => (a < b ? -1 : 1))
  if (used.length === 0) return
  const selected = selectRows(at, {
    columns: sql`row.channel_id, 'day', ${clock.iso(beginOf(at.now, clock.day_ms))}::timestamptz, row.tokens`,
    from: sql`unnest(${used.map(([id]) => id)}::uuid[], ${used.map(([, tokens]) => tokens)}::bigint[])
      as row (channel_id, tokens)`,
  })
  await at.db.run(
    sql`insert into channel_usage (workspace_id, channel_id, period, began_at, tokens) ${selected}
      on conflict (workspace_id, channel_id, period, began_at)
        do update set tokens = channel_usage.tokens + excluded.tokens`,
  )
}

/** Returns whether the channel has used the tokens that it may use in a day. */
export async function isOverTokens(
  { db, workspace, now }: At,
  { id, tokens_per_day_max }: Pick<StoredChannel, 'id' | 'tokens_per_day_max'>,
): Promise<boolean> {
  if (tokens_per_day_max === null) return false
  const found = await db.maybe<{ tokens: number }>(
    sql`select tokens from channel_usage where workspace_id = ${workspace} and channel_id = ${id} and period = 'day'
      and began_at = ${clock.iso(beginOf(now, clock.day_ms))}`,
  )
  return (found?.tokens ?? 0) >= tokens_per_day_max
}

export async function removeOld({ db, workspace, now }: At, isStopping?: IsStopping): Promise<void> {
  const oldest = sql`select began_at from channel_usage
    where workspace_id = ${workspace} and began_at < ${clock.iso(now - kept_ms)}
    order by began_at limit ${raw(String(delete_batch_max))}`
  const removeBatch = () =>
    db.run(sql`delete from channel_usage where workspace_id = ${workspace} and began_at = any(array(${oldest}))`)
  await inBatches(delete_batch_max, removeBatch, isStopping)
}
