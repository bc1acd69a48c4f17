import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DateTime } from 'luxon'
import type { RuleName } from '../../server/campaigns/explain-schema.ts'
import type { Candidate, DialedCampaign } from '../../server/campaigns/plan/candidate.ts'
import { contextOf } from '../../server/campaigns/plan/context.ts'
import { plan } from '../../server/campaigns/plan/plan.ts'
import { explainRules } from '../../server/campaigns/plan/rules.ts'
import { hoursOf, isOpen, nextOpening, openSchedule } from '../../server/campaigns/plan/windows.ts'
import { type AttemptOutcome, attempt_outcomes, days, type Window } from '../../server/campaigns/settings.ts'
import { nextInQuietHours } from '../../server/workspaces/quiet-hours.ts'
import { candidate, dialedCampaign } from '../support/candidates.ts'
import { runs } from '../support/property-runs.ts'

/** Clocks change at midnight, by half an hour, by two hours, in either hemisphere, or never. */
const zones = [
  'America/New_York',
  'Europe/Berlin',
  'Australia/Sydney',
  'America/Santiago',
  'Australia/Lord_Howe',
  'UTC',
  'America/Havana',
  'Asia/Beirut',
  'Antarctica/Troll',
  'Pacific/Chatham',
  'Asia/Kathmandu',
  'Africa/Casablanca',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'America/St_Johns',
  'America/Asuncion',
]
const searched_days = 12
const minute_ms = 60_000
const day_ms = 24 * 60 * minute_ms

const changes = new Map(zones.map((name) => [name, readChanges(name)]))

const minutes = fc.oneof(
  fc.integer({ min: 0, max: 1_439 }),
  fc.integer({ min: 0, max: 16 }).map((quarter) => quarter * 15),
)
const text = (minute: number) =>
  `${Math.floor(minute / 60)}`.padStart(2, '0') + `:${minute % 60}`.replace(/:(.)$/, ':0$1')
const window: fc.Arbitrary<Window> = fc.record({
  days: fc.subarray([...days], { minLength: 1 }),
  start: minutes.map(text),
  end: fc.oneof({ weight: 4, arbitrary: minutes.map(text) }, { weight: 1, arbitrary: fc.constant('24:00') }),
})
const windows = fc.array(window, { minLength: 1, maxLength: 3 })
const always: Window[] = [{ days: [...days], start: '00:00', end: '24:00' }]
const zone = fc.constantFrom(...zones)
const anywhere = fc
  .integer({ min: Date.UTC(2026, 0) / 1_000, max: Date.UTC(2031, 0) / 1_000 })
  .map((second) => second * 1_000)
/** Within two days of a change of clocks, if the zone has one. */
const nearChange = fc.tuple(zone, anywhere, fc.integer({ min: -2_880, max: 2_880 })).map(([name, from, distance]) => {
  const change = changes.get(name)?.find((time) => time > from)
  return { first: name, time: (change ?? from) + distance * minute_ms }
})
const placeAndTime = fc.oneof(nearChange, fc.record({ first: zone, time: anywhere }))
const moment = fc
  .record({
    at: placeAndTime,
    others: fc.subarray(zones, { maxLength: 2 }),
    holidays: fc.array(fc.integer({ min: -3, max: 9 }), { maxLength: 4 }),
  })
  .map(({ at: { first, time }, others, holidays }) => ({
    zones: [...new Set([first, ...others])],
    time,
    holidays: holidays.map((day) => new Date(time + day * day_ms).toISOString().slice(0, 10)),
  }))

/** When clocks change in the years of this test, to the millisecond, by luxon. */
function readChanges(name: string): number[] {
  const offset = (time: number) => DateTime.fromMillis(time, { zone: name }).offset
  const changes: number[] = []
  // No zone changes its clocks twice in ten days.
  for (let from = Date.UTC(2025, 0); from < Date.UTC(2032, 0); from += 10 * day_ms) {
    let [low, high] = [from, from + 10 * day_ms]
    if (offset(low) === offset(high)) continue
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (offset(middle) === offset(from)) low = middle
      else high = middle
    }
    changes.push(high)
  }
  return changes
}

