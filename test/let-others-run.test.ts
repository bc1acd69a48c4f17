import assert from 'node:assert/strict'
import { test } from 'node:test'
import { letOthersRun } from '../server/kit/let-others-run.ts'

test('timers run while several pieces of work go on without a wait', async () => {
  let is_timer_run = false
  setTimeout(() => (is_timer_run = true))
  const work = async () => {
    for (let step = 0; step < 10_000_000 && !is_timer_run; step += 1) await letOthersRun()
  }
  await Promise.all([work(), work()])
  assert.ok(is_timer_run)
})
