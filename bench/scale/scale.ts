import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { alternate, atLeast, atMost, type Comparison, formatRow, headerLine, timed } from '../comparison.ts'
import { openDatabase } from '../database.ts'
import { startServer } from '../processes.ts'
import { pickRandom } from '../rows.ts'
import { median } from '../table.ts'
import { type Client, openClient } from './client.ts'
import { fillScale, type Tenants } from './fill.ts'
import { openPlain, type Plain } from './plain.ts'
import { type FilterValues, filterValues, rareTerm } from './terms.ts'

const seed = 20_261_115
const samples = 15
const clients = 8
const turns = 8
const turn_ms = 500
const beside_ms = 6_000
const base = '/api/v1/contacts'

const method = `One workspace with 1,000,000 contacts beside 1,000 with 100 each, on this machine, from one run.
Latencies are medians of ${samples} requests, sent one at a time, each with another term and after a write. Plain SQL is the page
query and count(*) with the same filter, sent at the same time with the driver alone, on a table with the usual indexes. Parley and
plain SQL alternate. Throughput is measured with ${clients} clients, alternating between a workspace of 1,000 contacts and the large one.
The target follows each ratio.
`

export async function scale(stack: AsyncDisposableStack, signal: AbortSignal): Promise<Comparison[]> {
  console.log(method)
  const database = await openDatabase(stack)
  const tenants = await fillScale(database, seed, signal)
  const { port } = await startServer(stack, 'bin/parley.mjs', ['serve'], {
    DATABASE_URL: database.url,
    PORT: '0',
    SECRETS_KEY: randomBytes(32).toString('base64'),
    RATE_LIMIT_PER_SECOND: '1000000',
    // Searches above the concurrency limit are rejected, and each rejection is a warning.
    LOG_LEVEL: 'error',
  })
  const open = (token: string) => openClient(stack, port, token)
  const plain = await openPlain(stack, database.url, tenants.big.workspace_id)
  await waitForTotals(database.pool, signal)
  const table: Comparison[] = []
  console.log(headerLine())
  const bench = { big: open(tenants.big.token), medium: open(tenants.medium.token), open, tenants, plain, signal }
  for await (const row of measureAll(bench)) {
    table.push(row)
    console.log(formatRow(row))
  }
  return table
}

interface Bench {
  big: Client
  medium: Client
  open: (token: string) => Client
  tenants: Tenants
  plain: Plain
  signal: AbortSignal
}

async function* measureAll(bench: Bench): AsyncGenerator<Comparison> {
  yield await firstPage(bench)
  for (const terms of await filterValues(bench.plain)) yield await filtered(bench, terms)
  for (const offset of [800_000, 500_000]) yield await deep(bench, offset)
  yield await byCursor(bench)
  for (const work of works) yield await throughput(bench, work)
  for (const request of small_requests) yield await measureBeside(bench, request)
}

async function firstPage({ big, medium, tenants }: Bench): Promise<Comparison> {
  const [ours, other] = await alternate(
    samples,
    () => afterWrite(big, tenants.big.ids, `${base}?limit=20`),
    () => afterWrite(medium, tenants.medium.ids, `${base}?limit=20`),
  )
  return atMost('first page, beside 1,000 contacts', ours, other, 2)
}

async function filtered(
  { big, tenants, plain }: Bench,
  { name, parameter, values, filter, ratio_max }: FilterValues,
): Promise<Comparison> {
  const rest = values.values()
  let value = ''
  const [ours, other] = await alternate(
    samples,
    () => {
      value = rest.next().value ?? value
      return afterWrite(big, tenants.big.ids, `${base}?limit=20&${parameter}=${encodeURIComponent(value)}`)
    },
    async () => {
      await plain.write(pickRandom(tenants.big.ids))
      return timed(() => plain.list(filter(value), 0))
    },
  )
  return atMost(name, ours, other, ratio_max)
}

async function deep({ big, tenants, plain }: Bench, depth: number): Promise<Comparison> {
  let offset = depth
  const [ours, other] = await alternate(
    samples,
    () => {
      offset += 20
      return afterWrite(big, tenants.big.ids, `${base}?limit=20&offset=${offset}`)
    },
    async () => {
      await plain.write(pickRandom(tenants.big.ids))
      return timed(() => plain.page(undefined, offset))
    },
  )
  return atMost(`offset=${depth}`, ours, other, 0.5)
}

