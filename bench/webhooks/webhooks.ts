import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { readConfig } from '../../server/config.ts'
import * as contacts from '../../server/contacts/store.ts'
import { atWall, inTransaction, type Service } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { openService } from '../../server/service.ts'
import * as webhooks from '../../server/webhooks/store.ts'
import { type Database, openDatabase } from '../database.ts'
import { addTenant } from '../fill.ts'
import { type Server, startServer } from '../processes.ts'
import type { Tenant } from '../rows.ts'
import type { Arrived } from './receivers.ts'

const endpoints = 200
const workspaces = 2
/** Endpoints that answer after 14 seconds, in each of as many other workspaces. */
const slow_endpoints = 20
/** In the steady part, each workspace has an event at this interval. */
const events_every_ms = 200
const steady_ms = 20_000
const rounds = 4
const backlog_events = 100
const backlog = backlog_events * endpoints
const concurrency = 200
const factor_max = 2
const ratio_min = 0.45
const check_every_ms = 100

export interface Delivered {
  p50_ms: number
  p99_ms: number
  p50_one_hanging_ms: number
  p99_one_hanging_ms: number
  hang_factor: number
  p50_beside_slow_ms: number
  p99_beside_slow_ms: number
  slow_factor: number
  deliveries_per_second: number
  undici_per_second: number
  ratio: number
}

const method = `${endpoints} endpoints in ${workspaces} workspaces. Each is a port of another process on this machine, and answers 200 at once.
  steady   Each workspace creates a contact every ${events_every_ms} ms for ${steady_ms / 1000} s: ${Math.round((1000 / events_every_ms) * endpoints)} deliveries a second. Measures the
           time from the event's timestamp, which is set before the commit, until the request arrives.
  hanging  The same while one endpoint never answers. The 99th percentile of the others should be at most ${factor_max} times as long.
  slow     The same while ${workspaces} other workspaces have as many events, each for ${slow_endpoints} endpoints that answer after 14 s. At most ${factor_max} times as long.
  backlog  ${backlog.toLocaleString('en')} deliveries are due when the server starts, and as many again in each of ${rounds} rounds. Measures how many arrive
           per second, from the first to the last of each round.
  undici   Before each round, a bare loop sends as many undici requests with bodies of the same length to the same endpoints,
           ${concurrency} at a time. Parley, which claims, signs and records each delivery, should reach ${ratio_min} of its rate.
PostgreSQL's durability settings are on.
`

/** Measures how soon and how fast events arrive. */
export async function delivering(stack: AsyncDisposableStack, signal: AbortSignal): Promise<Delivered> {
  console.log(method)
  const receivers = await startServer(stack, 'bench/webhooks/receivers.ts', [], {}, { endpoints })
  const urls = (await ask<number[]>(receivers, '/ports')).map((port) => `http://127.0.0.1:${port}/hook`)
  const database = await openDatabase(stack)
  const environment = {
    DATABASE_URL: database.url,
    PORT: '0',
    SECRETS_KEY: randomBytes(32).toString('base64'),
    RATE_LIMIT_PER_SECOND: '0',
    OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
  }
  const service = openService(database.pool, readConfig(environment), () => '')
  stack.defer(() => service.tools.outbound.close())
  const tenants = await addTenants(database, 'Webhooks')
  const body_length = await addEvents(service, tenants, 1)
  await addWebhooks(service, tenants, urls)
  await database.pool.script('vacuum analyze')

  let server: Server | undefined
  let bare_seconds = 0
  let seconds = 0
  for (let round = 0; round < rounds; round += 1) {
    bare_seconds += await bareLoop(urls, body_length, backlog, signal)
    await ask(receivers, '/arrived')
    await addEvents(service, tenants, backlog_events)
    server ??= await startServer(stack, 'bin/parley.mjs', ['serve'], environment)
    await waitForArrivals(receivers, backlog, signal)
    seconds += (await ask<Arrived>(receivers, '/arrived')).seconds
  }
  if (!server) throw new Error('no rounds')
  const steady = await measureSteady(server, receivers, tenants, 0, signal)
  await makeOneHang(database)
  const hanging = await measureSteady(server, receivers, tenants, 1, signal)
  const slow_tenants = await addTenants(database, 'Slow')
  await addWebhooks(
    service,
    slow_tenants,
    urls.slice(0, slow_endpoints * workspaces).map((url) => url.replace('/hook', '/slow')),
  )
  const beside_slow = await measureSteady(server, receivers, tenants, 1, signal, slow_tenants)
  const result: Delivered = {
    p50_ms: percentile(steady, 0.5),
    p99_ms: percentile(steady, 0.99),
    p50_one_hanging_ms: percentile(hanging, 0.5),
    p99_one_hanging_ms: percentile(hanging, 0.99),
    hang_factor: percentile(hanging, 0.99) / percentile(steady, 0.99),
    p50_beside_slow_ms: percentile(beside_slow, 0.5),
    p99_beside_slow_ms: percentile(beside_slow, 0.99),
    slow_factor: percentile(beside_slow, 0.99) / percentile(steady, 0.99),
    deliveries_per_second: (rounds * backlog) / seconds,
    undici_per_second: (rounds * backlog) / bare_seconds,
    ratio: bare_seconds / seconds,
  }
  report(result)
  return result
}

