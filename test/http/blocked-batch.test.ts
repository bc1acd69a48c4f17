import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PendingWrite } from '../../server/kit/http/pending-write.ts'
import { runBatch } from '../../server/kit/http/write.ts'

test('the writes of a batch that are all blocked share two seconds', async () => {
  const waits: number[] = []
  // Only their number counts: nothing reads them.
  const writes = Array.from({ length: 64 }, () => ({}) as PendingWrite)
  const outcomes = await runBatch(async (_writes, lock_wait_ms) => {
    waits.push(lock_wait_ms)
    await sleep(lock_wait_ms)
    throw Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' })
  }, writes)
  assert.equal(outcomes.length, 64)
  assert.ok(outcomes.every((outcome) => outcome instanceof Error))
  const least_ms = 2 * writes.length
  assert.ok(waits.reduce((sum, wait_ms) => sum + wait_ms) <= 2_000 + least_ms, waits.join(' '))
})
