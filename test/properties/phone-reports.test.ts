import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Fact, merge, summarize, verdictFact, verdicts } from '../../server/calls/facts.ts'
import { newFacts } from '../../server/calls/phone.ts'
import { factOf, timeOf } from '../../server/lines/twilio/dialer.ts'
import { runs } from '../support/property-runs.ts'

const began = Date.parse('2026-11-17T09:00:00.250Z')
const dialed: Fact = { key: 'dialed', at: began, source: 'system', fact: { kind: 'dialed' } }
const code = fc.option(fc.constantFrom(200, 404, 480, 486, 487, 503, 603), { nil: undefined })
const error_code = fc.option(fc.constantFrom(13224, 21211, 31005), { nil: undefined })
const seconds = fc.integer({ min: 0, max: 40 })

interface Callback {
  status: string
  sip_code?: number | undefined
  error_code?: number | undefined
  verdict?: (typeof verdicts)[number]
  after_seconds: number
}

/** What Twilio reports of one call, in order. */
const unanswered = fc
  .record({ status: fc.constantFrom('busy', 'no-answer', 'failed', 'canceled'), sip_code: code, error_code, seconds })
  .map(({ seconds, ...final }): Callback[] => [
    { status: 'initiated', after_seconds: 0 },
    { status: 'ringing', after_seconds: Math.min(1, seconds) },
    { ...final, after_seconds: seconds },
  ])
const answered = fc
  .record({ verdict: fc.constantFrom(...verdicts), rings: seconds, talks: seconds, is_timely: fc.boolean() })
  .map(({ verdict, rings, talks, is_timely }): Callback[] => [
    { status: 'initiated', after_seconds: 0 },
    { status: 'ringing', after_seconds: 0 },
    { status: 'in-progress', after_seconds: rings },
    { status: 'machine', verdict, after_seconds: rings + (is_timely ? Math.min(2, talks) : talks) },
    { status: 'completed', sip_code: 200, after_seconds: rings + talks },
  ])
const callbacks = fc.oneof(unanswered, answered)

const now = began + 3_600_000
const stamp = (after_seconds: number): string => new Date(began + after_seconds * 1_000).toUTCString()

function factsOf({ status, verdict, after_seconds, ...codes }: Callback): Fact[] {
  if (verdict === 'unknown') return []
  if (verdict) return [verdictFact(verdict, began + after_seconds * 1_000)]
  return [factOf({ status, ...codes }, timeOf(stamp(after_seconds), now)) ?? []].flat()
}

/** What the row of the call says when they have come in this order. */
const callAfter = (reports: Callback[]) => {
  const facts = reports
    .map(factsOf)
    .reduce<Fact[]>((known, reported) => merge(known, newFacts(known, reported)), [dialed])
  return { ...summarize(facts), keys: facts.map(({ key }) => key) }
}

test("a carrier's reports give the same call in any order, and however often they come", () => {
  fc.assert(
    fc.property(
      callbacks.chain((sent) =>
        fc.tuple(fc.constant(sent), fc.shuffledSubarray([...sent, ...sent], { minLength: sent.length * 2 })),
      ),
      ([sent, received]) => {
        const call = callAfter(sent)
        assert.deepEqual(callAfter(received), call)
        assert.notEqual(call.ended_at, null)
        assert.ok((call.started_at ?? '') <= (call.ended_at ?? ''))
      },
    ),
    runs(),
  )
})

test('a report after the end that we have written ourselves changes nothing', () => {
  const ended: Fact = {
    key: 'ended',
    at: began + 20_000,
    source: 'human',
    fact: { kind: 'ended', end_reason: 'canceled', ended_by: 'human' },
  }
  const known = [dialed, ended]
  for (const status of ['completed', 'busy', 'no-answer', 'failed', 'canceled']) {
    const reported = factsOf({ status, after_seconds: 10 })
    assert.deepEqual(newFacts(known, reported), [])
    assert.equal(newFacts([dialed], reported).length, 1)
  }
})