async function ask<T>({ port }: Server, path: string): Promise<T> {
  // receivers.ts answers with this type.
  return (await (await fetch(`http://127.0.0.1:${port}${path}`)).json()) as T
}

async function addTenants({ pool }: Database, name: string): Promise<Tenant[]> {
  const tenants: Tenant[] = []
  while (tenants.length < workspaces) tenants.push(await addTenant(pool, `${name} ${tenants.length}`))
  return tenants
}

async function addWebhooks(service: Service, tenants: Tenant[], urls: string[]): Promise<void> {
  for (const [index, url] of urls.entries()) {
    const tenant = tenants[index % tenants.length]
    if (!tenant) throw new Error('no workspaces')
    await inTransaction(atWall(service, tenant.workspace_id), (at) =>
      webhooks.create(at, { url, events: ['contact.created'] }),
    )
  }
}

let number = 0

function newContact() {
  number += 1
  return { phone_number: `+1${4_150_000_000 + number}`, first_name: 'Ada', last_name: 'Lovelace', tags: ['vip'] }
}

/** Creates contacts in each workspace, and returns the length of a request body. */
async function addEvents(service: Service, tenants: Tenant[], count: number): Promise<number> {
  await service.pool.tx(async (db) => {
    for (const { workspace_id } of tenants) {
      const inputs = Array.from({ length: count }, () => ({ ...newContact(), source: 'api' as const }))
      await contacts.create({ ...atWall(service, workspace_id), db }, inputs)
    }
  })
  const { length } = await service.pool.one<{ length: number }>(
    sql`select max(length(data::text)) as length from events`,
  )
  const head_length = 200
  return length + head_length
}

/** Returns how many seconds it took. */
async function bareLoop(urls: string[], body_length: number, count: number, signal: AbortSignal): Promise<number> {
  const dispatcher = new Agent()
  const body = `{"timestamp":"${clock.iso(clock.wall())}","filler":"`.padEnd(body_length, 'x')
  const headers = { 'content-type': 'application/json' }
  let next = 0
  const work = async () => {
    while (next < count) {
      signal.throwIfAborted()
      const url = urls[next % urls.length] ?? ''
      next += 1
      const response = await request(url, { method: 'POST', headers, body, dispatcher })
      await response.body.text()
    }
  }
  const started_at = performance.now()
  await Promise.all(Array.from({ length: concurrency }, work))
  const seconds = (performance.now() - started_at) / 1000
  await dispatcher.close()
  return seconds
}

async function waitForArrivals(receivers: Server, count: number, signal: AbortSignal): Promise<void> {
  while ((await ask<{ count: number }>(receivers, '/count')).count < count)
    await sleep(check_every_ms, undefined, { signal })
}

async function measureSteady(
  { port }: Server,
  receivers: Server,
  tenants: Tenant[],
  hanging: number,
  signal: AbortSignal,
  others: Tenant[] = [],
): Promise<number[]> {
  const times = steady_ms / events_every_ms
  for (let time = 0; time < times; time += 1) {
    const posts = [...tenants, ...others].map(async ({ token }) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const body = JSON.stringify(newContact())
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/contacts`, {
        method: 'POST',
        headers,
        body,
        signal,
      })
      if (response.status !== 201) throw new Error(await response.text())
      await response.arrayBuffer()
    })
    await Promise.all([...posts, sleep(events_every_ms, undefined, { signal })])
  }
  await waitForArrivals(receivers, times * (endpoints - hanging), signal)
  return (await ask<Arrived>(receivers, '/arrived')).waits
}

/** Makes one of the endpoints never answer. */
async function makeOneHang({ pool }: Database): Promise<void> {
  await pool.run(
    sql`update webhooks set url = replace(url, '/hook', '/hang')
      where (workspace_id, id) = (select workspace_id, id from webhooks limit 1)`,
  )
}

function percentile(values: number[], share: number): number {
  return values.toSorted((left, right) => left - right)[Math.ceil(values.length * share) - 1] ?? Number.NaN
}

function report(result: Delivered): void {
  const verdict = (is_met: boolean) => (is_met ? 'met' : 'missed')
  const ms = (value: number) => `${value.toFixed(0).padStart(5)} ms`
  const perSecond = (count: number) => `${Math.round(count).toLocaleString('en').padStart(7)} a second`
  const { p50_ms, p99_ms, p50_one_hanging_ms, p99_one_hanging_ms, ratio } = result
  const factor = (value: number) => `${value.toFixed(2)} (at most ${factor_max}: ${verdict(value <= factor_max)})`
  console.log(`steady            ${ms(p50_ms)} 50th percentile, ${ms(p99_ms)} 99th`)
  console.log(
    `one hanging       ${ms(p50_one_hanging_ms)} 50th percentile of the others, ${ms(p99_one_hanging_ms)} 99th`,
  )
  console.log(`hanging / steady  ${factor(result.hang_factor)}`)
  console.log(
    `beside slow ones  ${ms(result.p50_beside_slow_ms)} 50th percentile, ${ms(result.p99_beside_slow_ms)} 99th`,
  )
  console.log(`slow / steady     ${factor(result.slow_factor)}`)
  console.log(`backlog           ${perSecond(result.deliveries_per_second)}`)
  console.log(`undici            ${perSecond(result.undici_per_second)}`)
  console.log(`backlog / undici  ${ratio.toFixed(2)} (${ratio_min}: ${verdict(ratio >= ratio_min)})`)
}