/** The time at which clocks show these minutes of a day, by luxon. */
function instant(name: string, date: string, minute: number, which: 'earlier' | 'later'): number {
  const shown = DateTime.fromISO(date, { zone: 'utc' }).plus({ minutes: minute })
  const { year, month, day, hour } = shown
  const found = DateTime.fromObject({ year, month, day, hour, minute: shown.minute }, { zone: name })
  if (found.toFormat('yyyy-MM-dd HH:mm') !== shown.toFormat('yyyy-MM-dd HH:mm')) {
    const skipped = changes.get(name)?.find((change) => Math.abs(change - found.toMillis()) < day_ms)
    assert.ok(skipped)
    return skipped
  }
  const all = found.getPossibleOffsets().map((one) => one.toMillis())
  return which === 'earlier' ? Math.min(...all) : Math.max(...all)
}

interface Settings {
  windows: Window[]
  holidays: string[]
}

/** The windows that belong to a local date, by luxon. */
function windowsOn({ windows, holidays }: Settings, name: string, date: string): { start: number; end: number }[] {
  if (holidays.includes(date)) return []
  const weekday = DateTime.fromISO(date, { zone: 'utc' }).weekday
  return windows
    .filter((one) => one.days.some((day) => days.indexOf(day) + 1 === weekday))
    .map(({ start, end }) => {
      const [from = 0, until = 0] = [start, end].map((clock) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3)))
      const [first, last] = start === end ? [0, 1_440] : [from, until < from ? until + 1_440 : until]
      return { start: instant(name, date, first, 'later'), end: instant(name, date, last, 'earlier') }
    })
}

/** The windows of all days around a time. */
function windowsAround(
  settings: Settings,
  name: string,
  time: number,
  days_ahead: number,
): { start: number; end: number }[] {
  const today = DateTime.fromMillis(time, { zone: name }).toISODate() ?? ''
  return Array.from(
    { length: days_ahead + 3 },
    (_, index) =>
      DateTime.fromISO(today, { zone: 'utc' })
        .plus({ days: index - 2 })
        .toISODate() ?? '',
  ).flatMap((date) => windowsOn(settings, name, date))
}

/** The first common opening within the days that are searched, found by trying the start of each window. */
function expectedOpening(
  settings: Settings,
  names: string[],
  time: number,
  days_ahead = searched_days,
): number | undefined {
  const by_zone = names.map((name) => windowsAround(settings, name, time, days_ahead))
  const isOpenAt = (at: number) => by_zone.every((all) => all.some(({ start, end }) => start <= at && at < end))
  const starts = by_zone.flat().map(({ start }) => start)
  const limit = time + days_ahead * day_ms
  return [time, ...starts.filter((start) => start > time && start < limit).sort((a, b) => a - b)].find(isOpenAt)
}

/** Clocks show half past one twice, and skip half past two. */
const rare_moments = [Date.UTC(2026, 10, 1, 4), Date.UTC(2027, 2, 14, 5)].map((time) => ({
  zones: ['America/New_York'],
  time,
  holidays: [],
}))
const rare_minutes = [90, 150]

test('windows open and close as an independent calculation says', () => {
  const examples = rare_moments.flatMap((moment) =>
    rare_minutes.flatMap((minute): [Window[], typeof moment][] => [
      [[{ days: [...days], start: text(minute), end: '20:00' }], moment],
      [[{ days: [...days], start: '20:00', end: text(minute) }], moment],
    ]),
  )
  fc.assert(
    fc.property(windows, moment, (windows, { zones, time, holidays }) => {
      const schedule = openSchedule(windows, holidays)
      const expected = expectedOpening({ windows, holidays }, zones, time)
      assert.equal(isOpen(schedule, zones, time), expected === time)
      const opening = nextOpening(schedule, zones, time)
      if (expected === undefined) assert.ok(opening === undefined || opening >= time + searched_days * day_ms)
      else assert.equal(opening, expected)
    }),
    { ...runs(0.5), examples },
  )
})

const rare_windows = fc.array(
  fc
    .record({ days: fc.subarray([...days], { minLength: 1, maxLength: 2 }), hour: fc.integer({ min: 0, max: 23 }) })
    .map(({ days, hour }) => ({ days, start: text(hour * 60), end: text(hour * 60 + 10) })),
  { minLength: 2, maxLength: 30 },
)

