import { setTimeout as sleep } from 'node:timers/promises'
import * as channels from '../../server/channels/store.ts'
import { atWall, inTransaction } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { script } from '../calls/simulated.ts'
import { serviceOn } from '../fill.ts'
import type { Server } from '../processes.ts'
import type { Tenant } from '../rows.ts'
import { type Client, openClient } from '../scale/client.ts'

const poll_every_ms = 20
const calls_in_flight_max = 10_000
export const all_day = [
  { days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], start: '00:00', end: '24:00' },
] as const

/** A workspace with contacts, and an agent that calls them. */
export interface Caller {
  tenant: Tenant
  client: Client
  agent_id: string
  /** Undefined in a test workspace, which needs none. */
  channel_id: string | undefined
}

interface NewCaller {
  pool: Pool
  server: Server
  tenant: Tenant
  contacts: number
  is_test: boolean
  /** The last two digits of all numbers, if they are to behave alike. */
  behavior?: string
}

/** People of four time zones, or of one in which it is day. */
export async function addCaller(stack: AsyncDisposableStack, options: NewCaller): Promise<Caller> {
  const { pool, server, tenant, is_test } = options
  const client = openClient(stack, server.port, tenant.token)
  await addContacts(options)
  const settings = { calls_in_flight_max, quiet_hours: { start: '00:00', end: '24:00' } }
  await client.send('PATCH', '/api/v1/workspace', { settings: is_test ? { calls_in_flight_max } : settings })
  const { id: agent_id } = (await client.send('POST', '/api/v1/agents', { name: 'Caller', script })).data
  return { tenant, client, agent_id, channel_id: is_test ? undefined : await addChannel(pool, tenant) }
}

async function addChannel(pool: Pool, { workspace_id }: Tenant): Promise<string> {
  const channel = await inTransaction(atWall(serviceOn(pool), workspace_id), (at) =>
    channels.create(at, { name: 'Voice', kind: 'voice', provider: 'simulator', address: '+14155550199' }),
  )
  return channel.id
}

export async function addContacts({
  pool,
  tenant,
  contacts,
  behavior,
}: Pick<NewCaller, 'pool' | 'tenant' | 'contacts' | 'behavior'>): Promise<void> {
  const { workspace_id } = tenant
  const created_at = clock.iso(clock.wall() - clock.day_ms)
  // Those that end in 20 to 99 behave by the mix. Of the others some opt out, which would trip the circuit breaker.
  const [persons, last] = behavior === undefined ? [80, 20] : [1, Number(behavior)]
  await pool.run(
    sql`insert into contacts (workspace_id, id, phone_number, tags, source, time_zone, created_at, updated_at)
      select ${workspace_id}, uuidv7(), '+1' || (${2_010_000_000 + last}::bigint + number / ${persons}::integer * 100 + number % ${persons}::integer),
        '{}', 'import',
        (array['America/New_York', 'America/Chicago', 'America/Denver', 'America/Los_Angeles'])[1 + number % 4],
        ${created_at}, ${created_at}
      from generate_series(1, ${contacts}) as number`,
  )
  await pool.run(
    sql`insert into contact_counts (workspace_id, source, slot, total) values (${workspace_id}, 'import', 0, ${contacts})`,
  )
  await pool.script('vacuum analyze contacts')
}

/** Creates a campaign with all contacts of the workspace. It is not started. */
export async function createCampaign(
  { client, agent_id, channel_id }: Caller,
  { settings, contacts, signal }: { settings: object; contacts: number; signal: AbortSignal },
): Promise<string> {
  const channel_ids = channel_id === undefined ? [] : [channel_id]
  const fields = { name: 'Campaign', kind: 'voice', agent_id, channel_ids, ...settings }
  const { id } = (await client.send('POST', '/api/v1/campaigns', fields)).data
  await client.send('POST', `/api/v1/campaigns/${id}/enrollments`, { filter: { source: 'import' } })
  while ((await client.get(`/api/v1/campaigns/${id}`)).data.counts.enrolled < contacts)
    await sleep(poll_every_ms, undefined, { signal })
  return id
}
