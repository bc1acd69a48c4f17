import assert from 'node:assert/strict'
import http from 'node:http'
import path from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { scopes } from '../../server/api.ts'
import { attacks } from './attacks/attacks.ts'
import { isOk } from './client.ts'
import { formatMegabytes } from './durations.ts'
import { type HealthWaits, watchHealth } from './health-waits.ts'
import { type HostileRequest, hostileRequests, hostileUploads } from './hostile-inputs.ts'
import type { RunOptions, Scenario } from './scenario.ts'
import {
  makeTempFolder,
  newTenant,
  residentBytes,
  type Service,
  startService,
  type Tenant,
  withEmbeddedPool,
} from './service.ts'

const share_of_uploads = { long: 1, short: 0.02 }
const requests = { long: 1_500, short: 60 }
/** On a quiet machine. */
const wait_max_ms = 250
const shown_max = 5
/**
 * Far more than needed, and far less than the largest input would use if it were kept in memory. During attacks threads forecast
 * campaigns and render calls, each with memory of its own.
 */
const resident_max_bytes = { requests: 512 * 1024 * 1024, attacks: 1024 * 1024 * 1024 }
/** Long enough for any machine: only a request that hangs takes longer. */
const timeout_ms = 120_000
const poll_every_ms = 100

export const scenario: Scenario = {
  name: 'hostile',
  about: 'hostile requests, files and peers are served or rejected, and other requests are not delayed',
  run,
}

interface World {
  options: RunOptions
  data_dir: string
  service: Service
  tenant: Tenant
  waits: HealthWaits
  /** The longest wait for /health during each request, in milliseconds. */
  longest: Map<string, number>
  resident_bytes: number
}

async function run(options: RunOptions): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const DATA_DIR = path.join(makeTempFolder(stack, 'hostile'), 'data')
  const service = await startService(stack, { DATA_DIR, OUTBOUND_ALLOW_HOSTS: '127.0.0.1' })
  const tenant = await withEmbeddedPool(DATA_DIR, (pool) => newTenant(pool, scopes))
  const waits = await watchHealth(stack, service.url)
  await warmUp(service, tenant)
  const alone_ms = await waitWhenIdle(waits)
  const world: World = { options, data_dir: DATA_DIR, service, tenant, waits, longest: new Map(), resident_bytes: 0 }
  const integration_path = await newIntegration(service, tenant)
  const { is_long, random, print } = options

  const statuses = new Map<number, number>()
  const files = hostileUploads(is_long ? share_of_uploads.long : share_of_uploads.short)
  for (const one of [
    ...files,
    ...hostileRequests(random, integration_path, is_long ? requests.long : requests.short),
  ]) {
    const status = await sendHostile(world, one)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  await waitForImports(world)
  await readImportRows(world)
  assertResident(world, resident_max_bytes.requests)
  await runAttacks(world)
  assertResident(world, resident_max_bytes.attacks)

  assert.equal(await isOk(service.url, '/health'), true)
  assert.equal(await isOk(service.url, '/ready'), true)
  assert.equal((await send(world, get('/contacts'))).status, 200)
  const longest = [...world.longest].sort(([, left], [, right]) => right - left)
  print(`${[...statuses].map(([status, count]) => `${count} answered ${status}`).join(', ')}`)
  print(`/health waits at most ${alone_ms.toFixed(0)} ms alone, and meanwhile:`)
  for (const [name, ms] of longest.slice(0, shown_max)) print(`  ${ms.toFixed(0)} ms: ${name}`)
  print(`resident memory at most ${formatMegabytes(world.resident_bytes)}`)
  if (is_long) {
    const late = longest.filter(([, ms]) => ms >= wait_max_ms)
    assert.deepEqual(late, [], `/health waited ${wait_max_ms} ms or longer`)
  }
  await waits.stop()
  await service.stop()
}

const assertResident = ({ resident_bytes }: World, max_bytes: number): void =>
  assert.ok(resident_bytes < max_bytes, `resident memory is ${formatMegabytes(resident_bytes)}`)

