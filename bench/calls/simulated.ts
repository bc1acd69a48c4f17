import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as api_keys from '../../server/api-keys/store.ts'
import { newToken } from '../../server/api-keys/token.ts'
import { insert, newCall } from '../../server/calls/queue.ts'
import * as clocks from '../../server/clocks/store.ts'
import { atWall, inTransaction } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import * as workspaces from '../../server/workspaces/store.ts'
import { alternate, atLeast, type Comparison } from '../comparison.ts'
import { checkout, type Database } from '../database.ts'
import { serviceOn } from '../fill.ts'
import type { Server } from '../processes.ts'
import type { Tenant } from '../rows.ts'
import { type Client, openClient } from '../scale/client.ts'
import { call_tables, copyRows, createCopies } from './copies.ts'

export const calls = 2_000
export const rounds = 3
const ratio_min = 0.2
const batch_size = 500
/** Longer than a call with a friendly person. */
const advance_seconds = 900
const poll_every_ms = 20

export interface Bench {
  database: Database
  server: Server
}

/** Simulated calls a second, beside COPY of their rows. */
export async function measureCalls(
  stack: AsyncDisposableStack,
  { database, server }: Bench,
  signal: AbortSignal,
): Promise<Comparison> {
  const folder = fs.mkdtempSync(path.join(checkout, '.cache/bench-calls-'))
  stack.defer(() => fs.promises.rm(folder, { recursive: true, force: true }))
  await createCopies(database.pool, call_tables)
  let round = 0
  let tenant: Tenant | undefined
  const [ours, beside] = await alternate(
    rounds,
    async () => {
      signal.throwIfAborted()
      round += 1
      tenant = await addTestTenant(database.pool, `Calls ${round}`)
      const client = openClient(stack, server.port, tenant.token)
      await queueCalls(database.pool, tenant, await createAgent(client))
      return calls / (await advanceCalls(client, signal))
    },
    async () => {
      const workspace_id = tenant?.workspace_id ?? ''
      return calls / (await copyRows(database, { tables: call_tables, workspace_id, folder, signal }))
    },
  )
  return atLeast('simulated calls a second, beside COPY', ours, beside, ratio_min)
}

export function addTestTenant(pool: Pool, name: string): Promise<Tenant> {
  return inTransaction(atWall(serviceOn(pool), ''), async (at) => {
    const workspace = await workspaces.create(at, { name, kind: 'test' })
    if (!workspace) throw new Error(`the workspace ${name} already exists`)
    const token = newToken()
    const inWorkspace = { ...at, workspace: workspace.id }
    await clocks.create(inWorkspace, { seed: clocks.default_seed })
    await api_keys.create(inWorkspace, { token, key: { name: 'Load', scopes: null, expires_at: null } })
    return { workspace_id: workspace.id, token, ids: [] }
  })
}

export const script = {
  start: 'ask',
  nodes: {
    ask: {
      say: 'Hello, this is the office of Acme. Is Tuesday at nine all right for your appointment?',
      on: [
        { intent: 'yes', go: 'booked' },
        { intent: 'no', go: 'bye' },
      ],
      else: { say: 'Is Tuesday at nine all right?', go: 'ask' },
    },
    booked: { say: 'Good, you are booked for Tuesday at nine. Thank you, and goodbye.', go: '@end' },
    bye: { say: 'I see. Goodbye.', go: '@end' },
  },
}

interface Agent {
  id: string
  name: string
  deployed_version: { id: string; version_label: string }
}

async function createAgent(client: Client): Promise<Agent> {
  await client.send('PATCH', '/api/v1/workspace', { settings: { calls_in_flight_max: 10_000 } })
  return (await client.send('POST', '/api/v1/agents', { name: 'Caller', script })).data
}

/** All numbers end in 00, so that friendly people answer. */
async function queueCalls(pool: Pool, { workspace_id }: Tenant, agent: Agent): Promise<void> {
  const { now } = await pool.one<{ now: string }>(sql`select now from test_clocks where workspace_id = ${workspace_id}`)
  const due_at = clock.parse(now)
  for (let start = 0; start < calls; start += batch_size) {
    await inTransaction({ ...atWall(serviceOn(pool), workspace_id, due_at), is_test: true }, (at) =>
      insert(
        at,
        Array.from({ length: batch_size }, (_, index) =>
          newCall(at, {
            agent,
            version: agent.deployed_version,
            channel: null,
            contact_id: null,
            campaign_id: null,
            to: `+1415${5_000_000 + (start + index) * 100}`,
            attempt: 1,
            metadata: {},
            is_test: true,
            status: 'queued',
            scheduled_at: null,
          }),
        ),
      ),
    )
  }
}

async function advanceCalls(client: Client, signal: AbortSignal): Promise<number> {
  const seconds = await advance(client, advance_seconds, signal)
  const { total } = (await client.get('/api/v1/calls?limit=1&status=completed')).pagination
  if (total !== calls) throw new Error(`${total} of ${calls} calls were completed`)
  return seconds
}

/** Advances the clock, and returns how many seconds it takes. */
export async function advance(client: Client, by_seconds: number, signal: AbortSignal): Promise<number> {
  const begun_at = performance.now()
  await client.send('POST', '/api/v1/test_clock/advance', { by_seconds })
  while ((await client.get('/api/v1/test_clock')).data.status === 'advancing')
    await sleep(poll_every_ms, undefined, { signal })
  return (performance.now() - begun_at) / 1_000
}
