import { randomBytes } from 'node:crypto'
import type { Sample } from './bare.ts'
import { type Database, openDatabase } from './database.ts'
import { fill } from './fill.ts'
import { residentMegabytes } from './memory.ts'
import type { Settings } from './plain.ts'
import { type Server, startLoad, startServer } from './processes.ts'
import { type Row, rows, type Tenant } from './rows.ts'
import { headOf, lineOf, type Measured, median, memoryLine } from './table.ts'

const rounds = 5
const measured_ms = 1_000
const warm_up_ms = 300
/** In the first round of a row, the server's code for it is still cold: what is measured is a server that has run for a while. */
const first_warm_up_ms = 3_000

type Name = 'ours' | 'plain' | 'bare'

const method = `Requests a second at 64 connections from a second process, on this machine, over 100,000 contacts.
  Parley  everything on: key, scope, limit (set high), validation, envelope, idempotency, events, exact counts
  plain   a hand-written Fastify and pg handler with none of that, on the same table; named statements, a pool of the
          same size; its list runs the page query and count(*), its create is a bare insert
  bare    Fastify alone, answering the same bytes, headers too, without a database
PostgreSQL's durability settings are on. Each figure is the median of ${rounds} rounds of ${measured_ms} ms after a warm-up, the three
taking turns. Behind a ratio stands what it is to reach.
`

/** Parley beside its peers, row by row. */
export async function throughput(stack: AsyncDisposableStack, signal: AbortSignal): Promise<Measured[]> {
  console.log(method)
  const database = await openDatabase(stack)
  const tenants = await fill(database.pool, signal)
  const servers = await startAll(stack, database, tenants)
  const measure = startLoad(stack, tenants, signal)
  const names: Name[] = ['ours', 'plain', 'bare']
  let memory = 0

  async function measureRow(row: Row): Promise<Measured> {
    const figures: Record<Name, number[]> = { ours: [], plain: [], bare: [] }
    for (let round = 0; round < rounds; round += 1) {
      for (const [turn] of names.entries()) {
        const name = names[(round + turn) % names.length] ?? 'ours'
        const { per_second } = await measure({
          row: row.name,
          port: servers[name].port,
          warm_up_ms: round === 0 ? first_warm_up_ms : warm_up_ms,
          measured_ms,
          is_real: name !== 'bare',
        })
        figures[name].push(per_second)
      }
      memory = Math.max(memory, residentMegabytes(servers.ours.pid))
    }
    return { name: row.name, ours: median(figures.ours), plain: median(figures.plain), bare: median(figures.bare) }
  }

  console.log(headOf())
  const table: Measured[] = []
  for (const row of rows) {
    const measured = await measureRow(row)
    console.log(lineOf(measured, row.to_reach))
    table.push(measured)
  }
  console.log(`\n${memoryLine(memory)}`)
  return table
}

async function startAll(
  stack: AsyncDisposableStack,
  { url }: Database,
  tenants: Tenant[],
): Promise<Record<Name, Server>> {
  const ours = await startServer(stack, 'bin/parley.mjs', ['serve'], {
    DATABASE_URL: url,
    PORT: '0',
    SECRETS_KEY: randomBytes(32).toString('base64'),
    RATE_LIMIT_PER_SECOND: '1000000',
    BOOTSTRAP_API_KEY: tenants[0]?.token ?? '',
    LOG_LEVEL: 'info',
  })
  const workspaces = Object.fromEntries(tenants.map(({ token, workspace_id }) => [`Bearer ${token}`, workspace_id]))
  const settings: Settings = { database_url: url, workspaces }
  const plain = await startServer(stack, 'bench/plain.ts', [], {}, settings)
  const bare = await startServer(stack, 'bench/bare.ts', [], {}, await samplesOf(ours, tenants))
  return { ours, plain, bare }
}

/** What Parley answers to each kind of request. */
async function samplesOf({ port }: Server, tenants: Tenant[]): Promise<Sample[]> {
  const samples = new Map<string, Sample>()
  for (const row of rows) {
    const { method, path, token, headers, body } = row.ask(tenants, 0)
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (response.status !== row.status) throw new Error(`${row.name}: ${response.status} ${text}`)
    const headers_given = Object.fromEntries([...response.headers].filter(([name]) => !own_headers.includes(name)))
    samples.set(`${method} ${row.route}`, {
      method,
      route: row.route,
      status: row.status,
      headers: headers_given,
      body: text,
    })
  }
  return [...samples.values()]
}

/** What the framework sets itself. */
const own_headers = ['date', 'connection', 'keep-alive', 'content-length']