test('windows that rarely open in all zones at once open when an independent calculation says so', () => {
  const days_ahead = 25
  const seen = { soon: 0, never: 0 }
  const some_zones = fc.subarray(zones, { minLength: 2, maxLength: 3 })
  fc.assert(
    fc.property(rare_windows, some_zones, moment, (windows, zones, { time, holidays }) => {
      const expected = expectedOpening({ windows, holidays }, zones, time, days_ahead)
      const opening = nextOpening(openSchedule(windows, holidays), zones, time)
      if (expected === undefined) assert.ok(opening === undefined || opening >= time + days_ahead * day_ms)
      else assert.equal(opening, expected)
      seen[expected === undefined ? 'never' : 'soon'] += 1
    }),
    runs(),
  )
  assert.ok(seen.soon > 2 && seen.never > 2, JSON.stringify(seen))
})

test('quiet hours and windows together are open when both are', () => {
  const shift = fc.integer({ min: 0, max: 3 * 1_440 }).map((minute) => minute * minute_ms)
  fc.assert(
    fc.property(
      windows,
      fc.tuple(minutes, minutes),
      moment,
      shift,
      (windows, quiet, { zones, time, holidays }, shift) => {
        const quiet_hours = { start: text(quiet[0]), end: text(quiet[1]) }
        const hours = hoursOf({ quiet_hours, windows, holidays })
        const isOpenAt = (at: number) => isOpen(hours.quiet_hours, zones, at) && isOpen(hours.windows, zones, at)
        assert.equal(isOpen(hours.both, zones, time + shift), isOpenAt(time + shift))
        const opening = nextOpening(hours.both, zones, time)
        if (opening !== undefined) assert.ok(isOpenAt(opening) && (opening === time || !isOpenAt(opening - 1)))
      },
    ),
    runs(),
  )
})

const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })
const hours_back = fc.array(fc.integer({ min: 0, max: 190 }), { maxLength: 3 })
const outcome = fc.constantFrom(...attempt_outcomes)
/** Nothing but hours can keep this person from being called. */
const anyone = fc.record({
  zones: fc.subarray(zones, { minLength: 1, maxLength: 2 }),
  refusal: fc.constant(undefined),
  open_for: fc.constant(undefined),
  hours_back: fc.constant<number[]>([]),
  attempts: fc.constant(0),
  last_outcome: fc.constant(null),
  count: fc.constant(0),
  wait_seconds: fc.constant(undefined),
  is_callback: fc.constant(false),
})
const person = fc.record({
  zones: fc.oneof(
    { weight: 9, arbitrary: fc.subarray(zones, { minLength: 1, maxLength: 2 }) },
    fc.constant<string[]>([]),
  ),
  refusal: rarely(fc.constant('opted_out' as const)),
  open_for: rarely(fc.integer({ min: -100, max: 10_000 })),
  hours_back,
  attempts: fc.integer({ min: 0, max: 5 }),
  last_outcome: fc.option(outcome),
  count: fc.integer({ min: 0, max: 2 }),
  wait_seconds: rarely(fc.integer({ min: -1_000, max: 200_000 })),
  is_callback: fc.boolean(),
})
const settings = fc.record({
  windows: fc.oneof(windows, fc.constant(always)),
  quiet: fc.oneof(fc.tuple(minutes, minutes), fc.constant([0, 0] as [number, number])),
  caps: fc.record({
    per_day: fc.integer({ min: 1, max: 3 }),
    per_week: fc.integer({ min: 1, max: 5 }),
    gap_hours_min: fc.integer({ min: 0, max: 48 }),
  }),
  starts_in: rarely(fc.integer({ min: -100, max: 100_000 })),
  ends_in: rarely(fc.integer({ min: -100, max: 2_000_000 })),
})

const load = { in_flight: 0, room: 1_000 }