async function byCursor({ big, tenants }: Bench): Promise<Comparison> {
  let { next_cursor } = (await big.get(`${base}?limit=20&offset=800000`)).pagination
  const [ours, other] = await alternate(
    samples,
    async () => {
      await write(big, tenants.big.ids)
      return timed(async () => {
        const page = await big.get(`${base}?limit=20&cursor=${next_cursor}`)
        next_cursor = page.pagination.next_cursor
      })
    },
    () => afterWrite(big, tenants.big.ids, `${base}?limit=20`),
  )
  return atMost('cursor at 800,000, beside page one', ours, other, 1.5)
}

interface Work {
  name: string
  run: (client: Client, ids: string[]) => Promise<unknown>
}

let created = 0

const works: Work[] = [
  { name: 'get by id', run: (client, ids) => client.get(`${base}/${pickRandom(ids)}`) },
  {
    name: 'create',
    run: (client) => {
      created += 1
      const phone_number = `+49${16_000_000_000 + created}`
      return client.send('POST', base, { phone_number, first_name: 'Grace', last_name: 'Hopper', tags: ['vip'] })
    },
  },
  { name: 'update', run: write },
]

/** Alternates in short turns, so that other work on the machine affects both workspaces. */
async function throughput({ open, tenants, signal }: Bench, { name, run }: Work): Promise<Comparison> {
  const measure = async ({ token, ids }: Tenants['big']) => {
    const connections = Array.from({ length: clients }, () => open(token))
    const until = performance.now() + turn_ms
    let responses = 0
    const sendUntilEnd = async (client: Client) => {
      for (; performance.now() < until; responses += 1) await run(client, ids)
    }
    await Promise.all(connections.map(sendUntilEnd))
    return responses / (turn_ms / 1000)
  }
  const [ours, other]: [number[], number[]] = [[], []]
  for (let turn = 0; turn <= turns; turn += 1) {
    signal.throwIfAborted()
    const large = await measure(tenants.big)
    const medium = await measure(tenants.medium)
    // The first turn warms up.
    if (turn === 0) continue
    ours.push(large)
    other.push(medium)
  }
  return atLeast(`${name}, a second, beside 1,000 contacts`, median(ours), median(other), 0.8)
}

const small_requests = [
  { name: 'list of a small workspace beside searches', path: () => `${base}?limit=20` },
  { name: 'search in a small workspace beside searches', path: () => `${base}?limit=20&search=${rareTerm()}` },
]

/** Measures alone, and while other clients search the large workspace as fast as they can. */
async function measureBeside(
  { open, tenants, plain }: Bench,
  request: (typeof small_requests)[number],
): Promise<Comparison> {
  const small = open(tenants.small.token)
  const measure = async () => {
    const times_ms: number[] = []
    for (const until = performance.now() + beside_ms; performance.now() < until; await sleep(20)) {
      times_ms.push(await timed(() => small.get(request.path())))
    }
    return median(times_ms)
  }
  const alone = await measure()
  const terms = (await filterValues(plain)).filter(({ parameter }) => parameter === 'search')
  const values = terms.flatMap(({ values }) => values)
  let is_done = false
  const search = async (client: Client) => {
    while (!is_done)
      await client.get(`${base}?limit=20&search=${encodeURIComponent(pickRandom(values))}`).catch(ignoreRejection)
  }
  const searching = Array.from({ length: clients }, () => search(open(tenants.big.token)))
  const loaded = await measure()
  is_done = true
  await Promise.all(searching)
  return atMost(request.name, loaded, alone, 2)
}

/** Searches above the concurrency limit are rejected; the client continues. */
function ignoreRejection(error: Error): void {
  if (!error.message.includes('SERVICE_UNAVAILABLE')) throw error
}

function write(client: Client, ids: string[]): Promise<unknown> {
  return client.send('PATCH', `${base}/${pickRandom(ids)}`, { notes: `Called back at ${performance.now()}.` })
}

async function afterWrite(client: Client, ids: string[], path: string): Promise<number> {
  await write(client, ids)
  return timed(() => client.get(path))
}

/** The server builds the short-search totals of large workspaces after it starts. */
async function waitForTotals(pool: Pool, signal: AbortSignal): Promise<void> {
  const started_at = performance.now()
  const isBuilt = async () => await pool.maybe(sql`select from contact_search_tallies where is_built`)
  for (; !(await isBuilt()); await sleep(200)) signal.throwIfAborted()
  console.log(`Short-search totals were built after ${((performance.now() - started_at) / 1000).toFixed(1)} s.\n`)
}