/** One after the other. What an attack has opened is ended before the next one. */
async function runAttacks(world: World): Promise<void> {
  const { options, data_dir, service, tenant } = world
  const { is_long, print } = options
  for (const { name, run } of attacks) {
    await using stack = new AsyncDisposableStack()
    await run({ stack, url: service.url, data_dir, attacker: tenant, is_long, print })
    await recordWait(world, name)
    const memory = formatMegabytes(residentBytes(service.pid))
    print(`${name}: /health waited at most ${world.longest.get(name)?.toFixed(0)} ms, resident memory ${memory}`)
  }
}

/** Sends the request and returns its status, which is never 5xx. */
async function sendHostile(world: World, one: HostileRequest): Promise<number> {
  const { status, text } = await send(world, one).catch((error: unknown) => {
    throw new Error(`${one.name}: no response`, { cause: error })
  })
  assert.ok(status >= 200 && status < 500, `${one.name}: ${status} ${text}`)
  await recordWait(world, one.name)
  return status
}

async function recordWait(world: World, name: string): Promise<void> {
  world.longest.set(name, Math.max(await world.waits.takeLongest(), world.longest.get(name) ?? 0))
  world.resident_bytes = Math.max(world.resident_bytes, residentBytes(world.service.pid))
}

/** Waits until all imports are finished. */
async function waitForImports(world: World): Promise<void> {
  const begun_at = performance.now()
  for (;;) {
    const { text } = await send(world, get('/contacts/imports?limit=100'))
    const statuses: string[] = JSON.parse(text).data.map(({ status }: { status: string }) => status)
    await recordWait(world, 'imports in the background')
    if (statuses.every((status) => status === 'finished')) return
    assert.ok(performance.now() - begun_at < timeout_ms, `imports do not finish: ${statuses}`)
    await sleep(poll_every_ms)
  }
}

async function readImportRows(world: World): Promise<void> {
  const { text } = await send(world, get('/contacts/imports?limit=100'))
  for (const { id } of JSON.parse(text).data) {
    for (const end of ['rows?limit=1', 'rows?limit=100', 'rows.csv']) {
      assert.equal((await send(world, get(`/contacts/imports/${id}/${end}`))).status, 200)
      await recordWait(world, `rows of a hostile import: ${end}`)
    }
  }
}

const get = (path: string): HostileRequest => ({ name: path, method: 'GET', path, headers: {}, body: () => [] })

function send(
  { service, tenant }: Pick<World, 'service' | 'tenant'>,
  one: HostileRequest,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const address = `${service.url}${one.path.startsWith('/in/') ? '' : '/api/v1'}${one.path}`
    const request = http.request(address, {
      method: one.method,
      headers: { authorization: `Bearer ${tenant.key}`, connection: 'close', ...one.headers },
      signal: AbortSignal.timeout(timeout_ms),
    })
    request.on('response', (response) => {
      const is_endless = response.headers['content-type'] === 'text/event-stream'
      const begun: Buffer[] = []
      response.on('data', (bytes) => begun.length < 100 && begun.push(bytes))
      const end = () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(begun).toString() })
      if (is_endless) {
        end()
        response.on('error', () => {}).destroy()
      } else response.on('end', end).on('error', reject)
    })
    request.on('error', reject)
    Readable.from(one.body(), { objectMode: false }).on('error', reject).pipe(request)
  })
}

async function newIntegration(service: Service, tenant: Tenant): Promise<string> {
  const body = { name: 'Form', field_map: { phone_number: '/phone', tags: '/tags', crm_ids: { crm: '/id' } } }
  const create = { ...get('/integrations'), method: 'POST', headers: { 'content-type': 'application/json' } }
  const { text } = await send({ service, tenant }, { ...create, body: () => [Buffer.from(JSON.stringify(body))] })
  return new URL(JSON.parse(text).data.url).pathname
}

/** The first requests take longer. */
async function warmUp(service: Service, tenant: Tenant): Promise<void> {
  for (let count = 0; count < 50; count += 1) await send({ service, tenant }, get('/contacts'))
}

async function waitWhenIdle(waits: HealthWaits): Promise<number> {
  await waits.takeLongest()
  await sleep(500)
  return waits.takeLongest()
}
