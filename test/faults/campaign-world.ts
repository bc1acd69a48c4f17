import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DateTime } from 'luxon'
import * as channels from '../../server/channels/store.ts'
import { readConfig } from '../../server/config.ts'
import { atWall, inTransaction } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { openPool, type Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { openService } from '../../server/service.ts'
import type { CheckedCampaign, CheckedPerson } from '../support/dial-check.ts'
import { serveInProcess } from '../support/process.ts'
import { openClient } from './client.ts'
import { pick, type Random } from './random.ts'
import { checkout, makeTempFolder, newTenant, type Service, startWorkerProcess, type Tenant } from './service.ts'

/** A workspace with campaigns, its API, and a carrier that outlives the workers. */
export interface World {
  pool: Pool
  tenant: Tenant
  send: Send
  agent_id: string
  channel_id: string
  /** What the carrier has dialled. */
  log: string
  people: Map<string, CheckedPerson>
  campaigns: Map<string, RunningCampaign>
  startWorker: () => Promise<Service>
}

export interface RunningCampaign extends CheckedCampaign {
  pacing: { in_flight_max: number; starts_per_second: number; ramp_minutes: number }
}

// biome-ignore lint/suspicious/noExplicitAny: tests read any field
type Send = (method: string, path: string, body?: object) => Promise<any>

export interface NewPerson {
  id: string
  to: string
}

export const all_days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const all_day = [{ days: all_days, start: '00:00', end: '24:00' }]
/** The default of a workspace. */
export const quiet_hours = { start: '08:00', end: '21:00' }
const zones = [
  'Pacific/Honolulu',
  'America/Los_Angeles',
  'America/Denver',
  'America/New_York',
  'America/Sao_Paulo',
  'Atlantic/Azores',
  'Europe/London',
  'Europe/Berlin',
  'Europe/Athens',
  'Asia/Dubai',
  'Asia/Karachi',
  'Asia/Dhaka',
  'Asia/Bangkok',
  'Asia/Shanghai',
  'Asia/Tokyo',
  'Australia/Sydney',
  'Pacific/Auckland',
]
const minute_s = 60

export async function openWorld(
  stack: AsyncDisposableStack,
  { url, seed, troubles }: { url: string; seed: number; troubles: number },
): Promise<World> {
  const folder = makeTempFolder(stack, 'campaigns')
  const log = path.join(folder, 'dials.jsonl')
  const SECRETS_KEY = randomBytes(32).toString('base64')
  const environment = {
    DATABASE_URL: url,
    DATA_DIR: path.join(folder, 'data'),
    SECRETS_KEY,
    LOG_LEVEL: 'error',
    CARRIER_URL: await startCarrier(stack, { log, seed, troubles }),
  }
  const pool = openPool({ url, size: 2, onError: () => {} })
  stack.defer(() => pool.close())
  const tenant = await newTenant(pool)
  const service = openService(pool, readConfig({ SECRETS_KEY }), () => '')
  const { id: channel_id } = await inTransaction(atWall(service, tenant.workspace), (at) =>
    channels.create(at, { name: 'Voice', kind: 'voice', provider: 'simulator', address: '+14155550199' }),
  )
  const send = sender(stack, await serveInProcess(stack, environment, ['--only', 'api']), tenant)
  await send('PATCH', '/workspace', { settings: { calls_in_flight_max: 1_000 } })
  const script = { start: 'hi', nodes: { hi: { say: 'Hello, this is Acme. Goodbye.', go: '@end' } } }
  const agent_id = (await send('POST', '/agents', { name: 'Caller', script })).id
  const startWorker = () => startWorkerProcess(stack, environment)
  return { pool, tenant, send, agent_id, channel_id, log, people: new Map(), campaigns: new Map(), startWorker }
}

/** In another process, which nothing kills. */
async function startCarrier(
  stack: AsyncDisposableStack,
  { log, seed, troubles }: { log: string; seed: number; troubles: number },
): Promise<string> {
  fs.writeFileSync(log, '')
  const words = ['--log', log, '--seed', String(seed), '--troubles', String(troubles)]
  const child = fork(path.join(checkout, 'test/peers/voice-carrier.ts'), words, {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  stack.defer(() => void child.kill())
  const [line] = await once(child.stdout ?? child, 'data')
  return String(line).trim()
}

/** Repeats requests when the server is busy. Undefined for a pause or the end of one that is not possible any more. */
function sender(stack: AsyncDisposableStack, url: string, { key }: Tenant): Send {
  const client = openClient(url, key)
  stack.defer(client.close)
  return async (method, path, body) => {
    for (;;) {
      const { status, body: answer } = await client.call(method, `/api/v1${path}`, body)
      if (status < 300) return answer.data
      if (status === 409 && /\/(pause|resume)$/.test(path)) return undefined
      assert.equal(status, 503, `${method} ${path}: ${JSON.stringify(answer)}`)
      await sleep(100)
    }
  }
}

/** Where it is day for the next three hours, and where it is night. */
export function zonesNow(): { day: string[]; night: string[] } {
  const hourIn = (zone: string) => DateTime.now().setZone(zone).hour
  return {
    day: zones.filter((zone) => hourIn(zone) >= 8 && hourIn(zone) < 17),
    night: zones.filter((zone) => hourIn(zone) >= 22 || hourIn(zone) < 5),
  }
}

interface NewPeople {
  count: number
  random: Random
  /** The last two digits of their numbers, which choose how the simulated person behaves. */
  behaviors: string[]
  zones: string[]
  /** The share that has agreed to be called. */
  agreed?: number
}

export async function addPeople(
  { send, people }: World,
  { count, random, behaviors, zones, agreed = 0 }: NewPeople,
): Promise<NewPerson[]> {
  const added: NewPerson[] = []
  for (let index = 0; index < count; index += 1) {
    const to = `+1415${5_000_000 + people.size * 100 + Number(behaviors[index % behaviors.length])}`
    const time_zone = pick(random, zones)
    const { id } = await send('POST', '/contacts', { phone_number: to, time_zone })
    people.set(to, { zones: [time_zone], consents: [] })
    const person = { id, to }
    if (random() < agreed) await addConsent({ send, people }, person, 'granted')
    added.push(person)
  }
  return added
}

export async function addConsent(
  { send, people }: Pick<World, 'send' | 'people'>,
  { id, to }: NewPerson,
  status: 'granted' | 'revoked',
): Promise<void> {
  const { created_at } = await send('POST', `/contacts/${id}/consents`, { kind: 'voice', status })
  people.get(to)?.consents.push({ kind: 'voice', status, at: clock.parse(created_at) })
}

/** Starts a campaign with these people. By default nothing but the hours of the people limits it. */
export async function startCampaign(
  { send, agent_id, channel_id, campaigns }: World,
  people: NewPerson[],
  settings: Partial<RunningCampaign> = {},
): Promise<string> {
  const retried = (outcome: string, attempts_max: number) => ({ outcome, attempts_max, waits_seconds: [minute_s] })
  const created = await send('POST', '/campaigns', {
    name: `Campaign ${campaigns.size + 1}`,
    kind: 'voice',
    agent_id,
    channel_ids: [channel_id],
    windows: all_day,
    caps: { per_day: 100, per_week: 500, gap_hours_min: 0 },
    attempts_max: 4,
    pacing: { in_flight_max: 20, starts_per_second: 10, ramp_minutes: 0 },
    retry: ['busy', 'error', 'unknown'].map((outcome) => retried(outcome, 3)),
    ...settings,
  })
  const { kind, windows, holidays, caps, consent, pacing } = created
  campaigns.set(created.id, { kind, windows, holidays, caps, consent, pacing })
  await send('POST', `/campaigns/${created.id}/enrollments`, { contact_ids: people.map(({ id }) => id) })
  await send('POST', `/campaigns/${created.id}/start`)
  return created.id
}

/** After all workers were killed. Instead of waiting until the leases end by themselves. */
export async function endLeases({ pool, tenant: { workspace } }: World): Promise<void> {
  for (const table of [sql`campaigns`, sql`calls`])
    await pool.run(sql`update ${table} set lease_until = ${clock.iso(0)}
      where workspace_id = ${workspace} and lease_until is not null`)
}
