import assert from 'node:assert/strict'
import http from 'node:http'
import path from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { scopes } from '../../server/api.ts'
import { attacks } from './attacks/attacks.ts'
import { isOk } from './client.ts'
import { formatMegabytes } from './durations.ts'
import { type HostileRequest, hostileRequests, hostileUploads } from './hostile-inputs.ts'
import { describePause, isLong, type Pause, type Pauses, pause_max_ms, watchPauses } from './pauses.ts'
import { openPieces, type Pieces } from './pieces.ts'
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
const shown_max = 5
const alone_for_ms = 2_000
const memory_every_ms = 500
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

interface Measured {
  pause: Pause
  alone: Pause
}

interface World {
  options: RunOptions
  data_dir: string
  service: Service
  tenant: Tenant
  pauses: Pauses
  pieces: Pieces
  /** When the service did nothing else, the last time that this was measured. */
  alone: Pause
  /** The longest during each request and attack. */
  longest: Map<string, Measured>
  resident_bytes: number
}

async function run(options: RunOptions): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const folder = makeTempFolder(stack, 'hostile')
  const DATA_DIR = path.join(folder, 'data')
  const pieces = openPieces(folder)
  const service = await startService(stack, { DATA_DIR, OUTBOUND_ALLOW_HOSTS: '127.0.0.1', ...pieces.environment })
  const [tenant, bystander] = await withEmbeddedPool(DATA_DIR, async (pool) => [
    await newTenant(pool, scopes),
    await newTenant(pool),
  ])
  await warmUp(service, tenant)
  const pauses = await watchPauses(stack, service.url, bystander)
  const alone = await pauseWhenAlone(pauses)
  const found = { alone, longest: new Map(), resident_bytes: 0 }
  const world: World = { options, data_dir: DATA_DIR, service, tenant, pauses, pieces, ...found }
  if (options.attacks === undefined) await sendRequests(world)
  await runAttacks(world)
  assertResident(world, resident_max_bytes.attacks)

  assert.equal(await isOk(service.url, '/health'), true)
  assert.equal(await isOk(service.url, '/ready'), true)
  assert.equal((await send(world, get('/contacts'))).status, 200)
  report(world)
  await pauses.stop()
  await service.stop()
}

async function sendRequests(world: World): Promise<void> {
  const integration_path = await newIntegration(world.service, world.tenant)
  const { is_long, random, print } = world.options
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
  print(`${[...statuses].map(([status, count]) => `${count} answered ${status}`).join(', ')}`)
}

/** Fails for each pause that is too long. A machine that is busy with other things shows in the waits alone. */
function report({ options: { is_long, print }, longest, resident_bytes }: World): void {
  const worst = ({ pause }: Measured) => Math.max(pause.health_ms, pause.contacts_ms)
  const sorted = [...longest].sort(([, left], [, right]) => worst(right) - worst(left))
  const describe = ([name, { pause, alone }]: [string, Measured]) => `${name}: ${describePause(pause, alone)}`
  print('the longest waits:')
  for (const one of sorted.slice(0, shown_max)) print(`  ${describe(one)}`)
  print(`resident memory at most ${formatMegabytes(resident_bytes)}`)
  const late = sorted.filter(([, { pause }]) => isLong(pause)).map(describe)
  if (is_long) assert.deepEqual(late, [], `requests waited ${pause_max_ms} ms or longer`)
}

const assertResident = ({ resident_bytes }: World, max_bytes: number): void =>
  assert.ok(resident_bytes < max_bytes, `resident memory is ${formatMegabytes(resident_bytes)}`)

/** One after the other. What an attack has opened is ended before the next one. */
async function runAttacks(world: World): Promise<void> {
  const { options, data_dir, service, tenant } = world
  const { is_long, print } = options
  const wanted = attacks.filter(({ name }) => name.includes(options.attacks ?? ''))
  assert.notEqual(wanted.length, 0, `no attack has "${options.attacks}" in its name`)
  for (const { name, run } of wanted) {
    world.alone = await pauseWhenAlone(world.pauses)
    await using stack = new AsyncDisposableStack()
    const begun_at = performance.now()
    const timer = setInterval(() => recordMemory(world), memory_every_ms)
    stack.defer(() => clearInterval(timer))
    const beginMeasuring = async (): Promise<void> => {
      world.alone = await pauseWhenAlone(world.pauses)
    }
    world.pieces.takeLongest()
    const takeLongestPiece = world.pieces.takeLongest
    await run({ stack, url: service.url, data_dir, attacker: tenant, is_long, print, beginMeasuring, takeLongestPiece })
    await recordPause(world, name)
    const { pause } = world.longest.get(name) ?? { pause: world.alone }
    const took = `${((performance.now() - begun_at) / 1_000).toFixed(1)} s`
    const memory = formatMegabytes(residentBytes(service.pid))
    print(`${name}: ${took}, ${describePause(pause, world.alone)}, resident memory ${memory}`)
  }
}

/** Sends the request and returns its status, which is never 5xx. */
async function sendHostile(world: World, one: HostileRequest): Promise<number> {
  const { status, text } = await send(world, one).catch((error: unknown) => {
    throw new Error(`${one.name}: no response`, { cause: error })
  })
  assert.ok(status >= 200 && status < 500, `${one.name}: ${status} ${text}`)
  await recordPause(world, one.name)
  return status
}

async function recordPause(world: World, name: string): Promise<void> {
  const { alone, longest } = world
  const now = await world.pauses.takeLongest()
  recordMemory(world)
  const { pause } = longest.get(name) ?? { pause: now }
  const { health_ms, contacts_ms } = pause
  longest.set(name, {
    pause: { health_ms: Math.max(now.health_ms, health_ms), contacts_ms: Math.max(now.contacts_ms, contacts_ms) },
    alone,
  })
}

function recordMemory(world: World): void {
  world.resident_bytes = Math.max(world.resident_bytes, residentBytes(world.service.pid))
}

/** Waits until all imports are finished. */
async function waitForImports(world: World): Promise<void> {
  const begun_at = performance.now()
  for (;;) {
    const { text } = await send(world, get('/contacts/imports?limit=100'))
    const statuses: string[] = JSON.parse(text).data.map(({ status }: { status: string }) => status)
    await recordPause(world, 'imports in the background')
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
      await recordPause(world, `rows of a hostile import: ${end}`)
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

async function pauseWhenAlone(pauses: Pauses): Promise<Pause> {
  await pauses.takeLongest()
  await sleep(alone_for_ms)
  return pauses.takeLongest()
}
