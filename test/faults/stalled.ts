import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { addLargeContacts, askWithoutReading, beginningOf, begins, endOf } from '../support/readers.ts'
import { openClient, waitUntil } from './client.ts'
import { formatMegabytes } from './durations.ts'
import { isAtMostDoubled, measureQuietClients, p99_compared_from_ms } from './pressure.ts'
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

const contacts = { long: 100_000, short: 6_000 }
const readers = { long: 1_000, short: 100 }
const connect_at_once = 100
const disconnects = { long: 50, short: 2 }
const downloads_per_workspace_max = 4
/** Some pieces of 2 MB for each of the four, and the memory of a thousand connections. */
const grown_max_bytes = 160 * 1024 * 1024
/** A busy machine may be slow once, but a slowdown by the stalled clients would show in each measurement. */
const measurements_max = 3
/** When the server resets a client that reads nothing. */
const stalled_after_ms = 60_000

export const scenario: Scenario = {
  name: 'stalled',
  about: 'a thousand clients of one key that request an export and never read do not slow down others',
  run,
}

async function run(options: RunOptions): Promise<void> {
  const { is_long, print } = options
  const form = is_long ? 'long' : 'short'
  await using stack = new AsyncDisposableStack()
  const DATA_DIR = path.join(makeTempFolder(stack, 'stalled'), 'data')
  const service = await startService(stack, { DATA_DIR })
  const busy = await withEmbeddedPool(DATA_DIR, newTenant)
  const quiet = await withEmbeddedPool(DATA_DIR, newTenant)
  for (const [{ workspace }, count] of [[busy, contacts[form]] as const, [quiet, 1_000] as const]) {
    await withEmbeddedPool(DATA_DIR, (pool) => addLargeContacts(pool, workspace, count))
  }
  const sockets: Socket[] = []
  stack.defer(() => {
    for (const socket of sockets) socket.destroy()
  })
  const measure = () =>
    Promise.all([measureQuietClients(service, busy, is_long), measureQuietClients(service, quiet, is_long)])

  // A whole export first, as a warm-up and so that its memory is part of the baseline.
  assert.equal(await exportStatus(service, busy), 200)
  if (is_long) await measure()
  const [own_before, other_before] = await measure()
  const resident_before = residentBytes(service.pid)
  for (let round = 0; round < disconnects[form]; round += 1) await disconnectMidway(service, busy)
  print(
    `${disconnects[form]} times ${downloads_per_workspace_max} clients that disconnect midway: all served, no slot lost`,
  )

  while (sockets.length < readers[form]) {
    const some = Array.from({ length: connect_at_once }, () => requestExport(service, busy))
    sockets.push(...some)
    await Promise.all(some.map((socket) => once(socket, 'connect')))
  }
  // Each gets the first bytes of a file or a rejection, and then stalls.
  for (const socket of sockets) await begins(socket)
  assert.equal(await exportStatus(service, busy), 503, 'no slot is free')
  const during = [await measure()]
  const isSlower = () =>
    !during.some(([own, other]) => isAtMostDoubled(own_before, own) && isAtMostDoubled(other_before, other))
  while (is_long && isSlower() && during.length < measurements_max) during.push(await measure())
  const resident = residentBytes(service.pid)
  assert.equal(await exportStatus(service, quiet), 200, 'another workspace can export')
  assert.equal(await exportStatus(service, busy), 503)
  assert.ok(
    resident - resident_before < grown_max_bytes,
    `resident memory grew by ${formatMegabytes(resident - resident_before)}`,
  )
  print(
    `${readers[form]} clients of one key that never read: resident memory ${formatMegabytes(resident_before)} before, ${formatMegabytes(resident)} during`,
  )
  print(`the key's other requests alone: ${own_before.text}`)
  for (const [own] of during) print(`the key's other requests meanwhile: ${own.text}`)
  print(`another workspace alone: ${other_before.text}`)
  for (const [, other] of during) print(`another workspace meanwhile: ${other.text}`)
  if (is_long) {
    assert.ok(!isSlower(), `the 99th percentile more than doubled, ${during.length} times in a row`)
    print(
      `the 99th percentile at most doubled (not compared below ${p99_compared_from_ms} ms), measurement ${during.length} of at most ${measurements_max}`,
    )
  }
  if (is_long) await sleep(stalled_after_ms)
  else for (const socket of sockets) socket.destroy()
  await waitUntil('all slots are free again', async () => (await exportStatus(service, busy)) === 200)
  await disconnectMidway(service, busy)
  if (is_long) await countOutcomes(sockets, print)
  await abortByShutdown(service, busy)
}

const requestExport = ({ url }: Service, { key }: Tenant, version?: string): Socket =>
  askWithoutReading(url, key, '/contacts/export', version)

/** The status of a whole export: 503 only if no slot is free. */
async function exportStatus({ url }: Service, { key }: Tenant): Promise<number> {
  const client = openClient(url, key)
  let status = 0
  await waitUntil('the server is not overloaded', async () => {
    const answer = await client.call('GET', '/contacts/export')
    status = answer.status
    if (status !== 503) return true
    assert.equal(answer.body.error.code, 'SERVICE_UNAVAILABLE')
    return answer.headers['retry-after'] === '10'
  })
  client.close()
  return status
}

/** Starts as many as allowed and disconnects. Each is served only if earlier ones have released their slots. */
async function disconnectMidway(service: Service, tenant: Tenant): Promise<void> {
  const all = Array.from({ length: downloads_per_workspace_max }, async () => {
    await waitUntil('the download begins', async () => {
      const socket = requestExport(service, tenant)
      const status = await statusOf(socket)
      socket.destroy()
      return status === '200'
    })
  })
  await Promise.all(all)
}

const statusOf = async (socket: Socket): Promise<string> =>
  /^HTTP\/1\.1 (\d{3})/.exec(await beginningOf(socket))?.[1] ?? 'nothing'

/** Reads the responses: four aborted files, and rejections. */
async function countOutcomes(sockets: Socket[], print: RunOptions['print']): Promise<void> {
  const counts: Record<string, number> = {}
  for (const socket of sockets) {
    const status = await statusOf(socket)
    const name = status === '200' ? `${status} and ${await endOf(socket)}` : status
    counts[name] = (counts[name] ?? 0) + 1
  }
  assert.deepEqual(counts, {
    '200 and ECONNRESET': downloads_per_workspace_max,
    '503': sockets.length - downloads_per_workspace_max,
  })
  print(
    `${downloads_per_workspace_max} were served, and reset after a minute; ${sockets.length - downloads_per_workspace_max} were rejected`,
  )
}

/** A client of HTTP/1.0 would treat an orderly close as the end of the file. */
async function abortByShutdown(service: Service, tenant: Tenant): Promise<void> {
  const socket = requestExport(service, tenant, '1.0')
  await begins(socket)
  await service.stop()
  assert.equal(await endOf(socket), 'ECONNRESET')
}
