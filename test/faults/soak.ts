import assert from 'node:assert/strict'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../../server/kit/postgres/sql.ts'
import { type Client, openClient, waitUntil } from './client.ts'
import { formatMegabytes } from './durations.ts'
import { type Ledger, openLedger } from './ledger.ts'
import { between, pick, type Random, split } from './random.ts'
import type { RunOptions, Scenario } from './scenario.ts'
import {
  fileHandles,
  makeTempFolder,
  newTenant,
  residentBytes,
  type Service,
  startService,
  type Tenant,
  withEmbeddedPool,
} from './service.ts'

const short_ms = 1_500
const writers = 5
const readers = 4
/** Those of the server, and the one that counts them. */
const connections_max = 11
const growth_max = 1.1

export const scenario: Scenario = {
  name: 'soak',
  about: 'under mixed load memory stays flat, and no connection or file handle is leaked',
  run,
}

interface Sample {
  resident: number
  connections: number
}

async function run({ is_long, minutes, random, print }: RunOptions): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const data_dir = path.join(makeTempFolder(stack, 'soak'), 'data')
  const service = await startService(stack, { DATA_DIR: data_dir })
  const tenant = await withEmbeddedPool(data_dir, newTenant)
  const ledger = openLedger()
  const length_ms = is_long ? minutes * 60_000 : short_ms
  const samples_max = is_long ? 100 : 5
  const samples: Sample[] = []
  let reads = await underLoad(service, tenant, ledger, random, () => sleep(length_ms / 10))
  const handles = await handlesAtRest(service, data_dir)
  reads += await underLoad(service, tenant, ledger, random, async () => {
    while (samples.length < samples_max) {
      await sleep((length_ms * 0.9) / samples_max)
      samples.push({ resident: residentBytes(service.pid), connections: await connectionsOf(data_dir) })
    }
  })
  const handles_after = await handlesAtRest(service, data_dir)
  const client = openClient(service.url, tenant.key)
  await ledger.assertMatches(client)
  client.close()
  await service.stop()
  check(samples, is_long, print)
  assert.ok((handles_after ?? 0) <= (handles ?? 0), `${handles_after} file handles at the end, ${handles} at the start`)
  const { acknowledged, unavailable, unanswered } = ledger.tally
  assert.deepEqual([unavailable, unanswered], [0, 0])
  print(`${(length_ms / 1000).toFixed()} s: ${acknowledged} writes and ${reads} reads, all answered; 0 lost`)
  print(`file handles without connections: ${handles} at the start, ${handles_after} at the end`)
}

/** Returns the number of reads. */
async function underLoad(
  { url }: Service,
  { key }: Tenant,
  ledger: Ledger,
  random: Random,
  meanwhile: () => Promise<void>,
): Promise<number> {
  let is_over = false
  let reads = 0
  const isOver = () => is_over
  const clients = Array.from({ length: writers + readers }, () => openClient(url, key))
  const countRead = () => {
    reads += 1
  }
  const working = Promise.all([
    ...clients.slice(readers).map((client) => ledger.runWrites(client, split(random), isOver)),
    ...clients.slice(0, readers).map((client) => read(client, split(random), isOver, countRead)),
  ])
  working.catch(() => {})
  try {
    await meanwhile()
    is_over = true
    await working
    return reads
  } finally {
    is_over = true
    for (const client of clients) client.close()
  }
}

function check(samples: Sample[], is_long: boolean, print: (line: string) => void): void {
  const most = Math.max(...samples.map(({ connections }) => connections))
  assert.ok(most <= connections_max, `${most} database connections`)
  // Not from the start: memory that is allocated during warm-up is not a leak.
  const early = medianOf(samples.slice(samples.length * 0.3, samples.length * 0.5))
  const late = medianOf(samples.slice(samples.length * 0.8))
  const growth = `resident memory ${formatMegabytes(early)} in the middle, ${formatMegabytes(late)} at the end`
  if (is_long) assert.ok(late <= early * growth_max, growth)
  print(`${growth}; at most ${most - 1} database connections`)
}

const medianOf = (samples: Sample[]): number =>
  samples.map(({ resident }) => resident).toSorted((left, right) => left - right)[Math.floor(samples.length / 2)] ?? 0

async function read({ call }: Client, random: Random, isOver: () => boolean, countRead: () => void): Promise<void> {
  let id = ''
  while (!isOver()) {
    const paths = ['/contacts', '/contacts?limit=5&offset=3', '/contacts?search=created', `/contacts/${id}`, '/agents']
    const { status, body } = await call(
      'GET',
      pick(
        random,
        paths.filter((path) => path !== '/contacts/'),
      ),
    )
    // The contact may have been deleted.
    assert.ok(status === 200 || (status === 404 && id), `${status}`)
    if (Array.isArray(body.data)) id = body.data[0]?.id ?? id
    countRead()
    await sleep(between(random, 0, 5))
  }
}

/** Waits until the connections of clients are closed. Does not count connections to the database. */
async function handlesAtRest({ pid }: Service, data_dir: string): Promise<number | undefined> {
  let before = -1
  await waitUntil('the connections of clients are closed', async () => {
    const now = fileHandles(pid) ?? 0
    const is_stable = now === before
    before = now
    await sleep(200)
    return is_stable
  })
  const handles = fileHandles(pid)
  return handles === undefined ? undefined : handles + 1 - (await connectionsOf(data_dir))
}

async function connectionsOf(data_dir: string): Promise<number> {
  const { count } = await withEmbeddedPool(data_dir, (pool) =>
    pool.one<{ count: number }>(sql`select count(*) from pg_stat_activity where application_name = 'parley'`),
  )
  return count
}