const campaignOf = (
  now: number,
  holidays: string[],
  drawn: typeof settings extends fc.Arbitrary<infer T> ? T : never,
): DialedCampaign =>
  dialedCampaign({
    windows: drawn.windows,
    holidays,
    quiet_hours: { start: text(drawn.quiet[0]), end: text(drawn.quiet[1]) },
    caps: drawn.caps,
    starts_at: drawn.starts_in === undefined ? undefined : now + drawn.starts_in * 1_000,
    ends_at: drawn.ends_in === undefined ? undefined : now + drawn.ends_in * 1_000,
    running_since: now - 1_000,
  })

function candidateOf(now: number, drawn: typeof person extends fc.Arbitrary<infer T> ? T : never): Candidate {
  const next_attempt_at = drawn.wait_seconds === undefined ? undefined : now + drawn.wait_seconds * 1_000
  return candidate({
    zones: drawn.zones,
    refusal: drawn.refusal,
    open_until: drawn.open_for === undefined ? undefined : now + drawn.open_for * 1_000,
    attempted_at: drawn.hours_back.map((hours) => now - hours * 3_600_000).sort((a, b) => a - b),
    attempts: drawn.attempts,
    last_outcome: drawn.last_outcome,
    outcomes: drawn.last_outcome === null ? {} : { [drawn.last_outcome]: drawn.count },
    next_attempt_at,
    callback_at: drawn.is_callback ? next_attempt_at : undefined,
  })
}

/** Counts by the local dates of luxon. */
function areCapsFree(now: number, { caps }: DialedCampaign, { attempted_at, callback_at, zones }: Candidate): boolean {
  if (callback_at !== undefined) return true
  const last = attempted_at.at(-1)
  if (last !== undefined && now - last < caps.gap_hours_min * 3_600_000) return false
  return zones.every((zone) => {
    const today = DateTime.fromMillis(now, { zone })
    const dates = attempted_at.map((time) => DateTime.fromMillis(time, { zone }).toISODate() ?? '')
    const since = (days: number) => dates.filter((date) => date >= (today.minus({ days }).toISODate() ?? '')).length
    return since(0) < caps.per_day && since(6) < caps.per_week
  })
}

/** How many attempts may end in each way, without rules of the campaign's own. */
const attempts_by_outcome: Record<AttemptOutcome, number> = {
  no_answer: 3,
  busy: 3,
  error: 3,
  unreachable: 3,
  undelivered: 3,
  voicemail: 2,
  screened: 2,
  menu: 2,
  unknown: 2,
  rejected: 1,
  invalid_number: 1,
  blocked: 1,
  canceled: 1,
  answered: 1,
  replied: 1,
  delivered: 1,
}

const isIn = (settings: Settings, { zones }: Candidate, now: number): boolean =>
  zones.length > 0 &&
  zones.every((zone) => windowsAround(settings, zone, now, 0).some(({ start, end }) => start <= now && now < end))

/** Whether so many attempts were made that none follows. */
function isTried({ attempts, last_outcome, outcomes, callback_at }: Candidate, campaign: DialedCampaign): boolean {
  if (callback_at !== undefined) return attempts >= 20
  const is_repeated = last_outcome !== null && (outcomes[last_outcome] ?? 0) >= attempts_by_outcome[last_outcome]
  return attempts >= campaign.attempts_max || is_repeated
}

/** Whether each rule passes. Written without the rules of the campaign, and with another library. */
function passing(now: number, campaign: DialedCampaign, one: Candidate): Record<RuleName, boolean> {
  const { starts_at = now, ends_at = Number.POSITIVE_INFINITY, windows, holidays, quiet_hours } = campaign
  const is_callback = one.callback_at !== undefined
  const is_due = [one.next_attempt_at, one.callback_at].every((time) => time === undefined || time <= now)
  return {
    campaign: starts_at <= now && now < ends_at,
    consent: one.refusal === undefined,
    conversation: one.open_until === undefined || one.open_until <= now,
    attempts: !isTried(one, campaign) && is_due,
    caps: areCapsFree(now, campaign, one),
    quiet_hours: isIn({ windows: [{ days: [...days], ...quiet_hours }], holidays: [] }, one, now),
    windows: is_callback || isIn({ windows, holidays }, one, now),
    breaker: true,
    pacing: true,
  }
}

