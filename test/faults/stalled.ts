import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { addLargeContacts, askWithoutReading, beginningOf, begins, endOf } from '../support/readers.ts'
import { openClient, until } from './client.ts'
import { megabytes } from './figures.ts'
import { isAtMostDoubled, quietly, same_below_ms } from './pressure.ts'
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

const contacts = { long: 100_000, short: 10_000 }
const readers = { long: 1_000, short: 100 }
const connect_at_once = 100
const hang_ups = { long: 50, short: 5 }
const downloads_of_one_max = 4
/** Some pieces of 2 MB for each of the four, and what a thousand connections take. */
const grown_max_bytes = 160 * 1024 * 1024
/** A busy machine may be slow once; what the stalled clients cost would be there each time. */
const measurements_max = 3
/** After which a client that takes nothing is given up. */
const stalled_after_ms = 60_000

export const scenario: Scenario = {
  name: 'stalled',
  about: 'a thousand clients of one key that ask for an export and never read cost nobody else anything',
  run,
}

async function run(how: How): Promise<void> {
  const { is_long, say } = how
  const form = is_long ? 'long' : 'short'
  await using stack = new AsyncDisposableStack()
  const DATA_DIR = path.join(folderFor(stack, 'stalled'), 'data')
  const service = await startService(stack, { DATA_DIR })
  const greedy = await overDatabase(DATA_DIR, newTenant)
  const quiet = await overDatabase(DATA_DIR, newTenant)
  for (const [{ workspace }, count] of [[greedy, contacts[form]] as const, [quiet, 1_000] as const]) {
    await overDatabase(DATA_DIR, (pool) => addLargeContacts(pool, workspace, count))
  }
  const sockets: Socket[] = []
  stack.defer(() => {
    for (const socket of sockets) socket.destroy()
  })
  const measure = () => Promise.all([quietly(service, greedy, is_long), quietly(service, quiet, is_long)])

  // A whole export first, so that what it takes is there before; for warming up as well.
  assert.equal(await exportOf(service, greedy), 200)
  if (is_long) await measure()
  const [own_before, other_before] = await measure()
  const resident_before = residentBytes(service.pid)
  for (let round = 0; round < hang_ups[form]; round += 1) await hangUpMidway(service, greedy)
  say(`${hang_ups[form]} times ${downloads_of_one_max} clients that hang up midway: all served, no slot lost`)

  while (sockets.length < readers[form]) {
    const some = Array.from({ length: connect_at_once }, () => ask(service, greedy))
    sockets.push(...some)
    await Promise.all(some.map((socket) => once(socket, 'connect')))
  }
  // The first bytes of a file, or a refusal: from then on nothing happens to them.
  for (const socket of sockets) await begins(socket)
  assert.equal(await exportOf(service, greedy), 503, 'there is no slot left')
  const during = [await measure()]
  const isSlower = () =>
    !during.some(([own, other]) => isAtMostDoubled(own_before, own) && isAtMostDoubled(other_before, other))
  while (is_long && isSlower() && during.length < measurements_max) during.push(await measure())
  const resident = residentBytes(service.pid)
  assert.equal(await exportOf(service, quiet), 200, 'another workspace exports as ever')
  assert.equal(await exportOf(service, greedy), 503)
  assert.ok(resident - resident_before < grown_max_bytes, `it grew by ${megabytes(resident - resident_before)}`)
  say(
    `${readers[form]} clients of one key that never read: resident memory ${megabytes(resident_before)} before, ${megabytes(resident)} during`,
  )
  say(`the key's other requests alone: ${own_before.text}`)
  for (const [own] of during) say(`the key's other requests beside them: ${own.text}`)
  say(`another workspace alone: ${other_before.text}`)
  for (const [, other] of during) say(`another workspace beside them: ${other.text}`)
  if (is_long) {
    assert.ok(!isSlower(), `the 99th percentile more than doubled, ${during.length} times in a row`)
    say(
      `the 99th percentile at most doubled (below ${same_below_ms} ms it is not looked at), measurement ${during.length} of at most ${measurements_max}`,
    )
  }
  if (is_long) await sleep(stalled_after_ms)
  else for (const socket of sockets) socket.destroy()
  await until('all slots are free again', async () => (await exportOf(service, greedy)) === 200)
  await hangUpMidway(service, greedy)
  if (is_long) await countEnds(sockets, say)
  await brokenOffByAStop(service, greedy)
}

const ask = ({ url }: Service, { key }: Tenant, version?: string): Socket =>
  askWithoutReading(url, key, '/contacts/export', version)

/** The status of a whole export, or of its refusal for lack of a slot. */
async function exportOf({ url }: Service, { key }: Tenant): Promise<number> {
  const client = openClient(url, key)
  let status = 0
  await until('the server has time', async () => {
    const answer = await client.call('GET', '/contacts/export')
    status = answer.status
    if (status !== 503) return true
    assert.equal(answer.body.error.code, 'SERVICE_UNAVAILABLE')
    return answer.headers['retry-after'] === '10'
  })
  client.close()
  return status
}

/** As many as may at once: each is served, which it would not be if one before it had kept its slot. */
async function hangUpMidway(service: Service, tenant: Tenant): Promise<void> {
  const all = Array.from({ length: downloads_of_one_max }, async () => {
    await until('its download begins', async () => {
      const socket = ask(service, tenant)
      const status = await statusOf(socket)
      socket.destroy()
      return status === '200'
    })
  })
  await Promise.all(all)
}

const statusOf = async (socket: Socket): Promise<string> =>
  /^HTTP\/1\.1 (\d{3})/.exec(await beginningOf(socket))?.[1] ?? 'nothing'

/** Reads what had come: four files that broke off, and refusals. */
async function countEnds(sockets: Socket[], say: How['say']): Promise<void> {
  const counts: Record<string, number> = {}
  for (const socket of sockets) {
    const status = await statusOf(socket)
    const name = status === '200' ? `${status} and ${await endOf(socket)}` : status
    counts[name] = (counts[name] ?? 0) + 1
  }
  assert.deepEqual(counts, { '200 and ECONNRESET': downloads_of_one_max, '503': sockets.length - downloads_of_one_max })
  say(
    `${downloads_of_one_max} were served, and reset after a minute; ${sockets.length - downloads_of_one_max} were refused`,
  )
}

/** A client of HTTP/1.0 takes an end in good order for the end of the file. */
async function brokenOffByAStop(service: Service, tenant: Tenant): Promise<void> {
  const socket = ask(service, tenant, '1.0')
  await begins(socket)
  await service.stop()
  assert.equal(await endOf(socket), 'ECONNRESET')
}
