import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isBroken } from '../../server/campaigns/plan/breaker.ts'
import type { Candidate, DialedCampaign, EndedAttempt } from '../../server/campaigns/plan/candidate.ts'
import { contextOf } from '../../server/campaigns/plan/context.ts'
import { startsIn } from '../../server/campaigns/plan/pacing.ts'
import { plan } from '../../server/campaigns/plan/plan.ts'
import { afterAttempt, ruleFor } from '../../server/campaigns/plan/retry.ts'
import { explain, firstFault } from '../../server/campaigns/plan/rules.ts'
import { type AttemptOutcome, attempt_outcomes } from '../../server/campaigns/settings.ts'
import { zonesOf } from '../../server/contacts/zones.ts'
import { isTimeZone } from '../../server/kit/time-zone.ts'
import { candidate, dialedCampaign } from '../support/candidates.ts'

const time = (text: string): number => Date.parse(text)
/** A Monday, 15:00 in Berlin. */
const monday = time('2026-11-16T14:00:00Z')
const hour_ms = 3_600_000
const day_ms = 24 * hour_ms
const free = { in_flight: 0, room: 1_000 }

function faultAt(now: number, person: Partial<Candidate>, campaign: Partial<DialedCampaign> = {}) {
  const fault = firstFault(
    candidate(person),
    contextOf({ now, campaign: dialedCampaign(campaign), load: free, recent: [] }),
  )
  if (fault?.verdict !== 'defer') return fault
  return { ...fault, until: fault.until === undefined ? undefined : new Date(fault.until).toISOString() }
}

const deferred = (rule: string, until: string) => ({ verdict: 'defer', rule, until: `${until}.000Z` })

const zonesOfNumber = (phone_number: string) =>
  zonesOf({ contact_time_zone: null, phone_number, default_time_zone: null })

test('the longest known prefix of a number gives its time zones', () => {
  assert.deepEqual(zonesOfNumber('+12125550123'), ['America/New_York'])
  assert.deepEqual(zonesOfNumber('+493012345678'), ['Europe/Berlin'])
  assert.equal(zonesOfNumber('+18005550123').length, 42)
  assert.deepEqual(zonesOfNumber('+80012345678'), [])
  assert.deepEqual(zonesOfNumber('+61891234567'), ['Australia/Adelaide', 'Australia/Perth'])
  assert.ok(zonesOfNumber('+18005550123').every(isTimeZone))
})

test("a contact's time zone comes before those of its number, and the campaign's is the last", () => {
  const phone_number = '+12125550123'
  const default_time_zone = 'Asia/Tokyo'
  assert.deepEqual(zonesOf({ contact_time_zone: 'Europe/Paris', phone_number, default_time_zone }), ['Europe/Paris'])
  assert.deepEqual(zonesOf({ contact_time_zone: null, phone_number, default_time_zone }), ['America/New_York'])
  const unknown = { contact_time_zone: null, phone_number: '+80012345678' }
  assert.deepEqual(zonesOf({ ...unknown, default_time_zone }), ['Asia/Tokyo'])
  assert.deepEqual(zonesOf({ ...unknown, default_time_zone: null }), [])
})

test('nobody is called before the campaign starts or after it ends', () => {
  const starts_at = monday + hour_ms / 2 + 1
  assert.deepEqual(faultAt(monday, {}, { starts_at }), deferred('campaign', '2026-11-16T14:30:01'))
  assert.equal(faultAt(monday, {}, { starts_at: monday }), undefined)
  assert.equal(faultAt(monday, {}, { ends_at: monday + 1 }), undefined)
  const expired = { rule: 'campaign', verdict: 'expire', reason: 'ended' }
  assert.deepEqual(faultAt(monday, {}, { ends_at: monday }), expired)
})

test('nobody is called while the campaign is paused', async () => {
  const paused = { rule: 'campaign', verdict: 'defer', until: undefined }
  assert.deepEqual(faultAt(monday, {}, { status: 'paused' }), paused)
  const nothing = { dial: [], defer: [], finish: [], next_at: undefined }
  assert.deepEqual(
    await plan({
      now: monday,
      campaign: dialedCampaign({ status: 'paused' }),
      load: free,
      due: [candidate()],
      recent: [],
    }),
    nothing,
  )
})