const mayDial = (now: number, campaign: DialedCampaign, one: Candidate): boolean =>
  Object.values(passing(now, campaign, one)).every(Boolean)

/** What no passing of time changes. */
const isFinal = (campaign: DialedCampaign, one: Candidate): boolean =>
  one.refusal !== undefined || one.zones.length === 0 || isTried(one, campaign)

/** It is not asked again within a minute whether an open conversation has ended. */
const isInMinuteOfTalk = ({ open_until = 0 }: Candidate, now: number, probe: number): boolean =>
  open_until > now && probe < now + 60_000

async function checkDeferred(
  now: number,
  campaign: DialedCampaign,
  { one, until }: { one: Candidate; until: number },
  shares: number[],
): Promise<void> {
  assert.ok(until > now && until % 1_000 === 0)
  for (const share of shares) {
    const probe = now + Math.floor((share * (until - 1_000 - now)) / 1_000) * 1_000
    assert.ok(isInMinuteOfTalk(one, now, probe) || !mayDial(probe, campaign, one), `${probe} is before ${until}`)
  }
  const then = { ...one, open_until: undefined, next_attempt_at: until }
  const again = await plan({ now: until, campaign, load, due: [then], recent: [] })
  if (campaign.ends_at !== undefined && until >= campaign.ends_at) assert.equal(again.finish[0]?.status, 'expired')
  else if (isFinal(campaign, one)) assert.equal(again.finish.length, 1)
  else {
    assert.equal(again.dial.length, 1)
    assert.ok(mayDial(until, campaign, then), `${until}`)
  }
}

test('what passes every rule is dialled, and what is deferred is dialled at that time and not before', async () => {
  const people = fc.array(fc.oneof(person, anyone), { minLength: 1, maxLength: 5 })
  const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 4, maxLength: 4 })
  const seen = { dial: 0, defer: 0, finish: 0 }
  await fc.assert(
    fc.asyncProperty(settings, moment, people, shares, async (settings, { time, holidays }, people, shares) => {
      const now = Math.floor(time / 1_000) * 1_000
      const campaign = campaignOf(now, holidays, settings)
      const due = people.map((one) => candidateOf(now, one))
      const { dial, defer, finish } = await plan({ now, campaign, load, due, recent: [] })
      assert.equal(dial.length + defer.length + finish.length, due.length)
      for (const one of due) {
        const explained = explainRules(one, contextOf({ now, campaign, load, recent: [] }))
        const passed = Object.fromEntries(explained.map(({ rule, verdict }) => [rule, verdict === 'pass']))
        assert.deepEqual(passed, passing(now, campaign, one))
        assert.equal(dial.includes(one), mayDial(now, campaign, one))
      }
      for (const { candidate, until } of defer) await checkDeferred(now, campaign, { one: candidate, until }, shares)
      seen.dial += dial.length
      seen.defer += defer.length
      seen.finish += finish.length
    }),
    runs(),
  )
  assert.ok(
    Object.values(seen).every((count) => count > 10),
    JSON.stringify(seen),
  )
})

test('callbacks wait for quiet hours as an independent calculation says', () => {
  const hours = fc.tuple(minutes, minutes).filter(([start, end]) => start !== end)
  const examples = rare_moments.flatMap((moment) =>
    rare_minutes.flatMap((minute): [typeof moment, [number, number], boolean][] => [
      [moment, [minute, 1_200], false],
      [moment, [0, minute], false],
    ]),
  )
  fc.assert(
    fc.property(moment, hours, fc.boolean(), ({ zones, time }, [one, other], is_to_midnight) => {
      const quiet_hours = {
        start: text(Math.min(one, other)),
        end: is_to_midnight ? '24:00' : text(Math.max(one, other)),
      }
      const every_day = { windows: [{ days: [...days], ...quiet_hours }], holidays: [] }
      const expected = expectedOpening(every_day, zones, time)
      const found = nextInQuietHours(quiet_hours, zones, time)
      if (expected !== undefined && expected < time + 7 * day_ms) assert.equal(found, expected)
      else assert.ok(found === undefined || found === expected)
    }),
    { ...runs(0.5), examples },
  )
})
