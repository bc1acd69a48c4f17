import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { addTestTenant, advance, type Bench } from '../calls/simulated.ts'
import { atLeast, atMost, type Comparison } from '../comparison.ts'
import { addTenant } from '../fill.ts'
import { type Server, startLoad } from '../processes.ts'
import { rows as bench_rows, type Tenant } from '../rows.ts'
import { openClient } from '../scale/client.ts'
import { median } from '../table.ts'
import { addCaller, addContacts, all_day, createCampaign } from './people.ts'

const live_ratio_min = 0.8
const advance_ratio_min = 0.4
const pause_max_ms = 250
export const starts_per_second = 50
const other_workspaces = 8
const other_contacts = 1_000
const rounds = 5
const measured_ms = 1_000
const first_warm_up_ms = 3_000
const warm_up_ms = 300
const probe_ms = 5_000
const probe_every_ms = 10
const poll_every_ms = 200
/** The calls that began first have ended by then, so that as many end as begin. */
const live_warm_up_ms = 30_000
const live_contacts = 6_000
const two_weeks_s = 14 * 86_400

/** What other workspaces notice of campaigns: gets a second, and the longest wait for one. */
export async function* measureOthers(
  stack: AsyncDisposableStack,
  bench: Bench,
  { contacts, signal }: { contacts: number; signal: AbortSignal },
): AsyncGenerator<Comparison> {
  const { pool } = bench.database
  const others = await addOthers(pool)
  const measure = await openMeasure(stack, { server: bench.server, others, signal })
  const without = await measure.gets(() => true)
  {
    const stop = await startLive(stack, bench, signal)
    await sleep(live_warm_up_ms, undefined, { signal })
    const during = await measure.gets(() => true)
    yield atLeast('gets a second during a live campaign, beside none', during, without, live_ratio_min)
    yield atMost('longest get in ms during it, beside the limit', await measure.longest(() => true), pause_max_ms, 1)
    await stop()
  }
  const advancing = await startAdvance(stack, bench, { contacts, signal })
  const longest = await measure.longest(advancing.isGoingOn)
  const during = await measure.gets(advancing.isGoingOn)
  await advancing.ended
  yield atLeast('gets a second during an advance, beside none', during, without, advance_ratio_min)
  yield atMost('longest get in ms during it, beside the limit', longest, pause_max_ms, 1)
}

/** The first one is not asked for anything. */
export async function addOthers(pool: Pool): Promise<Tenant[]> {
  const tenants: Tenant[] = []
  for (let nth = 0; nth <= other_workspaces; nth += 1) {
    const tenant = await addTenant(pool, `Other ${nth}`)
    await addContacts({ pool, tenant, contacts: other_contacts })
    const found = await pool.many<{ id: string }>(
      sql`select id from contacts where workspace_id = ${tenant.workspace_id}`,
    )
    tenants.push({ ...tenant, ids: found.map(({ id }) => id) })
  }
  return tenants
}

interface Measure {
  server: Server
  others: Tenant[]
  signal: AbortSignal
}

export async function openMeasure(stack: AsyncDisposableStack, { server, others, signal }: Measure) {
  const row = bench_rows.find(({ name }) => name === 'get by id over 64 workspaces')?.name ?? ''
  const { port } = server
  const load = startLoad(stack, others, signal)
  const [tenant] = others
  const client = openClient(stack, port, tenant?.token ?? '')
  await load({ row, port, warm_up_ms: first_warm_up_ms, measured_ms, has_own_responses: true })
  return {
    /** The median of some rounds, or of those that begin while it goes on. */
    async gets(isGoingOn: () => boolean): Promise<number> {
      const figures: number[] = []
      for (let round = 0; round < rounds && isGoingOn(); round += 1)
        figures.push((await load({ row, port, warm_up_ms, measured_ms, has_own_responses: true })).per_second)
      if (figures.length === 0) throw new Error('it ended before anything could be measured: use more --rows')
      return median(figures)
    },
    /** In milliseconds, of one request at a time. */
    async longest(isGoingOn: () => boolean): Promise<number> {
      let longest = 0
      const until = performance.now() + probe_ms
      for (let index = 0; performance.now() < until && isGoingOn(); index += 1) {
        const begun_at = performance.now()
        await client.get(`/api/v1/contacts/${tenant?.ids[index % tenant.ids.length]}`)
        longest = Math.max(longest, performance.now() - begun_at)
        await sleep(probe_every_ms, undefined, { signal })
      }
      return longest
    },
  }
}

async function startLive(stack: AsyncDisposableStack, { database, server }: Bench, signal: AbortSignal) {
  const { pool } = database
  const tenant = await addTenant(pool, 'Live')
  const caller = await addCaller(stack, { pool, server, tenant, contacts: live_contacts, is_test: false })
  const settings = { windows: all_day, pacing: { in_flight_max: 10_000, starts_per_second, ramp_minutes: 0 } }
  const id = await createCampaign(caller, { settings, contacts: live_contacts, signal })
  const send = (verb: string) => caller.client.send('POST', `/api/v1/campaigns/${id}/${verb}`, {})
  await send('start')
  return async () => {
    const { starts_last_minute } = (await caller.client.get(`/api/v1/campaigns/${id}/progress`)).data
    console.log(`the live campaign has begun ${starts_last_minute} attempts in the last minute`)
    await send('cancel')
    // Calls that go on would slow down what is measured next.
    while ((await caller.client.get(`/api/v1/campaigns/${id}/progress`)).data.in_flight > 0)
      await sleep(poll_every_ms, undefined, { signal })
  }
}

async function startAdvance(
  stack: AsyncDisposableStack,
  { database, server }: Bench,
  { contacts, signal }: { contacts: number; signal: AbortSignal },
) {
  const { pool } = database
  const tenant = await addTestTenant(pool, 'Advance')
  const caller = await addCaller(stack, { pool, server, tenant, contacts, is_test: true })
  const settings = { pacing: { in_flight_max: 1_000, starts_per_second: 20, ramp_minutes: 0 } }
  const id = await createCampaign(caller, { settings, contacts, signal })
  await caller.client.send('POST', `/api/v1/campaigns/${id}/start`, {})
  let is_going_on = true
  const ended = advance(caller.client, two_weeks_s, signal).finally(() => {
    is_going_on = false
  })
  ended.catch(() => {})
  return { ended, isGoingOn: () => is_going_on }
}
