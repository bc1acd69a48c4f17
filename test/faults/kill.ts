import assert from 'node:assert/strict'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../../server/kit/postgres/sql.ts'
import { answers, openClient, until } from './client.ts'
import { type Ledger, openLedger } from './ledger.ts'
import { between, split } from './random.ts'
import type { How, Scenario } from './scenario.ts'
import {
  childrenOf,
  folderFor,
  newTenant,
  overDatabase,
  postmasterPid,
  type Service,
  startService,
  type Tenant,
} from './service.ts'

const faults = {
  server: 'kill -9 of the server and its launcher',
  postgres: 'kill -9 of PostgreSQL and all its children',
  immediate: 'immediate stop of PostgreSQL',
  postmaster: 'kill -9 of the postmaster alone',
  everything: 'kill -9 of the server and PostgreSQL',
}
type Fault = keyof typeof faults
const kinds = Object.keys(faults) as Fault[]
const clients = 6
const moment_max_ms = 600
const afterwards_ms = 100

/** One workspace for each round, so that what was acknowledged earlier is compared again at the end. */
interface Round {
  tenant: Tenant
  ledger: Ledger
}

export const scenario: Scenario = {
  name: 'kill',
  about: 'nothing acknowledged is lost by a kill, and nothing is there twice',
  run,
}

async function run({ is_long, rounds: asked, random, say }: How): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const data_dir = path.join(folderFor(stack, 'kill'), 'data')
  let service = await startService(stack, { DATA_DIR: data_dir })
  const rounds: Round[] = []
  const count = is_long ? asked : kinds.length
  const sums = { acknowledged: 0, unavailable: 0, unanswered: 0 }
  for (let round = 0; round < count; round += 1) {
    const fault = kinds[round % kinds.length] ?? 'server'
    const tenant = await overDatabase(data_dir, newTenant)
    const ledger = openLedger()
    rounds.push({ tenant, ledger })
    const { next, away_ms } = await inject(stack, service, data_dir, fault, { tenant, ledger }, random)
    service = next
    const contacts = await check(service, { tenant, ledger })
    await assertEvents(data_dir, { tenant, ledger })
    const { acknowledged, unavailable, unanswered } = ledger.tally
    for (const name of ['acknowledged', 'unavailable', 'unanswered'] as const) sums[name] += ledger.tally[name]
    say(
      `round ${round + 1}: ${faults[fault]}, back after ${away_ms.toFixed()} ms; ${acknowledged} acknowledged, ` +
        `${unavailable} answered 503, ${unanswered} without an answer; ${contacts} contacts, as acknowledged`,
    )
  }
  for (const round of rounds) await check(service, round)
  await service.stop()
  const { acknowledged, unavailable, unanswered } = sums
  say(
    `${count} rounds: ${acknowledged} writes acknowledged, ${unavailable} answered 503, ${unanswered} without an ` +
      `answer; after all of it every round's contacts are as acknowledged: lost 0, twice 0`,
  )
}

/** Under load, at a random moment; ends when the service answers again. */
async function inject(
  stack: AsyncDisposableStack,
  service: Service,
  data_dir: string,
  fault: Fault,
  { tenant, ledger }: Round,
  random: () => number,
): Promise<{ next: Service; away_ms: number }> {
  let is_over = false
  const callers = Array.from({ length: clients }, () => openClient(service.url, tenant.key))
  const working = Promise.all(callers.map((caller) => ledger.work(caller, split(random), () => is_over)))
  // Its failure is told when it is awaited, after what is begun here has been brought to an end.
  working.catch(() => {})
  try {
    await sleep(between(random, 0, moment_max_ms))
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
    } else await until('PostgreSQL is another one', () => isAnother(data_dir, postmaster))
    await until('the service is ready again', () => answers(next.url, '/ready'))
    const away_ms = performance.now() - killed_at
    await sleep(afterwards_ms)
    is_over = true
    await working
    return { next, away_ms }
  } finally {
    is_over = true
    for (const caller of callers) caller.close()
  }
}

/** One of them may have ended by itself meanwhile. */
function kill(pids: number[], signal: 'SIGKILL' | 'SIGQUIT'): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if (Object(error).code !== 'ESRCH') throw error
    }
  }
}

function isAnother(data_dir: string, postmaster: number): boolean {
  try {
    return postmasterPid(data_dir) !== postmaster
  } catch {
    return false
  }
}

async function check(service: Service, { tenant, ledger }: Round): Promise<number> {
  const client = openClient(service.url, tenant.key)
  await ledger.settle(client)
  const contacts = await ledger.compare(client)
  client.close()
  return contacts
}

/** Each contact that was ever asked for was created once, also one that is deleted by now. */
async function assertEvents(data_dir: string, { tenant, ledger }: Round): Promise<void> {
  const { total } = await overDatabase(data_dir, (pool) =>
    pool.one<{ total: number }>(
      sql`select count(*) as total from events where workspace_id = ${tenant.workspace} and type = 'contact.created'`,
    ),
  )
  assert.equal(total, ledger.created(), 'each create happened once')
}
