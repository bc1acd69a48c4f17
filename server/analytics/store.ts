import * as clocks from '../clocks/store.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'
import { invalid } from '../kit/problem.ts'
import * as workspaces from '../workspaces/store.ts'
import { hasDays, type Key, type Kind, type Sum, sums } from './counts.ts'
import { type Measure, measure_width, readColumnBucket } from './histogram.ts'
import { defaultStart, exceededDays, splitPeriod } from './intervals.ts'
import {
  type CallAnalytics,
  type CampaignAnalytics,
  type ConversationAnalytics,
  type Query,
  rows_max,
} from './schema.ts'
import { shareOf } from './wilson.ts'

export const readCalls = (at: At, query: Query): Promise<CallAnalytics> =>
  report(at, 'calls', query, ({ total, reached, cost_micros, by_outcome, medians }) => ({
    calls: total,
    answered: reached,
    by_outcome,
    answer_rate: shareOf(reached, total),
    duration_p50_ms: medians.duration_ms ?? null,
    turn_p50_ms: medians.turn_ms ?? null,
    cost_micros,
  }))

export const readConversations = (at: At, query: Query): Promise<ConversationAnalytics> =>
  report(at, 'conversations', query, ({ total, handed_over, closed, turns, medians }) => ({
    conversations: total,
    handed_over,
    closed,
    turns,
    first_answer_p50_ms: medians.first_answer_ms ?? null,
  }))

export const readCampaigns = (at: At, query: Query): Promise<CampaignAnalytics> =>
  report(at, 'campaigns', query, ({ total, reached, completed }) => ({ attempts: total, reached, completed }))

interface Sums extends Record<Sum, number> {
  by_outcome: Record<string, number>
}

interface MeasuredSums extends Sums {
  medians: Partial<Record<Measure, number>>
}

type Group = Record<string, string | null>

async function report<Shown extends object>(
  at: At,
  kind: Kind,
  query: Query,
  show: (measured: MeasuredSums) => Shown,
): Promise<{ rows: ({ start: string; group: Group } & Shown)[]; total: Shown }> {
  const period = await periodOf(at, query)
  const { starts, end } = splitPeriod(period)
  // The cast is true because the pattern of the query allows no others.
  const group_by = (query.group_by?.split(',') ?? []) as Key[]
  if (new Set(group_by).size < group_by.length)
    throw invalid([{ path: 'group_by', code: 'invalid', message: 'group_by must not name the same field twice.' }])
  const by_day = query.interval !== 'hour' && (await hasDays(at, period.time_zone))
  const counted = countedIn(at, { kind, starts, end, group_by, by_day })
  const rows = await at.db.many<CountedRow>(selectSums(counted))
  if (rows.length > rows_max) throw tooManyRows()
  // These are few, because there are few rows.
  const medians = await at.db.many<MedianRow>(selectMedians(counted))
  const medians_by_key = Map.groupBy(medians, (median) => (median.is_total ? total_key : keyOf(median)))
  const measured = (key: string, row: Sums): MeasuredSums => ({ ...row, medians: mediansOf(medians_by_key.get(key)) })
  const by_start = Map.groupBy(rows, ({ index }) => index)
  return {
    rows: starts.flatMap((start, position) => {
      const index = position + 1
      const empty = group_by.length === 0 ? [{ ...no_sums, index, group_1: null, group_2: null }] : []
      return (by_start.get(index) ?? empty).map((row) => ({
        start: clock.iso(start),
        group: Object.fromEntries(group_by.map((name, place) => [name, place === 0 ? row.group_1 : row.group_2])),
        ...show(measured(keyOf(row), row)),
      }))
    }),
    total: show(measured(total_key, sumOf(rows))),
  }
}

async function periodOf(at: At, { from, to, interval }: Query) {
  for (const [path, time] of Object.entries({ from, to }))
    if (time !== undefined && !clocks.isValidTime(clock.parse(time))) throw otherYears(path)
  const { time_zone } = await workspaces.readSettings(at)
  // One millisecond is added, because what happens in this one belongs to the last interval.
  const end = to === undefined ? at.now + 1 : clock.parse(to)
  const start = from === undefined ? defaultStart({ time_zone, interval, to: end }) : clock.parse(from)
  const period = { time_zone, interval, from: start, to: end }
  if (start >= end) throw invalid([{ path: 'from', code: 'invalid', message: 'from must be before to.' }])
  const days_max = exceededDays(period)
  if (days_max !== undefined)
    throw invalid([
      { path: 'from', code: 'invalid', message: `from must be at most ${days_max} days before to by the ${interval}.` },
    ])
  return period
}

/** Rejects years in which nothing happens, and around which the intervals can't be stored. */
const otherYears = (path: string) =>
  invalid([{ path, code: 'invalid', message: `${path} must be a time of the years 1970 to 9998.` }])

