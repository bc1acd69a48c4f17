import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { openDatabase } from '../database.ts'
import { startServer } from '../processes.ts'
import { pickRandom } from '../rows.ts'
import { median } from '../table.ts'
import { type Client, openClient } from './client.ts'
import { type Crowd, fillScale } from './fill.ts'
import { openPlain, type Plain } from './plain.ts'
import { askedTerms, rareTerm, type Terms } from './terms.ts'

const seed = 20_261_115
const samples = 15
const clients = 8
const turns = 8
const turn_ms = 500
const beside_ms = 6_000
const base = '/api/v1/contacts'

const method = `One workspace with 1,000,000 contacts beside 1,000 with 100 each, on this machine, from one run.
Latencies are medians of ${samples} requests, one at a time: another term each, and a write before each. Plain SQL is the page query
and count(*) with the same filter, sent at the same time by the driver alone, over the indexes that one would give such a table;
the two take turns. Throughputs are with ${clients} clients, a workspace of 1,000 contacts and the large one by turns.
Behind a ratio stands what it is to reach.
`

/** What it took (milliseconds, or requests a second), beside what it is measured by. */
export interface Scaled {
  name: string
  ours: number
  beside: number
  ratio: number
  to_reach: string
  is_met: boolean
}

export async function scale(stack: AsyncDisposableStack, signal: AbortSignal): Promise<Scaled[]> {
  console.log(method)
  const database = await openDatabase(stack)
  const crowd = await fillScale(database, seed, signal)
  const { port } = await startServer(stack, 'bin/parley.mjs', ['serve'], {
    DATABASE_URL: database.url,
    PORT: '0',
    SECRETS_KEY: randomBytes(32).toString('base64'),
    RATE_LIMIT_PER_SECOND: '1000000',
    // Searches beyond what is served are turned away, which it warns of.
    LOG_LEVEL: 'error',
  })
  const open = (token: string) => openClient(stack, port, token)
  const plain = await openPlain(stack, database.url, crowd.big.workspace_id)
  await tallied(database.pool, signal)
  const table: Scaled[] = []
  const told = (row: Scaled) => {
    table.push(row)
    console.log(lineOf(row))
  }
  console.log(headOf())
  const bench = { big: open(crowd.big.token), medium: open(crowd.medium.token), open, crowd, plain, signal }
  for await (const row of rowsOf(bench)) told(row)
  return table
}

interface Bench {
  big: Client
  medium: Client
  open: (token: string) => Client
  crowd: Crowd
  plain: Plain
  signal: AbortSignal
}

async function* rowsOf(bench: Bench): AsyncGenerator<Scaled> {
  yield await firstPage(bench)
  for (const terms of await askedTerms(bench.plain)) yield await filtered(bench, terms)
  for (const offset of [800_000, 500_000]) yield await deep(bench, offset)
  yield await byCursor(bench)
  for (const work of works) yield await throughput(bench, work)
  for (const look of looks) yield await beside(bench, look)
}

async function firstPage({ big, medium, crowd }: Bench): Promise<Scaled> {
  const [ours, other] = await byTurns(
    () => afterWrite(big, crowd.big.ids, `${base}?limit=20`),
    () => afterWrite(medium, crowd.medium.ids, `${base}?limit=20`),
  )
  return atMost('first page, beside 1,000 contacts', ours, other, 2)
}

async function filtered(
  { big, crowd, plain }: Bench,
  { name, parameter, values, filter, to_reach }: Terms,
): Promise<Scaled> {
  const rest = values.values()
  let value = ''
  const [ours, other] = await byTurns(
    () => {
      value = rest.next().value ?? value
      return afterWrite(big, crowd.big.ids, `${base}?limit=20&${parameter}=${encodeURIComponent(value)}`)
    },
    async () => {
      await plain.write(pickRandom(crowd.big.ids))
      return timed(() => plain.list(filter(value), 0))
    },
  )
  return atMost(name, ours, other, to_reach)
}

async function deep({ big, crowd, plain }: Bench, depth: number): Promise<Scaled> {
  let offset = depth
  const [ours, other] = await byTurns(
    () => {
      offset += 20
      return afterWrite(big, crowd.big.ids, `${base}?limit=20&offset=${offset}`)
    },
    async () => {
      await plain.write(pickRandom(crowd.big.ids))
      return timed(() => plain.page(undefined, offset))
    },
  )
  return atMost(`offset=${depth}`, ours, other, 0.5)
}