test('people who must not be reached are skipped', () => {
  for (const refusal of ['opted_out', 'suppressed', 'country_not_allowed', 'no_consent'] as const) {
    assert.deepEqual(faultAt(monday, { refusal }), { rule: 'consent', verdict: 'skip', reason: refusal })
  }
})

test('an open conversation defers by a minute, whenever it ends', () => {
  for (const open_until of [monday + 1, monday + 10 * hour_ms, Number.POSITIVE_INFINITY]) {
    assert.deepEqual(faultAt(monday, { open_until }), deferred('conversation', '2026-11-16T14:01:00'))
  }
  assert.equal(faultAt(monday, { open_until: monday }), undefined)
})

test('attempts are limited in all and by the last outcome', () => {
  const fail = { rule: 'attempts', verdict: 'fail', reason: 'no_answer' }
  const tried = (attempts: number, no_answer: number) =>
    ({ attempts, last_outcome: 'no_answer', outcomes: { no_answer } }) as const
  assert.equal(faultAt(monday, tried(3, 2)), undefined)
  assert.deepEqual(faultAt(monday, tried(4, 2)), fail)
  assert.deepEqual(faultAt(monday, tried(3, 3)), fail)
  const retry = [{ outcome: 'no_answer' as const, attempts_max: 4, waits_seconds: [] }]
  assert.equal(faultAt(monday, tried(3, 3), { retry }), undefined)
})

test('an attempt is not made before its time', () => {
  assert.deepEqual(faultAt(monday, { next_attempt_at: monday + 1 }), deferred('attempts', '2026-11-16T14:00:01'))
  assert.equal(faultAt(monday, { next_attempt_at: monday }), undefined)
})

test('caps count attempts per local day and per seven local days', () => {
  const caps = { per_day: 1, per_week: 3, gap_hours_min: 0 }
  const open = {
    caps,
    windows: [{ days: everyDay(), start: '00:00', end: '24:00' }],
    quiet_hours: { start: '00:00', end: '24:00' },
  }
  // In Berlin the day begins at 23:00 UTC.
  const today = time('2026-11-15T23:00:00Z')
  assert.deepEqual(faultAt(monday, { attempted_at: [today] }, open), deferred('caps', '2026-11-16T23:00:00'))
  assert.equal(faultAt(monday, { attempted_at: [today - 1] }, open), undefined)
  const week = (first: number) => [first, today - 3 * 24 * hour_ms, today - 2 * 24 * hour_ms]
  const six_days_before = today - 6 * 24 * hour_ms
  assert.deepEqual(
    faultAt(monday, { attempted_at: week(six_days_before) }, open),
    deferred('caps', '2026-11-16T23:00:00'),
  )
  assert.equal(faultAt(monday, { attempted_at: week(six_days_before - 1) }, open), undefined)
})

test('the cap of the day holds in every zone of a number', () => {
  const caps = { per_day: 1, per_week: 3, gap_hours_min: 0 }
  const open = {
    caps,
    windows: [{ days: everyDay(), start: '00:00', end: '24:00' }],
    quiet_hours: { start: '00:00', end: '24:00' },
  }
  const attempted_at = [time('2026-11-16T05:30:00Z')]
  assert.equal(faultAt(monday, { zones: ['America/New_York'], attempted_at }, open)?.rule, 'caps')
  assert.equal(faultAt(monday, { zones: ['America/Los_Angeles'], attempted_at }, open), undefined)
  const both = { zones: ['America/Los_Angeles', 'America/New_York'], attempted_at }
  assert.deepEqual(faultAt(monday, both, open), deferred('caps', '2026-11-17T05:00:00'))
})

test('attempts have a least gap', () => {
  const caps = { per_day: 9, per_week: 9, gap_hours_min: 0.5 }
  const attempted_at = [monday - 0.5 * hour_ms + 1_000]
  assert.deepEqual(faultAt(monday, { attempted_at }, { caps }), deferred('caps', '2026-11-16T14:00:01'))
  assert.equal(faultAt(monday + 1_000, { attempted_at }, { caps }), undefined)
})

