import { setTimeout as sleep } from 'node:timers/promises'
import { openPool, type Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { databaseOf, withDatabaseName } from '../../test/support/cluster.ts'
import type { Sharded } from './databases.ts'

export const measured_ms = 60_000
/** What the last requests have left to do is done by then. */
const settle_ms = 10_000
/** PostgreSQL shows the last statement of each connection only. */
const look_every_ms = 20
const per_second_max = 4
const shown_max = 8
const shown_length = 150

export interface IdleWorker {
  port: string
  commits_per_second: number
  /** The statements that were seen most often, a second. Each is one task or more: a connection shows its last one. */
  statements: { text: string; per_second: number }[]
}

/** Counts the commits of a service that nobody uses, on each worker node, and looks at what causes them. */
export async function measureIdle({ url, workers }: Sharded, signal: AbortSignal): Promise<IdleWorker[]> {
  await sleep(settle_ms, undefined, { signal })
  const name = databaseOf(url)
  return Promise.all(workers.map((worker) => measureWorker(worker, name, signal)))
}

async function measureWorker(worker: string, name: string, signal: AbortSignal): Promise<IdleWorker> {
  // In another database, so that looking is not counted.
  const pool = openPool({ url: withDatabaseName(worker, 'postgres'), size: 1, onError: console.error })
  try {
    const before = await countCommits(pool, name)
    const started_at = performance.now()
    const seen = new Map<string, string>()
    while (performance.now() - started_at < measured_ms) {
      for (const { key, query } of await statementsNow(pool, name)) seen.set(key, query)
      await sleep(look_every_ms, undefined, { signal })
    }
    const seconds = (performance.now() - started_at) / 1_000
    const commits = (await countCommits(pool, name)) - before
    const texts = Map.groupBy(seen.values(), withoutValues)
    const statements = [...texts]
      .map(([text, times]) => ({ text, per_second: times.length / seconds }))
      .sort((left, right) => right.per_second - left.per_second)
    return {
      port: new URL(worker).port,
      commits_per_second: commits / seconds,
      statements: statements.slice(0, shown_max),
    }
  } finally {
    await pool.close()
  }
}

async function countCommits(pool: Pool, name: string): Promise<number> {
  const { commits } = await pool.one<{ commits: number }>(
    sql`select xact_commit::float8 as commits from pg_stat_database where datname = ${name}`,
  )
  return commits
}

const statementsNow = (pool: Pool, name: string): Promise<{ key: string; query: string }[]> =>
  pool.many(
    sql`select pid || ' ' || query_start as key, coalesce(nullif(query, ''), backend_type) as query from pg_stat_activity
      where datname = ${name} and query_start is not null`,
  )

/** Without the numbers of shards and what differs from one time to the next. */
const withoutValues = (query: string): string =>
  query
    .replace(/\s+/g, ' ')
    .replace(/_\d{6,}\b/g, '')
    .replace(/'[^']*'/g, "'...'")
    .replace(/\b\d+\b/g, 'N')
    .slice(0, shown_length)

export function formatWorker({ port, commits_per_second, statements }: IdleWorker): string {
  const is_met = commits_per_second <= per_second_max
  const verdict = `(at most ${per_second_max}: ${is_met ? 'met' : 'missed'})`
  const lines = statements.map(({ text, per_second }) => `    ${per_second.toFixed(2)}  ${text}`)
  return [`idle, worker at ${port}: ${commits_per_second.toFixed(1)} commits a second ${verdict}`, ...lines].join('\n')
}
