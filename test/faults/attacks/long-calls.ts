import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { appointment_script } from '../../support/calls.ts'
import { type Client, openClient } from '../client.ts'
import { summarizeDurations } from '../durations.ts'
import { piece_max_ms } from '../pieces.ts'
import { newTestTenant, withEmbeddedPool } from '../service.ts'
import type { Attack, AttackWorld } from './attack.ts'

/** Each step has its own workspace. */
const steps = { long: [100, 300], short: [3] }
/** People whose numbers end in this talk until the longest possible call is over. */
const talker = '15'
const longer_than_a_call_s = 2_400
const page_size = 100
const poll_every_ms = 100

export const attack: Attack = {
  name: 'an advance over many long calls',
  run: async (world) => {
    for (const count of world.is_long ? steps.long : steps.short) await advanceOver(world, count)
  },
}

async function advanceOver(world: AttackWorld, count: number): Promise<void> {
  const { stack, url, data_dir, attacker, is_long, print, takeLongestPiece } = world
  const { key } = await withEmbeddedPool(data_dir, newTestTenant)
  const send = openSender(stack, url, key)
  await send('PATCH', '/workspace', { settings: { calls_in_flight_max: count } })
  const { id: agent_id } = (await send('POST', '/agents', { name: 'Caller', script: appointment_script })).data
  for (let nth = 0; nth < count; nth += 1)
    await send('POST', '/calls', { agent_id, to: `+1415555${String(nth).padStart(2, '0').slice(-2)}${talker}` })

  takeLongestPiece()
  const begun_at = performance.now()
  await send('POST', '/test_clock/advance', { by_seconds: longer_than_a_call_s })
  const isReady = async () => (await send('GET', '/test_clock')).data.status === 'ready'
  const durations = await sendMeanwhile(openSender(stack, url, attacker.key), isReady)
  const seconds = (performance.now() - begun_at) / 1_000
  const piece_ms = takeLongestPiece()

  let [ended, cursor] = [0, '']
  do {
    const { data, pagination } = await send('GET', `/calls?limit=${page_size}${cursor}`)
    for (const { status, outcome, end_reason } of data)
      assert.deepEqual([status, outcome, end_reason], ['completed', 'answered', 'max_duration'])
    ended += data.length
    cursor = pagination.next_cursor === null ? '' : `&cursor=${pagination.next_cursor}`
  } while (cursor !== '')
  assert.equal(ended, count)
  const { text } = summarizeDurations(durations)
  print(`${count} long calls in ${seconds.toFixed(1)} s, meanwhile requests of another tenant: ${text}`)
  print(`  the longest piece of work took ${piece_ms} ms`)
  if (is_long) assert.ok(piece_ms < piece_max_ms, `a piece of work took ${piece_ms} ms`)
}

/** Requests of another tenant, one after the other, until the clock is ready. Returns how long they took. */
async function sendMeanwhile(send: Sender, isReady: () => Promise<boolean>): Promise<number[]> {
  const durations: number[] = []
  let is_ready = false
  const sending = (async () => {
    while (!is_ready) durations.push((await send('GET', '/contacts')).duration_ms)
  })()
  while (!(await isReady())) await sleep(poll_every_ms)
  is_ready = true
  await sending
  return durations
}

// biome-ignore lint/suspicious/noExplicitAny: tests read any field
type Sender = (method: string, path: string, body?: object) => Promise<any>

function openSender(stack: AsyncDisposableStack, url: string, key: string): Sender {
  const client: Client = openClient(url, key)
  stack.defer(client.close)
  return async (method, path, body) => {
    const { status, body: answered, duration_ms } = await client.call(method, `/api/v1${path}`, body)
    assert.ok(status < 300, `${method} ${path}: ${status} ${JSON.stringify(answered)}`)
    return { ...answered, duration_ms }
  }
}
