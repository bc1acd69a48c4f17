import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { merge, milestones, type Report } from '../../server/conversations/message-status.ts'

const report = fc.constantFrom<Report>(
  { status: 'sent', error: null },
  { status: 'delivered', error: null },
  { status: 'failed', error: 'The carrier reports: undelivered.' },
  { status: 'unknown', error: 'The carrier does not know the message.' },
)
const queued: Report = { status: 'queued', error: null }

const mergeAll = (reports: Report[]): Report => reports.reduce(merge, queued)

test('reports in any order, and repeated, give the same message', () => {
  fc.assert(
    fc.property(fc.array(report, { maxLength: 8 }), fc.infiniteStream(fc.nat()), (reports, numbers) => {
      const shuffled = reports
        .concat(reports.slice(0, 3))
        .map((one) => ({ one, place: numbers.next().value ?? 0 }))
        .sort((left, right) => left.place - right.place)
        .map(({ one }) => one)
      assert.deepEqual(mergeAll(shuffled), mergeAll(reports))
    }),
  )
})

test('each milestone is passed at most once, and a message that is delivered was sent', () => {
  fc.assert(
    fc.property(fc.array(report, { maxLength: 8 }), (reports) => {
      let state = queued
      const passed = reports.flatMap((one) => {
        const after = merge(state, one)
        const now = milestones(state.status, after.status)
        state = after
        return now
      })
      for (const name of ['sent', 'delivered'] as const)
        assert.ok(passed.filter((one) => one === name).length <= 1, passed.join())
      if (passed.includes('delivered') && !passed.includes('failed')) assert.equal(passed[0], 'sent')
    }),
  )
})
