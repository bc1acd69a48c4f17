import assert from 'node:assert/strict'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../../server/kit/postgres/sql.ts'
import { isOk, openClient, waitUntil } from './client.ts'
import { type Ledger, openLedger } from './ledger.ts'
import { between, split } from './random.ts'
import type { RunOptions, Scenario } from './scenario.ts'
import {
  childrenOf,
  makeTempFolder,
  newTenant,
  postmasterPid,
  type Service,
  startService,
  type Tenant,
  withEmbeddedPool,
} from './service.ts'

const faults = {
  server: 'kill -9 of the server and its launcher',
  postgres: 'kill -9 of PostgreSQL and all its children',
  immediate: 'immediate shutdown of PostgreSQL',
  postmaster: 'kill -9 of the postmaster alone',
  everything: 'kill -9 of the server and PostgreSQL',
}
type Fault = keyof typeof faults
const kinds = Object.keys(faults) as Fault[]
/** `test/setup/embedded.test.ts` and `test/setup/start.test.ts` have the others, without load. */
const kinds_short: Fault[] = ['postgres', 'everything']
const clients = 6
const kill_after_max_ms = 600
const continue_ms = 100

/** Each round has its own workspace, so that all rounds can be checked again at the end. */
interface Round {
  tenant: Tenant
  ledger: Ledger
}

export const scenario: Scenario = {
  name: 'kill',
  about: 'no acknowledged write is lost by a kill, and none is duplicated',
  run,
}

async function run({ is_long, rounds: requested_rounds, random, print }: RunOptions): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const data_dir = path.join(makeTempFolder(stack, 'kill'), 'data')
  let service = await startService(stack, { DATA_DIR: data_dir })
  const rounds: Round[] = []
  const kinds_used = is_long ? kinds : kinds_short
  const count = is_long ? requested_rounds : kinds_used.length
  const sums = { acknowledged: 0, unavailable: 0, unanswered: 0 }
  for (let round = 0; round < count; round += 1) {
    const fault = kinds_used[round % kinds_used.length] ?? 'server'
    const tenant = await withEmbeddedPool(data_dir, newTenant)
    const ledger = openLedger()
    rounds.push({ tenant, ledger })
    const { next, down_ms } = await inject(stack, service, data_dir, fault, { tenant, ledger }, random)
    service = next
    const contacts = await check(service, { tenant, ledger })
    await assertEvents(data_dir, { tenant, ledger })
    const { acknowledged, unavailable, unanswered } = ledger.tally
    for (const name of ['acknowledged', 'unavailable', 'unanswered'] as const) sums[name] += ledger.tally[name]
    print(
      `round ${round + 1}: ${faults[fault]}, ready after ${down_ms.toFixed()} ms; ${acknowledged} acknowledged, ` +
        `${unavailable} answered 503, ${unanswered} without a response; ${contacts} contacts, as acknowledged`,
    )
  }
  for (const round of rounds) await check(service, round)
  await service.stop()
  const { acknowledged, unavailable, unanswered } = sums
  print(
    `${count} rounds: ${acknowledged} writes acknowledged, ${unavailable} answered 503, ${unanswered} without a ` +
      `response; at the end the contacts of every round are as acknowledged: 0 lost, 0 duplicated`,
  )
}

/** Kills under load, at a random moment. Returns when the service is ready again. */
async function inject(
  stack: AsyncDisposableStack,
  service: Service,
  data_dir: string,
  fault: Fault,
  { tenant, ledger }: Round,
  random: () => number,
): Promise<{ next: Service; down_ms: number }> {
  let is_over = false
  const load_clients = Array.from({ length: clients }, () => openClient(service.url, tenant.key))
  const working = Promise.all(load_clients.map((client) => ledger.runWrites(client, split(random), () => is_over)))
  // Awaited below, after the kill is complete.
  working.catch(() => {})
  try {
    await sleep(between(random, 0, kill_after_max_ms))
    const killed_at = performance.now()
    const postmaster = postmasterPid(data_dir)
    let next = service
    const killed = fault === 'server' || fault === 'everything' ? service.kill() : undefined
    if (fault === 'postgres' || fault === 'everything') kill([postmaster, ...childrenOf(postmaster)], 'SIGKILL')
    if (fault === 'postmaster') kill([postmaster], 'SIGKILL')
    if (fault === 'immediate') kill([postmaster], 'SIGQUIT')
    if (killed) {
      is_over = true
      await killed
      next = await startService(stack, { DATA_DIR: data_dir })
    } else await waitUntil('PostgreSQL is restarted', () => hasNewPostmaster(data_dir, postmaster))
    await waitUntil('the service is ready again', () => isOk(next.url, '/ready'))
    const down_ms = performance.now() - killed_at
    await sleep(continue_ms)
    is_over = true
    await working
    return { next, down_ms }
  } finally {
    is_over = true
    for (const client of load_clients) client.close()
  }
}

/** A process may already have ended. */
function kill(pids: number[], signal: 'SIGKILL' | 'SIGQUIT'): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if (Object(error).code !== 'ESRCH') throw error
    }
  }
}

function hasNewPostmaster(data_dir: string, postmaster: number): boolean {
  try {
    return postmasterPid(data_dir) !== postmaster
  } catch {
    return false
  }
}

async function check(service: Service, { tenant, ledger }: Round): Promise<number> {
  const client = openClient(service.url, tenant.key)
  await ledger.retryUnanswered(client)
  const contacts = await ledger.assertMatches(client)
  client.close()
  return contacts
}

/** Every contact was created exactly once, also the deleted ones. */
async function assertEvents(data_dir: string, { tenant, ledger }: Round): Promise<void> {
  const { total } = await withEmbeddedPool(data_dir, (pool) =>
    pool.one<{ total: number }>(
      sql`select count(*) as total from events where workspace_id = ${tenant.workspace} and type = 'contact.created'`,
    ),
  )
  assert.equal(total, ledger.created(), 'each create happened once')
}