test('a cap that is free at night defers to the next opening', () => {
  assert.deepEqual(faultAt(monday, { attempted_at: [monday - 5 * hour_ms] }), deferred('caps', '2026-11-17T08:00:00'))
})

test('quiet hours hold whatever the windows are', () => {
  const windows = [{ days: everyDay(), start: '00:00', end: '24:00' }]
  assert.deepEqual(
    faultAt(time('2026-11-16T20:00:00Z'), {}, { windows }),
    deferred('quiet_hours', '2026-11-17T07:00:00'),
  )
  assert.equal(faultAt(time('2026-11-16T19:59:59Z'), {}, { windows }), undefined)
  assert.equal(faultAt(time('2026-11-17T07:00:00Z'), {}, { windows }), undefined)
  const quiet_hours = { start: '09:00', end: '09:00' }
  assert.equal(faultAt(time('2026-11-16T02:00:00Z'), {}, { windows, quiet_hours }), undefined)
})

test('windows that quiet hours never meet skip the contact', () => {
  const windows = [{ days: everyDay(), start: '22:00', end: '23:00' }]
  assert.deepEqual(faultAt(monday, {}, { windows }), { rule: 'windows', verdict: 'skip', reason: 'never_open' })
})

test('zones that have an hour in common only while their clocks differ are reached then', () => {
  const windows = ['09:00', '14:00'].map((start) => ({ days: everyDay(), start, end: start.replace(':00', ':10') }))
  const zones = ['America/New_York', 'Europe/Berlin']
  // In New York clocks are set forward on March 14th, in Berlin on the 28th. Else it is six hours later in Berlin.
  assert.deepEqual(faultAt(monday, { zones }, { windows }), deferred('windows', '2027-03-14T13:00:00'))
})

test('a search that takes too long goes on at the day that it has reached, and nobody is called before', async () => {
  const zones = ['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Asia/Tokyo', 'Asia/Kolkata', 'Asia/Kathmandu']
  const campaign = dialedCampaign({
    quiet_hours: { start: '00:00', end: '00:00' },
    windows: [{ days: everyDay(), start: '08:00', end: '21:00' }],
    holidays: everySecondDay(366),
  })
  const { defer } = await plan({ now: monday, campaign, load: free, due: [candidate({ zones })], recent: [] })
  const until = defer[0]?.until ?? 0
  assert.ok(until > monday + 300 * day_ms, new Date(until).toISOString())
  const { dial, finish } = await plan({ now: until, campaign, load: free, due: [candidate({ zones })], recent: [] })
  assert.deepEqual([dial.length, finish[0]?.reason], [0, 'never_open'])
})

const everySecondDay = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => new Date(monday + 2 * index * day_ms).toISOString().slice(0, 10))

test('a contact without a time zone is skipped', () => {
  assert.deepEqual(faultAt(monday, { zones: [] }), { rule: 'quiet_hours', verdict: 'skip', reason: 'no_time_zone' })
})

test('a toll-free number is called only when it is open in all its zones', () => {
  const zones = zonesOfNumber('+18005550123')
  assert.deepEqual(faultAt(monday, { zones })?.verdict, 'skip')
  const windows = [{ days: everyDay(), start: '08:00', end: '21:00' }]
  // 08:00 in Guam and Saipan, 11:00 in Pago Pago, 18:30 in St. John's.
  assert.deepEqual(faultAt(monday, { zones }, { windows }), deferred('quiet_hours', '2026-11-16T22:00:00'))
  // 21:00 in St. John's.
  assert.equal(faultAt(time('2026-11-17T00:29:59Z'), { zones }, { windows }), undefined)
  assert.deepEqual(
    faultAt(time('2026-11-17T00:30:00Z'), { zones }, { windows }),
    deferred('quiet_hours', '2026-11-17T22:00:00'),
  )
})

test('windows close for the weekend and on holidays', () => {
  const friday = time('2026-12-18T16:00:00Z')
  assert.deepEqual(faultAt(friday, {}), deferred('windows', '2026-12-21T08:00:00'))
  const holidays = ['2026-12-21', '2026-12-22']
  assert.deepEqual(faultAt(friday, {}, { holidays }), deferred('windows', '2026-12-23T08:00:00'))
})