async function byCursor({ big, crowd }: Bench): Promise<Scaled> {
  let { next_cursor } = (await big.get(`${base}?limit=20&offset=800000`)).pagination
  const [ours, other] = await byTurns(
    async () => {
      await write(big, crowd.big.ids)
      return timed(async () => {
        const page = await big.get(`${base}?limit=20&cursor=${next_cursor}`)
        next_cursor = page.pagination.next_cursor
      })
    },
    () => afterWrite(big, crowd.big.ids, `${base}?limit=20`),
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

/** In short turns, so that what else the machine does hits both. */
async function throughput({ open, crowd, signal }: Bench, { name, run }: Work): Promise<Scaled> {
  const measure = async ({ token, ids }: Crowd['big']) => {
    const talkers = Array.from({ length: clients }, () => open(token))
    const until = performance.now() + turn_ms
    let answers = 0
    const talk = async (client: Client) => {
      for (; performance.now() < until; answers += 1) await run(client, ids)
    }
    await Promise.all(talkers.map(talk))
    return answers / (turn_ms / 1000)
  }
  const [ours, other]: [number[], number[]] = [[], []]
  for (let turn = 0; turn <= turns; turn += 1) {
    signal.throwIfAborted()
    const large = await measure(crowd.big)
    const medium = await measure(crowd.medium)
    // The first turn warms up.
    if (turn === 0) continue
    ours.push(large)
    other.push(medium)
  }
  const ratio = median(ours) / median(other)
  const row = { name: `${name}, a second, beside 1,000 contacts`, ours: median(ours), beside: median(other), ratio }
  return { ...row, to_reach: 'at least 0.8', is_met: ratio >= 0.8 }
}

const looks = [
  { name: 'list of a small workspace beside searches', path: () => `${base}?limit=20` },
  { name: 'search in a small workspace beside searches', path: () => `${base}?limit=20&search=${rareTerm()}` },
]

/** Alone, and while others search the large workspace as fast as they can. */
async function beside({ open, crowd, plain }: Bench, look: (typeof looks)[number]): Promise<Scaled> {
  const small = open(crowd.small.token)
  const measure = async () => {
    const taken: number[] = []
    for (const until = performance.now() + beside_ms; performance.now() < until; await sleep(20)) {
      taken.push(await timed(() => small.get(look.path())))
    }
    return median(taken)
  }
  const alone = await measure()
  const terms = (await askedTerms(plain)).filter(({ parameter }) => parameter === 'search')
  const values = terms.flatMap((of_kind) => of_kind.values)
  let is_over = false
  const search = async (client: Client) => {
    while (!is_over)
      await client.get(`${base}?limit=20&search=${encodeURIComponent(pickRandom(values))}`).catch(ifTooMuch)
  }
  const searching = Array.from({ length: clients }, () => search(open(crowd.big.token)))
  const crowded = await measure()
  is_over = true
  await Promise.all(searching)
  return atMost(look.name, crowded, alone, 2)
}

/** Who asks for more than is served is told so, and goes on. */
function ifTooMuch(error: Error): void {
  if (!error.message.includes('SERVICE_UNAVAILABLE')) throw error
}

function write(client: Client, ids: string[]): Promise<unknown> {
  return client.send('PATCH', `${base}/${pickRandom(ids)}`, { notes: `Called back at ${performance.now()}.` })
}

async function afterWrite(client: Client, ids: string[], path: string): Promise<number> {
  await write(client, ids)
  return timed(() => client.get(path))
}

async function byTurns(...measures: (() => Promise<number>)[]): Promise<number[]> {
  const taken = measures.map((): number[] => [])
  for (let round = 0; round <= samples; round += 1) {
    for (const [index, measure] of measures.entries()) {
      const took = await measure()
      // The first round warms up.
      if (round > 0) taken[index]?.push(took)
    }
  }
  return taken.map(median)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun_at = performance.now()
  await work()
  return performance.now() - begun_at
}

/** Large workspaces keep totals for short searches, which the server begins with when it starts. */
async function tallied(pool: Pool, signal: AbortSignal): Promise<void> {
  const begun_at = performance.now()
  const isBuilt = async () => await pool.maybe(sql`select from contact_search_tallies where is_built`)
  for (; !(await isBuilt()); await sleep(200)) signal.throwIfAborted()
  console.log(`Totals for short searches were there after ${((performance.now() - begun_at) / 1000).toFixed(1)} s.\n`)
}

function atMost(name: string, ours = 0, beside = 0, limit = 0): Scaled {
  const ratio = ours / beside
  return { name, ours, beside, ratio, to_reach: `at most ${limit}`, is_met: ratio <= limit }
}

const headOf = (): string => columns('', 'Parley', 'beside', 'ratio', '')

const lineOf = ({ name, ours, beside: other, ratio, to_reach, is_met }: Scaled): string =>
  columns(name, ours.toFixed(1), other.toFixed(1), ratio.toFixed(2), `(${to_reach}: ${is_met ? 'met' : 'missed'})`)

const columns = (name: string, ...rest: string[]): string =>
  name.padEnd(46) + rest.map((text, index) => (index < 3 ? text.padStart(10) : `  ${text}`)).join('')
