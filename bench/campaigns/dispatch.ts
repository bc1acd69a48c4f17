import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import * as clock from '../../server/kit/clock.ts'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import type { Bench } from '../calls/simulated.ts'
import { atLeast, type Comparison } from '../comparison.ts'
import { addTenant } from '../fill.ts'
import type { Tenant } from '../rows.ts'
import { addCaller, all_day, createCampaign } from './people.ts'

const ratio_min = 5
/** A campaign begins at most 1,000 attempts a second. */
export const campaigns = 4
export const contacts = 2_000
const plain_starts = 2_000
const poll_every_ms = 20
/** Nobody answers, so that few calls end while others begin. */
const behavior = '01'
const settings = {
  windows: all_day,
  pacing: { in_flight_max: 10_000, starts_per_second: 1_000, ramp_minutes: 0 },
  caps: { per_day: 100, per_week: 500, gap_hours_min: 0 },
}

/** Attempts a second that campaigns begin, beside a loop that begins one at a time. */
export async function measureDispatch(
  stack: AsyncDisposableStack,
  { database, server }: Bench,
  signal: AbortSignal,
): Promise<Comparison> {
  const { pool, url } = database
  const tenants: Tenant[] = []
  const starts: (() => Promise<unknown>)[] = []
  for (let nth = 0; nth < campaigns; nth += 1) {
    const tenant = await addTenant(pool, `Dispatch ${nth}`)
    const caller = await addCaller(stack, { pool, server, tenant, contacts, is_test: false, behavior })
    const id = await createCampaign(caller, { settings, contacts, signal })
    tenants.push(tenant)
    starts.push(() => caller.client.send('POST', `/api/v1/campaigns/${id}/start`, {}))
  }
  const [first] = tenants
  if (!first) throw new Error('there are no campaigns')
  const beside = await startOneByOne(url, first.workspace_id)
  const begun_at = performance.now()
  await Promise.all(starts.map((start) => start()))
  while ((await countAttempts(pool, tenants)) < campaigns * contacts) await sleep(poll_every_ms, undefined, { signal })
  const seconds = (performance.now() - begun_at) / 1_000
  return atLeast('attempts begun a second, beside one by one', (campaigns * contacts) / seconds, beside, ratio_min)
}

async function countAttempts(pool: Pool, tenants: Tenant[]): Promise<number> {
  let all = 0
  for (const { workspace_id } of tenants) {
    const { total } = await pool.one<{ total: number }>(
      sql`select count(*) as total from campaign_attempts where workspace_id = ${workspace_id}`,
    )
    all += total
  }
  return all
}

/** Claims one row and inserts one call, each in a transaction, in copies of the tables. Returns how many a second. */
async function startOneByOne(url: string, workspace_id: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`create table plain_claims (like enrollments including all);
      create table plain_calls (like calls including all)`)
    await client.query('insert into plain_claims select * from enrollments where workspace_id = $1', [workspace_id])
    await client.query('analyze plain_claims')
    const begun_at = performance.now()
    for (let nth = 0; nth < plain_starts; nth += 1) await startOne(client, workspace_id)
    return plain_starts / ((performance.now() - begun_at) / 1_000)
  } finally {
    await client.query('drop table if exists plain_claims, plain_calls')
    await client.end()
  }
}

const claim_one = `update plain_claims set status = 'dialing', attempts = attempts + 1, due_at = null
  where workspace_id = $1 and id = (select id from plain_claims
    where workspace_id = $1 and due_at <= $2 order by due_at, rank, id limit 1 for update skip locked)
  returning id, campaign_id, contact_id, attempts`
const insert_one = `insert into plain_calls (workspace_id, id, direction, status, to_number, contact_id, agent_id, agent_name,
    version_id, version_label, campaign_id, attempt, variables, metadata, is_test, dial_key, created_at, updated_at, due_at)
  select $1, $2, 'outbound', 'queued', phone_number, id, $3, 'Caller', $3, 'v1', $4, $5, '{}', '{}', true, $6, $7, $7, $7
  from contacts where workspace_id = $1 and id = $8`

async function startOne(client: pg.Client, workspace_id: string): Promise<void> {
  const now = clock.iso(clock.wall())
  await client.query('begin')
  const { rows } = await client.query({ name: 'claim_one', text: claim_one, values: [workspace_id, now] })
  const [{ id, campaign_id, contact_id, attempts }] = rows
  const values = [workspace_id, randomUUID(), id, campaign_id, attempts, `${id}:${attempts}`, now, contact_id]
  await client.query({ name: 'insert_one', text: insert_one, values })
  await client.query('commit')
}
