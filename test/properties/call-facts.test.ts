import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Fact, finals, merge, summarize, toEvents } from '../../server/calls/facts.ts'
import { end_reasons, enders } from '../../server/calls/schema.ts'
import { runs } from '../support/property-runs.ts'

/** What carriers report, with keys that several of them share. */
const fact: fc.Arbitrary<Fact> = fc.record({
  key: fc.constantFrom('dialed', 'ringing', 'answered', 'machine', 'final', 'ended', 'late'),
  at: fc.integer({ min: 1_000, max: 1_004 }),
  source: fc.constantFrom('carrier', 'contact', 'agent', 'human', 'system'),
  fact: fc.oneof(
    fc.constantFrom<Fact['fact']>({ kind: 'dialed' }, { kind: 'queued' }, { kind: 'ringing' }, { kind: 'answered' }),
    fc.constantFrom('human', 'voicemail', 'screened', 'menu').map((machine) => ({ kind: 'machine' as const, machine })),
    fc.constantFrom(...finals).map((final) => ({ kind: 'final' as const, final })),
    fc.record({
      kind: fc.constant('ended' as const),
      end_reason: fc.constantFrom(...end_reasons),
      ended_by: fc.constantFrom(...enders),
    }),
  ),
})

/** As facts are read from the database: with members in another order. */
const asStored = ({ source, key, fact, at }: Fact): Fact => ({
  at,
  key,
  source,
  fact: Object.fromEntries(Object.entries(fact).reverse()) as Fact['fact'],
})

const rowOf = (facts: Fact[]): string => {
  const merged = facts.reduce<Fact[]>((known, one) => merge(known.map(asStored), [one]), [])
  return JSON.stringify({ ...summarize(merged), facts: merged })
}

const carrier = (key: string, at: number, fact: Fact['fact']): Fact => ({ key, at, source: 'carrier', fact })

/** Of one call: reported late, early and in contradiction. */
const callbacks: Fact[] = [
  { key: 'dialed', at: 1_000, source: 'system', fact: { kind: 'dialed' } },
  carrier('queued', 1_010, { kind: 'queued' }),
  carrier('ringing', 1_020, { kind: 'ringing' }),
  carrier('answered', 1_030, { kind: 'answered' }),
  carrier('machine', 1_040, { kind: 'machine', machine: 'voicemail' }),
  carrier('final-1', 1_050, { kind: 'final', final: 'busy' }),
  carrier('final-2', 1_050, { kind: 'final', final: 'completed' }),
  {
    key: 'ended',
    at: 1_060,
    source: 'agent',
    fact: { kind: 'ended', end_reason: 'voicemail_left', ended_by: 'agent' },
  },
]

function* permutations<Item>(items: Item[]): Generator<Item[]> {
  if (items.length <= 1) yield items
  for (const [index, item] of items.entries())
    for (const others of permutations(items.toSpliced(index, 1))) if (items.length > 1) yield [item, ...others]
}

test('all orders of eight callbacks, with repetitions, give the same bytes', () => {
  const expected = rowOf(callbacks)
  // Repetitions are drawn from a fixed seed, so that a failure can be repeated.
  let random = 7
  const draw = (below: number): number => {
    random = (random * 1_103_515_245 + 12_345) % 2_147_483_648
    return random % below
  }
  let orders = 0
  for (const order of permutations(callbacks)) {
    orders += 1
    const repeated = [...order]
    for (let count = draw(4); count > 0; count--) {
      const again = callbacks[draw(callbacks.length)]
      if (again) repeated.splice(draw(repeated.length + 1), 0, again)
    }
    if (rowOf(repeated) !== expected) assert.equal(rowOf(repeated), expected, JSON.stringify(repeated))
  }
  assert.equal(orders, 40_320)
  assert.equal(JSON.parse(expected).outcome, 'voicemail')
})

test('any facts in any order and with any repetition give the same call', () => {
  fc.assert(
    fc.property(
      fc
        .array(fact, { maxLength: 10 })
        .chain((facts) =>
          fc.tuple(
            fc.constant(facts),
            fc.shuffledSubarray(facts, { minLength: facts.length, maxLength: facts.length }),
            fc.subarray(facts),
          ),
        ),
      ([facts, shuffled, repeated]) => {
        assert.equal(rowOf([...repeated, ...shuffled, ...repeated]), rowOf(facts))
        assert.equal(JSON.stringify(merge(shuffled, repeated)), JSON.stringify(merge([], facts)))
      },
    ),
    runs(),
  )
})

test('a call that is over has a status, an outcome, an end reason and who ended it', () => {
  fc.assert(
    fc.property(fc.array(fact, { maxLength: 10 }), (facts) => {
      const merged = merge([], facts)
      const call = summarize(merged)
      const is_over = merged.some(({ fact }) => fact.kind === 'final' || fact.kind === 'ended')
      assert.equal(['completed', 'failed', 'canceled'].includes(call.status), is_over)
      for (const value of [call.end_reason, call.ended_by, call.ended_at]) assert.equal(value !== null, is_over)
      if (is_over) assert.notEqual(call.outcome, null)
      const is_answered = ['answered', 'voicemail', 'screened', 'menu'].includes(call.outcome ?? '')
      if (is_over) assert.equal(call.status === 'completed', is_answered)
      assert.ok(call.duration_ms === null || call.duration_ms >= 0)
    }),
    runs(),
  )
})

