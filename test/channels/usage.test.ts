import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewChannel } from '../../server/channels/schema.ts'
import * as channels from '../../server/channels/store.ts'
import * as usage from '../../server/channels/usage.ts'
import { type At, inTransaction } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { serve } from '../support/harness.ts'
import { holdTransaction } from '../support/held-transaction.ts'

const { workspace, pool, at } = await serve()
const noon = Date.parse('2026-11-16T12:00:30Z')
const next_minute = Date.parse('2026-11-16T12:01:00Z')
const next_day = Date.parse('2026-11-17T00:00:00Z')

/** A channel with these limits, and a function that reserves messages on it. */
async function limited(fields: Partial<NewChannel>) {
  const tenant = await workspace()
  const { id } = await tenant.addChannel(fields)
  const channel = await channels.find(at(tenant.id), id)
  assert.ok(channel)
  const reserveIn = async (within: At, count: number) =>
    (await usage.reserve(within, { channels: [channel], wanted: new Map([[id, count]]) })).get(id)
  const reserve = (now: number, count: number) =>
    inTransaction(at(tenant.id, now), (within) => reserveIn(within, count))
  return { tenant, channel, reserve, reserveIn }
}

test('what is left of the minute is granted', async () => {
  const { reserve } = await limited({ messages_per_minute_max: 5 })
  assert.deepEqual(await reserve(noon, 3), { granted: 3, retry_at: null })
  assert.deepEqual(await reserve(noon + 29_999, 3), { granted: 2, retry_at: next_minute })
  assert.deepEqual(await reserve(noon, 1), { granted: 0, retry_at: next_minute })
  assert.deepEqual(await reserve(next_minute, 5), { granted: 5, retry_at: null })
})

test('what is left of the day is granted', async () => {
  const { reserve } = await limited({ messages_per_minute_max: 5, messages_per_day_max: 8 })
  assert.deepEqual(await reserve(noon, 9), { granted: 5, retry_at: next_minute })
  assert.deepEqual(await reserve(next_minute, 9), { granted: 3, retry_at: next_day })
  assert.deepEqual(await reserve(next_day - 1, 1), { granted: 0, retry_at: next_day })
  assert.deepEqual(await reserve(next_day, 1), { granted: 1, retry_at: null })
})

test('when minute and day end together, the next day is named', async () => {
  const { reserve } = await limited({ messages_per_minute_max: 5, messages_per_day_max: 5 })
  assert.deepEqual(await reserve(noon, 6), { granted: 5, retry_at: next_day })
})

test('a limit that was lowered grants nothing', async () => {
  const { reserve, tenant, channel } = await limited({ messages_per_minute_max: 5 })
  await reserve(noon, 5)
  const lowered = { ...channel, messages_per_minute_max: 2 }
  const input = { channels: [lowered], wanted: new Map([[channel.id, 1]]) }
  const reserved = await inTransaction(at(tenant.id, noon), (at) => usage.reserve(at, input))
  assert.deepEqual(reserved.get(channel.id), { granted: 0, retry_at: next_minute })
})

test('channels have limits of their own, and one that wants nothing is not counted', async () => {
  const { tenant, channel } = await limited({ messages_per_minute_max: 1 })
  const other = await channels.find(at(tenant.id), (await tenant.addChannel({ messages_per_minute_max: 2 })).id)
  const idle = await channels.find(at(tenant.id), (await tenant.addChannel()).id)
  assert.ok(other && idle)
  const wanted = new Map([
    [channel.id, 3],
    [other.id, 3],
    [idle.id, 0],
  ])
  const reserved = await inTransaction(at(tenant.id, noon), (at) =>
    usage.reserve(at, { channels: [other, idle, channel], wanted }),
  )
  assert.deepEqual([reserved.get(channel.id)?.granted, reserved.get(other.id)?.granted, reserved.size], [1, 2, 2])
})

test('transactions that reserve at once never exceed the limit', async () => {
  const { reserve } = await limited({ messages_per_minute_max: 10 })
  const results = await Promise.all(Array.from({ length: 8 }, () => reserve(noon, 3)))
  assert.equal(
    results.reduce((sum, result) => sum + (result?.granted ?? 0), 0),
    10,
  )
})

test('a reservation waits for one that is not committed', async () => {
  const { reserve, reserveIn, tenant } = await limited({ messages_per_minute_max: 3 })
  await using held = await holdTransaction(pool, (db) => reserveIn({ ...at(tenant.id, noon), db }, 2))
  const waiting = reserve(noon, 2)
  await held.waitUntilBlocking(waiting)
  await held.end()
  assert.deepEqual(await waiting, { granted: 1, retry_at: next_minute })
})

test('a reservation of a transaction that fails is given back', async () => {
  const { reserve, reserveIn, tenant } = await limited({ messages_per_minute_max: 2 })
  const failing = inTransaction(at(tenant.id, noon), async (within) => {
    await reserveIn(within, 2)
    throw new Error('The transaction fails.')
  })
  await assert.rejects(failing, /The transaction fails/)
  assert.deepEqual(await reserve(noon, 2), { granted: 2, retry_at: null })
})

test('tokens are counted by day', async () => {
  const { tenant, channel } = await limited({ tokens_per_day_max: 100 })
  const within = at(tenant.id, noon)
  assert.equal(await usage.isOverTokens(within, channel), false)
  await usage.addTokens(within, [
    { channel_id: channel.id, tokens: 40 },
    { channel_id: channel.id, tokens: 59 },
  ])
  assert.equal(await usage.isOverTokens(within, channel), false)
  await usage.addTokens(within, [{ channel_id: channel.id, tokens: 1 }])
  assert.equal(await usage.isOverTokens(within, channel), true)
  assert.equal(await usage.isOverTokens(within, { ...channel, tokens_per_day_max: null }), false)
  assert.equal(await usage.isOverTokens({ ...within, now: next_day }, channel), false)
})

test('counts are deleted after 40 days', async () => {
  const { tenant, channel, reserve } = await limited({})
  const { tenant: other, reserve: reserveOther } = await limited({})
  await reserve(noon, 1)
  await reserveOther(noon, 1)
  const began_at = Date.parse('2026-11-16T12:00:00Z')
  const left = async (id: string, now: number) => {
    await usage.removeOld(at(tenant.id, now))
    const rows = await pool.many<{ period: string }>(
      sql`select period from channel_usage where workspace_id = ${id} order by period`,
    )
    return rows.map(({ period }) => period)
  }
  assert.deepEqual(await left(tenant.id, began_at + 40 * clock.day_ms), ['minute'])
  assert.deepEqual(await left(tenant.id, began_at + 40 * clock.day_ms + 1), [])
  assert.deepEqual(await left(other.id, began_at + 41 * clock.day_ms), ['day', 'minute'])
  assert.ok(channel)
})
