import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { merge, newMilestones, type Report } from '../../server/messages/status.ts'
import { runs } from '../support/property-runs.ts'

const from_carrier = fc.constantFrom<Report>(
  { status: 'sent', error: null },
  { status: 'delivered', error: null },
  { status: 'failed', error: 'The carrier reports: undelivered.' },
)
/** Also when nobody could be asked for a while. */
const report = fc.oneof(from_carrier, fc.constant<Report>({ status: 'unknown', error: 'Not known.' }))
const queued: Report = { status: 'queued', error: null }

const mergeAll = (reports: Report[]): Report => reports.reduce(merge, queued)

/** What is known for certain wins: delivered, then failed, then sent, then unknown. */
const expectedOf = (reports: Report[]): Report =>
  ['delivered', 'failed', 'sent', 'unknown']
    .map((status) => reports.find((report) => report.status === status))
    .find((report) => report !== undefined) ?? queued

test('reports in any order, and repeated, give the same message', () => {
  fc.assert(
    fc.property(fc.array(report, { maxLength: 8 }), fc.infiniteStream(fc.nat()), (reports, numbers) => {
      const shuffled = reports
        .concat(reports.slice(0, 3))
        .map((one) => ({ one, place: numbers.next().value ?? 0 }))
        .sort((left, right) => left.place - right.place)
        .map(({ one }) => one)
      assert.deepEqual(mergeAll(shuffled), expectedOf(reports))
    }),
    runs(),
  )
})

test('each milestone is passed at most once, and a failure only before the delivery', () => {
  fc.assert(
    fc.property(fc.array(from_carrier, { minLength: 1, maxLength: 8 }), (reports) => {
      let state: Report & { carrier_id: string | null } = { ...queued, carrier_id: null }
      const passed = reports.flatMap((one) => {
        const after = { ...merge(state, one), carrier_id: 'SM1' }
        const now = newMilestones(state, after)
        state = after
        return now
      })
      const statuses = reports.map(({ status }) => status)
      const delivered_at = statuses.includes('delivered') ? statuses.indexOf('delivered') : statuses.length
      const has_failed = statuses.slice(0, delivered_at).includes('failed')
      const is_delivered = delivered_at < statuses.length
      assert.deepEqual(passed, ['sent', ...(has_failed ? ['failed'] : []), ...(is_delivered ? ['delivered'] : [])])
    }),
    runs(),
  )
})
