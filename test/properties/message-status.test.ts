import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { merge, newMilestones, type Report } from '../../server/conversations/message-status.ts'

const from_carrier = fc.constantFrom<Report>(
  { status: 'sent', error: null },
  { status: 'delivered', error: null },
  { status: 'failed', error: 'The carrier reports: undelivered.' },
)
/** Also when nobody could be asked for a while. */
const report = fc.oneof(from_carrier, fc.constant<Report>({ status: 'unknown', error: 'Not known.' }))
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

test('each milestone is passed at most once, in any order the same ones', () => {
  fc.assert(
    fc.property(fc.array(from_carrier, { minLength: 1, maxLength: 8 }), (reports) => {
      const passed = (order: Report[]) => {
        let state: Report & { carrier_id: string | null } = { ...queued, carrier_id: null }
        return order.flatMap((one) => {
          const after = { ...merge(state, one), carrier_id: 'SM1' }
          const now = newMilestones(state, after)
          state = after
          return now
        })
      }
      const all = passed(reports)
      assert.equal(new Set(all).size, all.length, all.join())
      assert.equal(all[0], 'sent')
      const last = reports.reduce(merge, queued).status
      assert.equal(all.includes('delivered'), last === 'delivered')
    }),
  )
})
