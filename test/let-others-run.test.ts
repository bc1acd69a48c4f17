import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as clock from '../server/kit/clock.ts'
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

test('of several pieces of work one continues in each turn of the event loop', async () => {
  let turns = 0
  let is_done = false
  const countTurns = () => {
    turns += 1
    if (!is_done) setImmediate(countTurns)
  }
  setImmediate(countTurns)
  const continued: number[] = []
  const work = async () => {
    for (let step = 0; step < 3; step += 1) {
      spin()
      await letOthersRun()
      continued.push(turns)
    }
  }
  await Promise.all(Array.from({ length: 5 }, work))
  is_done = true
  assert.equal(continued.length, 15)
  assert.equal(new Set(continued).size, 15, `continued in the turns ${continued}`)
})

/** For longer than work may use the processor at a time. */
function spin(): void {
  const until = clock.ticks() + 20
  while (clock.ticks() < until);
}
