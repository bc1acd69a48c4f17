import fs from 'node:fs'
import path from 'node:path'
import { raw, sql } from '../../server/kit/postgres/sql.ts'
import { call_tables, copyRows, createCopies } from '../calls/copies.ts'
import { addTestTenant, advance, type Bench } from '../calls/simulated.ts'
import { atLeast, type Comparison } from '../comparison.ts'
import { checkout } from '../database.ts'
import { addCaller, createCampaign } from './people.ts'

const ratio_min = 0.2
const two_weeks_s = 14 * 86_400
const tables = [...call_tables, 'campaign_attempts', 'enrollments']
/** Fast enough to reach everyone in ten working days. */
const settings = { pacing: { in_flight_max: 1_000, starts_per_second: 20, ramp_minutes: 0 } }

/** Rows a second that two weeks of a simulated campaign write, beside COPY of the same rows. */
export async function measureSimulation(
  stack: AsyncDisposableStack,
  { database, server }: Bench,
  { contacts, signal }: { contacts: number; signal: AbortSignal },
): Promise<Comparison> {
  const { pool } = database
  const folder = fs.mkdtempSync(path.join(checkout, '.cache/bench-campaigns-'))
  stack.defer(() => fs.promises.rm(folder, { recursive: true, force: true }))
  await createCopies(pool, tables)
  const tenant = await addTestTenant(pool, 'Simulation')
  const caller = await addCaller(stack, { pool, server, tenant, contacts, is_test: true })
  const id = await createCampaign(caller, { settings, contacts, signal })
  await caller.client.send('POST', `/api/v1/campaigns/${id}/start`, {})
  const seconds = await advance(caller.client, two_weeks_s, signal)
  const { status, counts } = (await caller.client.get(`/api/v1/campaigns/${id}`)).data
  if (status !== 'completed') throw new Error(`the campaign is ${status}: ${JSON.stringify(counts)}`)
  const { workspace_id } = tenant
  let rows = 0
  for (const table of tables) {
    const { total } = await pool.one<{ total: number }>(
      sql`select count(*) as total from ${raw(table)} where workspace_id = ${workspace_id}`,
    )
    rows += total
  }
  const copy_seconds = await copyRows(database, { tables, workspace_id, folder, signal })
  console.log(`${rows.toLocaleString('en')} rows in ${seconds.toFixed(1)} s, by COPY in ${copy_seconds.toFixed(1)} s`)
  return atLeast('simulated rows a second, beside COPY', rows / seconds, rows / copy_seconds, ratio_min)
}
