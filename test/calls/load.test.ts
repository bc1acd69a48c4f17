import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../server/kit/postgres/sql.ts'
import { advance, call_start, newCaller, newTestCalls, placeCall } from '../support/calls.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { byForm } from '../support/property-runs.ts'

const server = await serve()

const setLimit = (tenant: Tenant, calls_in_flight_max: number) =>
  server.pool.run(
    sql`update workspaces set settings = settings || ${JSON.stringify({ calls_in_flight_max })} where id = ${tenant.id}`,
  )

/** A short talk. */
const script = { start: 'hi', nodes: { hi: { say: 'Hi. This is a test. Goodbye.', go: '@end' } } }

test('many calls that are due at once all end, each once', async () => {
  const total = byForm({ short: 60, long: 200 })
  const tenant = await server.workspace()
  await newTestCalls(tenant)
  await setLimit(tenant, total)
  const agent_id = await newCaller(tenant, { script })
  const scheduled_at = new Date(call_start + 60_000).toISOString()
  for (let from = 0; from < total; from += 20)
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        placeCall(tenant, { agent_id, scheduled_at, to: `+1415555${String(from + index).padStart(4, '0')}` }),
      ),
    )
  await advance(tenant, 3_600)
  const { ended, events, begun } = await server.pool.one<Record<string, number>>(
    sql`select (select count(*) from calls where workspace_id = ${tenant.id} and ended_at is not null) as ended,
      (select count(distinct resource_id) from events where workspace_id = ${tenant.id} and type = 'call.ended') as events,
      (select count(*) from conversations where workspace_id = ${tenant.id}) as begun`,
  )
  assert.deepEqual({ ended, events, begun }, { ended: total, events: total, begun: total })
})

test('scheduled calls wait for room, the same however the clock advances', async () => {
  const run = async (steps_s: number[]) => {
    const tenant = await server.workspace()
    await newTestCalls(tenant)
    await setLimit(tenant, 2)
    const agent_id = await newCaller(tenant, { script })
    const scheduled_at = new Date(call_start + 10_000).toISOString()
    for (let index = 0; index < 8; index += 1)
      await placeCall(tenant, { agent_id, scheduled_at, to: `+14155550${index}00` })
    for (const step of steps_s) await advance(tenant, step)
    const rows = await server.pool.many<{ started_at: string; ended_at: string }>(
      sql`select to_number, started_at, ended_at from calls where workspace_id = ${tenant.id} order by to_number`,
    )
    const isDuring = (time: string) => rows.filter(({ started_at, ended_at }) => started_at <= time && ended_at > time)
    for (const { started_at } of rows) assert.ok(isDuring(started_at).length <= 2, JSON.stringify(rows))
    return rows
  }
  const steps = Array.from({ length: 20 }, () => 5)
  assert.deepEqual(await run([...steps, 200]), await run([300]))
})
