import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { countsOfCall } from '../../server/analytics/counted.ts'
import { add } from '../../server/analytics/counts.ts'
import { findCounted } from '../../server/calls/store.ts'
import { type At, atWall, inTransaction } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { alternate, atMost, type Comparison, timed } from '../comparison.ts'
import { addTenant, batch_size, serviceOn } from '../fill.ts'
import type { Tenant } from '../rows.ts'
import { openClient } from '../scale/client.ts'
import type { Bench } from './simulated.ts'

export const calls = 1_000_000
export const few_calls = 100_000
export const samples = 20
/** Of 30 days that have ended an hour ago. */
const days = 30
const plain_ratio_max = 0.2
const flat_ratio_max = 1.5
const minute_ms = 60_000

const agents = Array.from({ length: 4 }, () => randomUUID())

/** Ids are of the time at which the call was dialled. Six of ten calls are answered by something. */
const fill_calls = `insert into calls (workspace_id, id, direction, status, outcome, agent_id, agent_name, version_label, started_at,
    answered_at, ended_at, duration_ms, turn_p50_ms, cost_micros, is_test, created_at, updated_at)
  select $1, (lpad(to_hex(ms), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid, 'outbound',
    case when n % 10 < 6 then 'completed' else 'failed' end,
    (array['answered', 'answered', 'answered', 'answered', 'voicemail', 'voicemail', 'no_answer', 'no_answer', 'busy', 'rejected'])[1 + n % 10],
    ($2::uuid[])[1 + (n / 10) % 4], 'Caller', 'v1', time, case when n % 10 < 6 then time end, time + interval '2 minutes',
    case when n % 10 < 6 then (exp(10 + 1.2 * random()))::integer end, case when n % 10 < 6 then (400 + 600 * random())::integer end,
    100, false, time, time
  from generate_series(1, $3::integer) as n
  cross join lateral (select $4::bigint + n * ($5::bigint - $4::bigint) / $3::integer as ms) as at
  cross join lateral (select to_timestamp(ms / 1000.0) as time) as times`

const plain = `select day, count(*) as calls, count(*) filter (where outcome = 'answered') as answered, sum(cost_micros) as cost_micros,
    percentile_disc(0.5) within group (order by duration_ms) as duration_p50_ms,
    percentile_disc(0.5) within group (order by turn_p50_ms) as turn_p50_ms
  from (select date_trunc('day', started_at, 'UTC') as day, outcome, cost_micros, duration_ms, turn_p50_ms from calls
    where workspace_id = $1 and not is_test and created_at >= $2 and created_at < $3 and ended_at is not null) as of_days
  group by day order by day`

interface Filled {
  tenant: Tenant
  from: string
  to: string
}

/** Compares the analytics of a workspace with a million calls with plain SQL, and with a tenth of the calls. */
export async function* measureAnalytics(
  stack: AsyncDisposableStack,
  { database, server }: Bench,
  signal: AbortSignal,
): AsyncGenerator<Comparison> {
  const pool = new pg.Pool({ connectionString: database.url, max: 2, idleTimeoutMillis: 0 })
  stack.defer(() => pool.end())
  const fill = async (name: string, count: number): Promise<Filled> => {
    const tenant = await addTenant(database.pool, name)
    const to = clock.wall() - 60 * minute_ms
    const from = to - days * clock.day_ms
    const client = await pool.connect()
    try {
      // Leaves out the checks of foreign keys.
      await client.query('set session_replication_role = replica')
      await client.query(fill_calls, [tenant.workspace_id, agents, count, from, to])
    } finally {
      client.release(true)
    }
    const { rows } = await pool.query('select id from calls where workspace_id = $1 order by id', [tenant.workspace_id])
    const ids = rows.map(({ id }) => id)
    await countCalls(atWall(serviceOn(database.pool), tenant.workspace_id), ids, signal)
    return { tenant, from: clock.iso(from), to: clock.iso(to) }
  }
  const few = await fill('Few calls', few_calls)
  const many = await fill('Many calls', calls)
  await untilSummed(pool, signal)
  await pool.query('vacuum analyze calls, analytics_counts')
  const read = ({ tenant, from, to }: Filled) => {
    const client = openClient(stack, server.port, tenant.token)
    const expected = tenant === many.tenant ? calls : few_calls
    return async () => {
      signal.throwIfAborted()
      return timed(async () => {
        const { data } = await client.get(`/api/v1/analytics/calls?from=${from}&to=${to}`)
        if (data.total.calls !== expected) throw new Error(`${data.total.calls} calls instead of ${expected}`)
      })
    }
  }
  const { tenant, from, to } = many
  const readPlain = () => timed(() => pool.query(plain, [tenant.workspace_id, from, to]))
  const [of_many, of_few, by_sql] = await alternate(samples, read(many), read(few), readPlain)
  yield atMost('GET /analytics/calls in ms, beside plain SQL', of_many, by_sql, plain_ratio_max)
  yield atMost('GET /analytics/calls in ms, beside 100,000', of_many, of_few, flat_ratio_max)
}

/** Counts calls that are there, as the service counts each when it ends. */
async function countCalls(at: At, ids: string[], signal: AbortSignal): Promise<void> {
  for (let start = 0; start < ids.length; start += batch_size) {
    signal.throwIfAborted()
    await inTransaction(at, async (at) => {
      const batch = await findCounted(at, ids.slice(start, start + batch_size))
      await add(
        at,
        batch.flatMap((call) => countsOfCall(at, call)),
      )
    })
  }
}

/** The service sums up what was counted every minute. */
async function untilSummed(pool: pg.Pool, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { rows } = await pool.query('select 1 from analytics_counts where not is_sum limit 1')
    if (rows.length === 0) return
    await sleep(1_000, undefined, { signal })
  }
}