test('a window over midnight belongs to the day on which it starts, and so do holidays', () => {
  const settings = {
    windows: [{ days: ['mon' as const], start: '22:00', end: '02:00' }],
    quiet_hours: { start: '00:00', end: '24:00' },
  }
  const tuesday = time('2026-11-17T00:59:59Z')
  assert.equal(faultAt(tuesday, {}, settings), undefined)
  assert.equal(faultAt(tuesday, {}, { ...settings, holidays: ['2026-11-17'] }), undefined)
  const closed = deferred('windows', '2026-11-23T21:00:00')
  assert.deepEqual(faultAt(tuesday, {}, { ...settings, holidays: ['2026-11-16'] }), closed)
  assert.deepEqual(faultAt(tuesday + 1_000, {}, settings), closed)
  assert.deepEqual(faultAt(time('2026-11-16T00:30:00Z'), {}, settings), deferred('windows', '2026-11-16T21:00:00'))
})

/** When a window of one day opens and closes, in UTC. */
const changes_of_clocks: [zone: string, day: string, window: [string, string], opens: string, closes: string][] = [
  // Spring: 02:00 to 03:00 does not exist.
  ['America/New_York', '2027-03-14', ['02:30', '05:00'], '2027-03-14T07:00:00Z', '2027-03-14T09:00:00Z'],
  ['America/New_York', '2027-03-14', ['01:00', '02:30'], '2027-03-14T06:00:00Z', '2027-03-14T07:00:00Z'],
  ['Europe/Berlin', '2027-03-28', ['02:30', '05:00'], '2027-03-28T01:00:00Z', '2027-03-28T03:00:00Z'],
  ['Australia/Sydney', '2026-10-04', ['02:30', '05:00'], '2026-10-03T16:00:00Z', '2026-10-03T18:00:00Z'],
  // The day begins at 01:00.
  ['America/Santiago', '2026-09-06', ['00:00', '02:00'], '2026-09-06T04:00:00Z', '2026-09-06T05:00:00Z'],
  // Half an hour is skipped.
  ['Australia/Lord_Howe', '2026-10-04', ['02:15', '05:00'], '2026-10-03T15:30:00Z', '2026-10-03T18:00:00Z'],
  // Autumn: 01:00 to 02:00, or 02:00 to 03:00, comes twice.
  ['America/New_York', '2026-11-01', ['01:30', '05:00'], '2026-11-01T06:30:00Z', '2026-11-01T10:00:00Z'],
  ['America/New_York', '2026-11-01', ['00:30', '01:30'], '2026-11-01T04:30:00Z', '2026-11-01T05:30:00Z'],
  ['Europe/Berlin', '2026-10-25', ['02:30', '05:00'], '2026-10-25T01:30:00Z', '2026-10-25T04:00:00Z'],
  ['Australia/Sydney', '2027-04-04', ['02:30', '05:00'], '2027-04-03T16:30:00Z', '2027-04-03T19:00:00Z'],
  ['America/Santiago', '2027-04-03', ['23:30', '24:00'], '2027-04-04T03:30:00Z', '2027-04-04T04:00:00Z'],
  ['Australia/Lord_Howe', '2027-04-04', ['01:45', '05:00'], '2027-04-03T15:15:00Z', '2027-04-03T18:30:00Z'],
  // The whole day, of 23 and 25 hours.
  ['Europe/Berlin', '2027-03-28', ['00:00', '24:00'], '2027-03-27T23:00:00Z', '2027-03-28T22:00:00Z'],
  ['Europe/Berlin', '2026-10-25', ['00:00', '24:00'], '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
]

for (const [zone, day, [start, end], opens, closes] of changes_of_clocks) {
  test(`${start} to ${end} on ${day} in ${zone}, when clocks change, is ${opens} to ${closes}`, () => {
    const weekday = everyDay()[(new Date(day).getUTCDay() + 6) % 7] ?? 'mon'
    const settings = { windows: [{ days: [weekday], start, end }], quiet_hours: { start: '00:00', end: '24:00' } }
    const person = { zones: [zone] }
    assert.deepEqual(faultAt(time(opens) - 1_000, person, settings), deferred('windows', opens.slice(0, -1)))
    assert.equal(faultAt(time(opens), person, settings), undefined)
    assert.equal(faultAt(time(closes) - 1_000, person, settings), undefined)
    assert.equal(faultAt(time(closes), person, settings)?.rule, 'windows')
  })
}

test('a window within the hour that is skipped does not open', () => {
  const settings = {
    windows: [{ days: ['sun' as const], start: '02:10', end: '02:50' }],
    quiet_hours: { start: '00:00', end: '24:00' },
  }
  const night = time('2027-03-28T00:59:00Z')
  assert.deepEqual(faultAt(night, {}, settings), deferred('windows', '2027-04-04T00:10:00'))
})

test('a callback passes caps and windows, but not quiet hours, consent or 20 attempts', () => {
  const saturday = time('2026-11-21T10:00:00Z')
  const asked = {
    callback_at: saturday,
    next_attempt_at: saturday,
    attempts: 4,
    last_outcome: 'answered',
    outcomes: { answered: 1 },
    attempted_at: [saturday - hour_ms],
  } as const
  const person = { ...asked, attempted_at: [...asked.attempted_at] }
  assert.equal(faultAt(saturday, person), undefined)
  assert.deepEqual(faultAt(saturday - 1_000, person), deferred('attempts', '2026-11-21T10:00:00'))
  assert.deepEqual(faultAt(time('2026-11-21T20:00:00Z'), person), deferred('quiet_hours', '2026-11-22T07:00:00'))
  assert.equal(faultAt(saturday, { ...person, refusal: 'opted_out' })?.verdict, 'skip')
  assert.equal(faultAt(saturday, { ...person, attempts: 20 })?.verdict, 'fail')
})

test('what is deferred comes up at the end of the campaign at the latest', () => {
  const ends_at = monday + 5 * hour_ms
  assert.deepEqual(faultAt(monday + 3 * hour_ms, {}, { ends_at }), deferred('windows', '2026-11-16T19:00:00'))
})

test('retries follow the defaults', () => {
  const waits = (outcome: AttemptOutcome) => {
    const hours: number[] = []
    for (let enrollment = candidate({ attempts: 1 }), at = 0; ; ) {
      const after = afterAttempt({ retry: [], attempts_max: 9 }, enrollment, {
        ended_at: at,
        outcome,
        is_opt_out: false,
      })
      assert.equal(after.last_outcome, outcome)
      if (after.next_attempt_at === undefined) return { [after.status]: hours, reason: after.reason }
      assert.equal(after.status, 'waiting')
      hours.push((after.next_attempt_at - at) / hour_ms)
      at = after.next_attempt_at
      enrollment = { ...enrollment, attempts: enrollment.attempts + 1, outcomes: after.outcomes }
    }
  }
  const expected: Record<AttemptOutcome, unknown> = {
    answered: { completed: [], reason: null },
    replied: { completed: [], reason: null },
    delivered: { completed: [], reason: null },
    no_answer: { failed: [4, 24], reason: 'no_answer' },
    busy: { failed: [0.25, 2], reason: 'busy' },
    error: { failed: [1 / 6, 1], reason: 'error' },
    unreachable: { failed: [1 / 6, 1], reason: 'unreachable' },
    undelivered: { failed: [1 / 6, 1], reason: 'undelivered' },
    voicemail: { failed: [24], reason: 'voicemail' },
    screened: { failed: [24], reason: 'screened' },
    menu: { failed: [24], reason: 'menu' },
    unknown: { failed: [24], reason: 'unknown' },
    rejected: { failed: [], reason: 'rejected' },
    invalid_number: { failed: [], reason: 'invalid_number' },
    blocked: { failed: [], reason: 'blocked' },
    canceled: { canceled: [], reason: 'canceled' },
  }
  for (const outcome of attempt_outcomes) assert.deepEqual(waits(outcome), expected[outcome], outcome)
})

test('retry settings replace the defaults of an outcome, and the last wait is repeated', () => {
  const retry = [{ outcome: 'busy' as const, attempts_max: 4, waits_seconds: [60, 120] }]
  assert.equal(ruleFor({ retry }, 'no_answer').attempts_max, 3)
  const next = (busy: number) =>
    afterAttempt({ retry, attempts_max: 9 }, candidate({ attempts: busy + 1, outcomes: { busy } }), {
      ended_at: 1_000,
      outcome: 'busy',
      is_opt_out: false,
    }).next_attempt_at
  assert.deepEqual([next(0), next(1), next(2), next(3)], [61_000, 121_000, 121_000, undefined])
})

test('attempts in all end an enrollment', () => {
  const ended = { ended_at: 0, outcome: 'busy', is_opt_out: false } as const
  const after = (attempts: number) => afterAttempt({ retry: [], attempts_max: 2 }, candidate({ attempts }), ended)
  assert.equal(after(1).status, 'waiting')
  assert.equal(after(2).status, 'failed')
})

test('an opt-out and a callback decide what follows', () => {
  const settings = { retry: [], attempts_max: 4 }
  const after = (outcome: AttemptOutcome, is_opt_out: boolean, callback_at?: number, attempts = 1) => {
    const ended = { ended_at: 0, outcome, is_opt_out, callback_at }
    const result = afterAttempt(settings, candidate({ attempts, callback_at: 5 }), ended)
    return [result.status, result.reason, result.next_attempt_at, result.callback_at]
  }
  assert.deepEqual(after('answered', true, 9), ['completed', 'opted_out', undefined, undefined])
  assert.deepEqual(after('replied', true), ['completed', 'opted_out', undefined, undefined])
  assert.deepEqual(after('blocked', true), ['skipped', 'opted_out', undefined, undefined])
  assert.deepEqual(after('answered', false, 9), ['waiting', null, 9, 9])
  assert.deepEqual(after('answered', false, 9, 19), ['waiting', null, 9, 9])
  assert.deepEqual(after('answered', false, 9, 20), ['completed', null, undefined, undefined])
  assert.deepEqual(after('busy', false), ['waiting', null, 900_000, undefined])
})

const ended = (count: number, outcome: AttemptOutcome, ended_at: number, is_opt_out = false): EndedAttempt[] =>
  Array.from({ length: count }, () => ({ ended_at, outcome, is_opt_out }))

test('ten errors among the last twenty attempts within ten minutes open the circuit breaker', () => {
  const good = (count: number) => ended(count, 'answered', monday - 1_000)
  for (const outcome of ['error', 'unreachable', 'unknown', 'undelivered'] as const) {
    assert.ok(isBroken([...ended(10, outcome, monday - 2_000), ...good(10)], monday, undefined))
  }
  assert.ok(!isBroken(ended(9, 'error', monday), monday, undefined))
  assert.ok(!isBroken([...ended(10, 'error', monday - 2_000), ...good(11)], monday, undefined))
  assert.ok(!isBroken([...good(11), ...ended(10, 'error', monday - 2_000)], monday, undefined))
  assert.ok(isBroken(ended(10, 'error', monday - 599_999), monday, undefined))
  assert.ok(!isBroken(ended(10, 'error', monday - 600_000), monday, undefined))
  assert.ok(!isBroken(ended(10, 'error', monday - 1_000), monday, monday - 1_000))
  assert.ok(isBroken(ended(10, 'error', monday - 1_000), monday, monday - 1_001))
  assert.ok(!isBroken(ended(20, 'no_answer', monday), monday, undefined))
  const interrupted = ended(20, 'unknown', monday).map((attempt) => ({ ...attempt, is_interrupted: true }))
  assert.ok(!isBroken(interrupted, monday, undefined), 'a restart of the service says nothing about the carrier')
})

test('five opt-outs among the last hundred attempts within an hour open the circuit breaker', () => {
  const good = (count: number) => ended(count, 'answered', monday - 1_000)
  const opted_out = (count: number, at: number) => ended(count, 'answered', at, true)
  assert.ok(isBroken([...opted_out(5, monday - 2_000), ...good(95)], monday, undefined))
  assert.ok(!isBroken([...opted_out(5, monday - 2_000), ...good(96)], monday, undefined))
  assert.ok(!isBroken(opted_out(4, monday), monday, undefined))
  assert.ok(!isBroken(opted_out(5, monday - hour_ms), monday, undefined))
})

test('the rate of starts depends on the second only', () => {
  const starts = (starts_per_second: number, ramp_minutes: number, seconds: number) =>
    Array.from({ length: seconds }, (_, second) => {
      const pacing = { in_flight_max: 1, starts_per_second, ramp_minutes }
      return startsIn({ pacing, running_since: monday - 300 }, monday - 300 + second * 1_000 + 300)
    })
  assert.deepEqual(starts(3, 0, 3), [3, 3, 3])
  assert.deepEqual(starts(0.4, 0, 10), [0, 0, 1, 0, 1, 0, 0, 1, 0, 1])
  assert.equal(sum(starts(0.29, 0, 100)), 29)
  assert.deepEqual(
    starts(0.01, 0, 101)
      .map((count, second) => count * second)
      .filter(Boolean),
    [99],
  )
  // Half of the rate on average while it grows, and all of it after that.
  const ramped = starts(10, 1, 120)
  assert.equal(sum(ramped.slice(0, 60)), 300)
  assert.equal(sum(ramped.slice(60)), 600)
  assert.ok((ramped[5] ?? 0) < (ramped[50] ?? 0))
  assert.equal(
    startsIn(
      { pacing: { in_flight_max: 1, starts_per_second: 9, ramp_minutes: 0 }, running_since: monday },
      monday - 1,
    ),
    0,
  )
})

test('the plan dials in order, as many as may begin, and leaves the rest to the next second', async () => {
  const due = ['a', 'b', 'c', 'd', 'e'].map((id) => candidate({ id, refusal: id === 'b' ? 'opted_out' : undefined }))
  const pacing = { in_flight_max: 10, starts_per_second: 2, ramp_minutes: 0 }
  const dialed = async (changes: Partial<DialedCampaign>, load = free) => {
    const planned = await plan({
      now: monday,
      campaign: dialedCampaign({ pacing, running_since: monday, ...changes }),
      load,
      due,
      recent: [],
    })
    return [
      planned.dial.map(({ id }) => id).join(''),
      planned.finish.map(({ candidate }) => candidate.id).join(''),
      planned.next_at,
    ]
  }
  assert.deepEqual(await dialed({}), ['ac', 'b', monday + 1_000])
  assert.deepEqual(await dialed({ pacing: { ...pacing, starts_per_second: 4 } }), ['acde', 'b', undefined])
  assert.deepEqual(await dialed({}, { in_flight: 9, room: 5 }), ['a', 'b', monday + 1_000])
  assert.deepEqual(await dialed({}, { in_flight: 10, room: 5 }), ['', '', monday + 1_000])
  assert.deepEqual(await dialed({}, { in_flight: 0, room: 1 }), ['a', 'b', monday + 1_000])
  assert.deepEqual(await dialed({ is_probing: true }), ['a', 'b', monday + 1_000])
  assert.deepEqual(await dialed({ is_probing: true }, { in_flight: 1, room: 5 }), ['', '', monday + 1_000])
})

test('the plan skips seconds in which no attempt may begin', async () => {
  const nextAfter = async (starts_per_second: number, ramp_minutes = 0) => {
    const campaign = dialedCampaign({
      pacing: { in_flight_max: 10, starts_per_second, ramp_minutes },
      running_since: monday,
    })
    const { dial, next_at = 0 } = await plan({ now: monday, campaign, load: free, due: [candidate()], recent: [] })
    assert.deepEqual(dial, [])
    return (next_at - monday) / 1_000
  }
  assert.equal(await nextAfter(0.4), 2)
  assert.equal(await nextAfter(0.01), 99)
  // So that a rate that grows slowly takes few steps, too.
  assert.equal(await nextAfter(0.01, 60), 200)
})

test('the plan pauses a campaign whose attempts fail', async () => {
  const broken = ended(10, 'error', monday)
  const planned = await plan({
    now: monday,
    campaign: dialedCampaign(),
    load: free,
    due: [candidate()],
    recent: broken,
  })
  assert.deepEqual(planned, { dial: [], defer: [], finish: [], next_at: undefined, pause: 'circuit_breaker' })
  assert.equal(
    (await plan({ now: monday, campaign: dialedCampaign(), load: free, due: [], recent: broken })).pause,
    undefined,
  )
  const forgiven = await plan({
    now: monday,
    campaign: dialedCampaign({ breaker_since: monday }),
    load: free,
    due: [candidate()],
    recent: broken,
  })
  assert.equal(forgiven.dial.length, 1)
  const expired = await plan({
    now: monday,
    campaign: dialedCampaign({ ends_at: monday }),
    load: free,
    due: [candidate()],
    recent: broken,
  })
  assert.deepEqual([expired.finish[0]?.reason, expired.pause], ['ended', undefined])
})

test('the plan gives callers their own objects, with the end of those that failed, expired or were skipped', async () => {
  const own = (changes: Partial<Candidate>) => ({ ...candidate(changes), extra: true })
  const due = [own({ attempts: 4, last_outcome: 'busy' }), own({ refusal: 'suppressed' }), own({ status: 'completed' })]
  const { finish } = await plan({ now: monday, campaign: dialedCampaign(), load: free, due, recent: [] })
  assert.deepEqual(
    finish.map(({ candidate, status, reason }) => [candidate.extra, status, reason]),
    [
      [true, 'failed', 'busy'],
      [true, 'skipped', 'suppressed'],
    ],
  )
})

const explained = (now: number, person: Partial<Candidate>, campaign: Partial<DialedCampaign> = {}, load = free) =>
  explain(candidate(person), contextOf({ now, campaign: dialedCampaign(campaign), load, recent: [] }))

test('an explanation has every rule with a sentence, also after the first that does not pass', () => {
  const zones = ['America/New_York']
  const { verdict, rules, next_attempt_at } = explained(time('2026-11-16T12:12:00Z'), { zones, refusal: 'opted_out' })
  assert.deepEqual([verdict, next_attempt_at], ['skip', undefined])
  assert.deepEqual(
    rules.map(({ rule, verdict, because }) => `${rule} ${verdict}: ${because}`),
    [
      'campaign pass: The campaign is running.',
      'consent skip: The contact has opted out.',
      'conversation pass: No call or conversation with the contact is open.',
      'attempts pass: 0 of 4 attempts were made.',
      'caps pass: No cap is reached.',
      'quiet_hours defer: It is Monday 07:12 in America/New_York, outside 08:00 to 21:00.',
      "windows defer: It is Monday 07:12 in America/New_York, outside the campaign's windows.",
      'breaker pass: Few attempts failed.',
      'pacing pass: 0 of 10000 attempts are going on, and another may begin in this second.',
    ],
  )
})

test('an explanation says what would happen, and when', () => {
  assert.deepEqual(outcomeOf(explained(monday, {})), ['attempt', monday])
  assert.deepEqual(outcomeOf(explained(monday, { next_attempt_at: monday + 60_000 })), ['defer', monday + 60_000])
  assert.deepEqual(outcomeOf(explained(monday, {}, {}, { in_flight: 0, room: 0 })), ['defer', monday + 1_000])
  assert.deepEqual(outcomeOf(explained(monday, {}, { status: 'paused' })), ['defer', undefined])
  assert.deepEqual(outcomeOf(explained(monday, { status: 'completed', refusal: 'opted_out' })), ['done', undefined])
  assert.deepEqual(outcomeOf(explained(monday, {}, { ends_at: monday })), ['expire', undefined])
})

test('an explanation names the cap that is reached and the zone that is closed', () => {
  const because = (rule: string, result: ReturnType<typeof explain>) =>
    result.rules.find((one) => one.rule === rule)?.because
  const capped = explained(monday, { attempted_at: [monday - hour_ms] })
  assert.equal(because('caps', capped), 'There were 1 of 1 attempts today. The last attempt was less than 4 hours ago.')
  const zones = ['Europe/Berlin', 'Asia/Tokyo']
  const closed = 'It is Monday 23:00 in Asia/Tokyo, outside 08:00 to 21:00. The number may be in 2 time zones.'
  assert.equal(because('quiet_hours', explained(monday, { zones })), closed)
})

const outcomeOf = ({ verdict, next_attempt_at }: ReturnType<typeof explain>) => [verdict, next_attempt_at]
const sum = (counts: number[]): number => counts.reduce((total, count) => total + count, 0)

function everyDay(): ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[] {
  return ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
}
