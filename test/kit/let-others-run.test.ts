import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plan } from '../../server/campaigns/plan/plan.ts'
import * as clock from '../../server/kit/clock.ts'
import { letOthersParse } from '../../server/kit/http/body/read-json.ts'
import { piecedAnswer } from '../../server/kit/http/file-answers.ts'
import { letOthersRun } from '../../server/kit/let-others-run.ts'
import { readEvents } from '../../server/kit/outbound/events.ts'
import { candidate, dialedCampaign } from '../support/candidates.ts'

test('timers run while several pieces of work go on without a wait', async () => {
  let is_timer_run = false
  setTimeout(() => (is_timer_run = true))
  const work = async () => {
    for (let step = 0; step < 10_000_000 && !is_timer_run; step += 1) await letOthersRun()
  }
  await Promise.all([work(), work()])
  assert.ok(is_timer_run)
})

test('of several pieces of work that use up their time one continues in each turn of the event loop', async () => {
  using turns = countTurns()
  const continued: number[] = []
  const work = async () => {
    for (let step = 0; step < 3; step += 1) {
      await letOthersRun()
      continued.push(turns.count)
      spin()
    }
  }
  spin()
  await Promise.all(Array.from({ length: 5 }, work))
  assert.equal(continued.length, 15)
  assert.equal(new Set(continued).size, 15, `continued in the turns ${continued}`)
})

test('small pieces of work continue in the same turn of the event loop', async () => {
  using turns = countTurns()
  const continued: number[] = []
  const work = async () => {
    await letOthersRun()
    continued.push(turns.count)
  }
  spin()
  await Promise.all(Array.from({ length: 1_000 }, work))
  assert.equal(continued.length, 1_000)
  assert.ok(new Set(continued).size < 500, `continued in ${new Set(continued).size} turns`)
})

test('of large bodies that have arrived together one is parsed in each turn of the event loop', async () => {
  using turns = countTurns()
  const parsed: number[] = []
  const parse = async () => {
    await letOthersParse(Buffer.alloc(64 * 1024))
    parsed.push(turns.count)
    spin()
  }
  spin()
  await Promise.all(Array.from({ length: 5 }, parse))
  assert.equal(new Set(parsed).size, 5, `parsed in the turns ${parsed}`)
})

test('urgent work continues before work that came earlier and is not', async () => {
  const continued: string[] = []
  const work = async (name: string, is_urgent: boolean) => {
    await letOthersRun({ is_urgent })
    continued.push(name)
    spin()
  }
  spin()
  await Promise.all([work('import', false), work('export', false), work('call', true), work('message', true)])
  assert.deepEqual(continued, ['call', 'message', 'import', 'export'])
})

test('work that is not urgent continues however much urgent work there is', async () => {
  let is_bulk_done = false
  const bulk = async () => {
    for (let step = 0; step < 3; step += 1) {
      await letOthersRun()
      spin()
    }
    is_bulk_done = true
  }
  let urgent_steps = 0
  const urgent = async () => {
    for (; urgent_steps < 100 && !is_bulk_done; urgent_steps += 1) {
      await letOthersRun({ is_urgent: true })
      spin()
    }
  }
  spin()
  await Promise.all([bulk(), urgent(), urgent()])
  assert.ok(urgent_steps < 100)
})

const urgent_work: [string, () => Promise<unknown>][] = [
  ['a stream of events', () => readEvents(chunks(), { events_max: 1, event_length_max: 100 }).next()],
  ['a large body', () => letOthersParse(Buffer.alloc(64 * 1024))],
  ['a large answer', () => piecedAnswer({ file: null, pieces: ['one', 'two'] })],
  [
    "a dialer's plan",
    () =>
      plan(
        { now: 0, campaign: dialedCampaign(), load: { in_flight: 0, room: 1 }, due: [candidate()], recent: [] },
        { is_urgent: true },
      ),
  ],
]

for (const [name, run] of urgent_work)
  test(`${name} continues before work that is not urgent`, async () => {
    let bulk_steps = 0
    const bulk = async () => {
      await letOthersRun()
      bulk_steps += 1
      spin()
    }
    spin()
    const others = Array.from({ length: 10 }, bulk)
    await run()
    assert.equal(bulk_steps, 0)
    await Promise.all(others)
  })

async function* chunks(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('data: one\n\n')
}

/** Counts the turns of the event loop. */
function countTurns() {
  const turns = { count: 0, [Symbol.dispose]: () => clearImmediate(next) }
  const count = () => {
    turns.count += 1
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  return turns
}

/** For longer than work may use the processor at a time. */
function spin(): void {
  const until = clock.ticks() + 6
  while (clock.ticks() < until);
}