const tooManyRows = () =>
  invalid([
    {
      path: 'group_by',
      code: 'too_many',
      message: `This has more than ${rows_max.toLocaleString('en')} rows. Ask for a shorter time, a longer interval, or group by less.`,
    },
  ])

interface CountedRows {
  /** The number of the interval, from 1 on. */
  index: Sql
  groups: [Sql, Sql]
  sums: readonly Sum[]
  /** The SQL after `from`. */
  from: Sql
}

interface CountedQuery {
  kind: Kind
  starts: number[]
  end: number
  group_by: Key[]
  by_day: boolean
}

const sums_of: Record<Kind, readonly Sum[]> = {
  calls: ['total', 'reached', 'cost_micros'],
  conversations: ['total', 'handed_over', 'closed', 'turns'],
  campaigns: ['total', 'reached', 'completed'],
}

function countedIn({ workspace }: At, { kind, starts, end, group_by, by_day }: CountedQuery): CountedRows {
  const times = starts.map(clock.iso)
  const select = (where: Sql) =>
    sql`select * from analytics_counts where workspace_id = ${workspace} and kind = ${kind} and ${where}
      and start_at >= ${times[0]} and start_at < ${clock.iso(end)}`
  const group = (name: Key | undefined) => raw(name === undefined ? 'null::text' : `${name}::text`)
  return {
    index: sql`width_bucket(start_at, ${times}::timestamptz[])`,
    groups: [group(group_by[0]), group(group_by[1])],
    sums: sums_of[kind],
    // The days have all that was summed up. These are two selections, because each has an index.
    from: by_day
      ? sql`(${select(raw('is_day'))} union all ${select(raw('not is_day and not is_sum'))}) as counted`
      : sql`(${select(raw('not is_day'))}) as counted`,
  }
}

interface CountedRow extends Sums {
  index: number
  group_1: string | null
  group_2: string | null
}

const selectSums = ({ index, groups: [group_1, group_2], sums, from }: CountedRows): Sql => {
  const added = raw(sums.map((sum) => `sum(${sum})::bigint as ${sum}`).join(', '))
  const is_any = raw(sums.map((sum) => `sum(${sum}) <> 0`).join(' or '))
  return sql`select index, group_1, group_2, ${added},
      coalesce(jsonb_object_agg(outcome, total) filter (where outcome is not null and total <> 0), '{}') as by_outcome
    from (select ${index} as index, ${group_1} as group_1, ${group_2} as group_2, outcome, ${added} from ${from}
      group by 1, 2, 3, 4) as by_outcomes
    group by index, group_1, group_2 having ${is_any} order by index, group_1, group_2 limit ${rows_max + 1}`
}

interface MedianRow extends Pick<CountedRow, 'index' | 'group_1' | 'group_2'> {
  is_total: boolean
  bucket: number
}

/**
 * Selects the first bucket up to which there are at least half of the times, for each measure in each row and in all of
 * them.
 */
const selectMedians = ({ index, groups: [group_1, group_2], from }: CountedRows): Sql => {
  const measure = raw(`bucket / ${measure_width}`)
  const of_one = sql`partition by is_total, index, group_1, group_2, ${measure}`
  return sql`select is_total, index, group_1, group_2, bucket
    from (select *, sum(times) over (${of_one} order by bucket) as times_until, sum(times) over (${of_one}) as times_in_all
      from (select grouping(index) = 1 as is_total, index, group_1, group_2, bucket, sum(times) as times
        from (select ${index} as index, ${group_1} as group_1, ${group_2} as group_2, unnest(buckets) as bucket,
            unnest(bucket_totals) as times from ${from}) as each_bucket
        group by grouping sets ((index, group_1, group_2, bucket), (bucket))
        having sum(times) > 0) as in_buckets) as counted
    where times_until * 2 >= times_in_all and (times_until - times) * 2 < times_in_all`
}

const total_key = 'total'
const keyOf = ({ index, group_1, group_2 }: Pick<CountedRow, 'index' | 'group_1' | 'group_2'>): string =>
  `${index} ${group_1} ${group_2}`

const mediansOf = (rows: MedianRow[] = []): MeasuredSums['medians'] =>
  Object.fromEntries(
    rows.map(({ bucket }) => {
      const { measure = '', time_ms } = readColumnBucket(bucket)
      return [measure, time_ms]
    }),
  )

// The cast is true because all members are listed.
const no_sums: Sums = { ...(Object.fromEntries(sums.map((sum) => [sum, 0])) as Record<Sum, number>), by_outcome: {} }

function sumOf(rows: CountedRow[]): Sums {
  const all: Sums = { ...no_sums, by_outcome: {} }
  for (const row of rows) {
    for (const sum of sums) all[sum] += row[sum] ?? 0
    for (const [outcome, total] of Object.entries(row.by_outcome))
      all.by_outcome[outcome] = (all.by_outcome[outcome] ?? 0) + total
  }
  return all
}