test('a call that was given up stays failed, and what is reported later is only an event', () => {
  const report = fact.filter(({ fact }) => fact.kind !== 'ended')
  fc.assert(
    fc.property(fc.array(report, { maxLength: 8 }), fc.integer({ min: 1_000, max: 1_004 }), (late, at) => {
      const given_up: Fact = { key: 'silent', at, source: 'system', fact: { kind: 'final', final: 'unknown' } }
      const facts = merge([given_up], late)
      const { status, answered_at, duration_ms } = summarize(facts)
      assert.deepEqual([status, answered_at, duration_ms], ['failed', null, null])
      assert.equal(toEvents(facts, [given_up]).length, facts.length - 1)
    }),
    runs(),
  )
})

test('an answer that is reported after the end changes no status', () => {
  fc.assert(
    fc.property(fc.array(fact, { maxLength: 8 }), fc.constantFrom('answered', 'voicemail'), (facts, what) => {
      const known = merge([], facts)
      const before = summarize(known)
      if (before.ended_at === null) return
      const late: Fact['fact'] = what === 'answered' ? { kind: what } : { kind: 'machine', machine: 'voicemail' }
      const after = summarize(merge(known, [{ key: 'after', at: 2_000, source: 'carrier', fact: late }]))
      assert.equal(after.status, before.status)
      assert.equal(after.answered_at, before.answered_at)
    }),
    runs(),
  )
})

test('events are numbered without gaps, however the facts arrive', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fact, { maxLength: 3 }), { maxLength: 6 }), (batches) => {
      let known: Fact[] = []
      const events = batches.flatMap((batch) => {
        const after = merge(known, batch)
        const added = toEvents(after, known)
        known = after
        return added
      })
      assert.deepEqual(
        events.map(({ seq }) => seq),
        events.map((_, index) => index + 1),
      )
      assert.equal(new Set(events.map(({ dedupe_key }) => dedupe_key)).size, known.length)
    }),
    runs(),
  )
})

const ended = (end_reason: (typeof end_reasons)[number], ended_by: (typeof enders)[number]): Fact => ({
  key: 'ended',
  at: 1_070,
  source: 'system',
  fact: { kind: 'ended', end_reason, ended_by },
})
const answered = carrier('answered', 1_030, { kind: 'answered' })
const finalAs = (final: (typeof finals)[number], at = 1_080): Fact =>
  carrier(`final-${final}`, at, { kind: 'final', final })

test('each way to end has its status, outcome, end reason and ender', () => {
  const endOf = (...facts: Fact[]) => {
    const { status, outcome, end_reason, ended_by } = summarize(merge([], facts))
    return [status, outcome, end_reason, ended_by].join(' ')
  }
  assert.equal(endOf(answered, finalAs('completed')), 'completed answered contact_hung_up contact')
  assert.equal(
    endOf(answered, finalAs('completed'), ended('goal_reached', 'agent')),
    'completed answered goal_reached agent',
  )
  assert.equal(endOf(finalAs('no_answer')), 'failed no_answer not_answered system')
  assert.equal(endOf(finalAs('busy')), 'failed busy not_answered contact')
  assert.equal(endOf(finalAs('rejected')), 'failed rejected not_answered contact')
  for (const final of ['invalid_number', 'error', 'unreachable', 'blocked'] as const)
    assert.equal(endOf(finalAs(final)), `failed ${final} carrier_error system`)
  assert.equal(endOf(finalAs('canceled')), 'canceled canceled canceled system')
  assert.equal(endOf(ended('canceled', 'human'), finalAs('no_answer')), 'canceled canceled canceled human')
  assert.equal(endOf(finalAs('unknown')), 'failed unknown carrier_silent system')
  assert.equal(endOf(finalAs('unknown'), finalAs('busy', 2_000)), 'failed busy not_answered contact')
  for (const final of ['completed', 'canceled'] as const)
    assert.equal(endOf(finalAs('unknown'), finalAs(final, 2_000), answered), 'failed unknown carrier_silent system')
  assert.equal(endOf(ended('system_error', 'system')), 'failed error system_error system')
})

test('a call that is not over goes from queued over ringing to in progress', () => {
  const ringing = carrier('ringing', 1_020, { kind: 'ringing' })
  const dialed: Fact = { key: 'dialed', at: 1_000, source: 'system', fact: { kind: 'dialed' } }
  const statusOf = (...facts: Fact[]) => summarize(facts).status
  assert.deepEqual([statusOf(), statusOf(dialed), statusOf(dialed, ringing)], ['queued', 'queued', 'ringing'])
  assert.equal(statusOf(dialed, ringing, answered), 'in_progress')
  const { started_at, answered_at, ended_at, duration_ms } = summarize([dialed, answered, finalAs('completed', 5_030)])
  assert.deepEqual([started_at, answered_at], ['1970-01-01T00:00:01.000Z', '1970-01-01T00:00:01.030Z'])
  assert.deepEqual([ended_at, duration_ms], ['1970-01-01T00:00:05.030Z', 4_000])
})
