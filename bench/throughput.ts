import { randomBytes } from 'node:crypto'
import type { Sample } from './bare.ts'
import { type Database, openDatabase } from './database.ts'
import { fill } from './fill.ts'
import { residentMegabytes } from './memory.ts'
import type { Settings } from './plain.ts'
import { type Server, startLoad, startServer } from './processes.ts'
import { type Row, rows, type Tenant } from './rows.ts'
import { type Measured, median, memoryLine, tableHead, tableLine } from './table.ts'

const rounds = 5
const measured_ms = 1_000
const warm_up_ms = 300
/** Longer in the first round of a row, so that the code of the server is compiled. */
const first_warm_up_ms = 3_000
const memory_max_megabytes = 250

type Name = 'ours' | 'plain' | 'bare'

const method = `Requests per second from another process with 64 connections, on this machine, with 100,000 contacts.
  Parley  with everything: key, scope, limit (set high), validation, envelope, idempotency, events, exact counts
  plain   a hand-written Fastify and pg handler with none of that, on the same table, with named statements and a pool of the
          same size; its list runs the page query and count(*), its create is a bare insert
  bare    Fastify alone, which returns the same bytes and headers without a database
PostgreSQL's durability settings are on. Each figure is the median of ${rounds} rounds of ${measured_ms} ms after a warm-up; the three
servers take turns. The target of each ratio is in parentheses.
`

/** Measures the three servers, row by row. */
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
          has_own_responses: name !== 'bare',
        })
        figures[name].push(per_second)
      }
      memory = Math.max(memory, residentMegabytes(servers.ours.pid))
    }
    return { name: row.name, ours: median(figures.ours), plain: median(figures.plain), bare: median(figures.bare) }
  }

  console.log(tableHead())
  const table: Measured[] = []
  for (const row of rows) {
    const measured = await measureRow(row)
    console.log(tableLine(measured, row.targets))
    table.push(measured)
  }
  console.log(`\n${memoryLine(memory, memory_max_megabytes)}`)
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
  const bare = await startServer(stack, 'bench/bare.ts', [], {}, await recordSamples(ours, tenants))
  return { ours, plain, bare }
}

/** Records a response of Parley for each kind of request. */
async function recordSamples({ port }: Server, tenants: Tenant[]): Promise<Sample[]> {
  const samples = new Map<string, Sample>()
  for (const row of rows) {
    const { method, path, token, headers, body } = row.request(tenants, 0)
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (response.status !== row.status) throw new Error(`${row.name}: ${response.status} ${text}`)
    const response_headers = Object.fromEntries(
      [...response.headers].filter(([name]) => !framework_headers.includes(name)),
    )
    samples.set(`${method} ${row.route}`, {
      method,
      route: row.route,
      status: row.status,
      headers: response_headers,
      body: text,
    })
  }
  return [...samples.values()]
}

/** Set by the framework itself. */
const framework_headers = ['date', 'connection', 'keep-alive', 'content-length']
