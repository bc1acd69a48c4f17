import assert from 'node:assert/strict'
import http from 'node:http'
import path from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { scopes } from '../../server/api.ts'
import { answers } from './client.ts'
import { megabytes } from './figures.ts'
import { type Hostile, requestsFor, uploads } from './hostile-inputs.ts'
import { type Pauses, watchPauses } from './pauses.ts'
import type { How, Scenario } from './scenario.ts'
import {
  folderFor,
  newTenant,
  overDatabase,
  residentBytes,
  type Service,
  startService,
  type Tenant,
} from './service.ts'

const share_of_uploads = { long: 1, short: 0.1 }
const requests = { long: 1_500, short: 60 }
/** On a quiet machine. */
const pause_max_ms = 250
const shown_max = 5
/** Far more than is needed, and far less than the largest of these inputs would take if it were held. */
const resident_max_bytes = 512 * 1024 * 1024
/** Says nothing about speed: what takes so long never comes. */
const hang_ms = 120_000
const look_again_ms = 100

export const scenario: Scenario = {
  name: 'hostile',
  about: 'forms, files, JSON and queries that are meant to do harm are refused or read, and nobody waits for it',
  run,
}

interface World {
  how: How
  service: Service
  tenant: Tenant
  pauses: Pauses
  /** The longest wait of others beside each of them, in milliseconds. */
  longest: Map<string, number>
  resident_bytes: number
}

async function run(how: How): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const DATA_DIR = path.join(folderFor(stack, 'hostile'), 'data')
  const service = await startService(stack, { DATA_DIR })
  const tenant = await overDatabase(DATA_DIR, (pool) => newTenant(pool, scopes))
  const pauses = await watchPauses(stack, service.url)
  await warmUp(service, tenant)
  const alone_ms = await quietPause(pauses)
  const world: World = { how, service, tenant, pauses, longest: new Map(), resident_bytes: 0 }
  const inlet = await newInlet(service, tenant)
  const { is_long, random, say } = how

  const statuses = new Map<number, number>()
  const files = uploads(is_long ? share_of_uploads.long : share_of_uploads.short)
  for (const one of [...files, ...requestsFor(random, inlet, is_long ? requests.long : requests.short)]) {
    const status = await meet(world, one)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  await workOff(world)
  await lookAtReports(world)

  assert.equal(await answers(service.url, '/health'), true)
  assert.equal(await answers(service.url, '/ready'), true)
  assert.equal((await send(world, get('/contacts'))).status, 200)
  const longest = [...world.longest].sort(([, left], [, right]) => right - left)
  say(`${[...statuses].map(([status, count]) => `${count} answered ${status}`).join(', ')}`)
  say(`/health waits ${alone_ms.toFixed(0)} ms at most alone, and beside them:`)
  for (const [name, ms] of longest.slice(0, shown_max)) say(`  ${ms.toFixed(0)} ms: ${name}`)
  say(`resident memory at most ${megabytes(world.resident_bytes)}`)
  assert.ok(world.resident_bytes < resident_max_bytes, `it takes ${megabytes(world.resident_bytes)}`)
  if (is_long) {
    const late = longest.filter(([, ms]) => ms >= pause_max_ms)
    assert.deepEqual(late, [], `others wait ${pause_max_ms} ms or longer`)
  }
  await pauses.stop()
  await service.stop()
}

/** Sends it; gives the status, which is never that of a fault of ours. */
async function meet(world: World, one: Hostile): Promise<number> {
  const { status, text } = await send(world, one).catch((error: unknown) => {
    throw new Error(`${one.name}: no answer`, { cause: error })
  })
  assert.ok(status >= 200 && status < 500, `${one.name}: ${status} ${text}`)
  await note(world, one.name)
  return status
}

async function note(world: World, name: string): Promise<void> {
  world.longest.set(name, Math.max(await world.pauses.take(), world.longest.get(name) ?? 0))
  world.resident_bytes = Math.max(world.resident_bytes, residentBytes(world.service.pid))
}

/** Until all imports that were begun have ended. */
async function workOff(world: World): Promise<void> {
  const begun_at = performance.now()
  for (;;) {
    const { text } = await send(world, get('/contacts/imports?limit=100'))
    const statuses: string[] = JSON.parse(text).data.map(({ status }: { status: string }) => status)
    await note(world, 'imports in the background')
    if (statuses.every((status) => status === 'finished')) return
    assert.ok(performance.now() - begun_at < hang_ms, `imports never end: ${statuses}`)
    await sleep(look_again_ms)
  }
}

async function lookAtReports(world: World): Promise<void> {
  const { text } = await send(world, get('/contacts/imports?limit=100'))
  for (const { id } of JSON.parse(text).data) {
    for (const end of ['rows?limit=1', 'rows?limit=100', 'rows.csv']) {
      assert.equal((await send(world, get(`/contacts/imports/${id}/${end}`))).status, 200)
      await note(world, `a report of hostile rows: ${end}`)
    }
  }
}

const get = (path: string): Hostile => ({ name: path, method: 'GET', path, headers: {}, body: () => [] })

function send(
  { service, tenant }: Pick<World, 'service' | 'tenant'>,
  one: Hostile,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const address = `${service.url}${one.path.startsWith('/in/') ? '' : '/api/v1'}${one.path}`
    const request = http.request(address, {
      method: one.method,
      headers: { authorization: `Bearer ${tenant.key}`, connection: 'close', ...one.headers },
      signal: AbortSignal.timeout(hang_ms),
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
    // What comes after the answer says nothing any more.
    request.on('error', reject)
    Readable.from(one.body(), { objectMode: false }).on('error', reject).pipe(request)
  })
}

async function newInlet(service: Service, tenant: Tenant): Promise<string> {
  const said = { name: 'Form', field_map: { phone_number: '/phone', tags: '/tags', crm_ids: { crm: '/id' } } }
  const made = { ...get('/integrations'), method: 'POST', headers: { 'content-type': 'application/json' } }
  const { text } = await send({ service, tenant }, { ...made, body: () => [Buffer.from(JSON.stringify(said))] })
  return new URL(JSON.parse(text).data.url).pathname
}

/** What is done for the first time takes longer. */
async function warmUp(service: Service, tenant: Tenant): Promise<void> {
  for (let count = 0; count < 50; count += 1) await send({ service, tenant }, get('/contacts'))
}

async function quietPause(pauses: Pauses): Promise<number> {
  await pauses.take()
  await sleep(500)
  return pauses.take()
}
