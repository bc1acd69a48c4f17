import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CheckedCampaign, type CheckedPerson, type DialCheck, findViolations } from '../support/dial-check.ts'

const number = '+14155550100'
const every_day = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const allow_all: CheckedCampaign = {
  kind: 'voice',
  windows: [{ days: every_day, start: '00:00', end: '24:00' }],
  holidays: [],
  caps: { per_day: 100, per_week: 500, gap_hours_min: 0 },
  consent: 'not_opted_out',
}
const new_york: CheckedPerson = { zones: ['America/New_York'], consents: [] }
const all_day = { start: '00:00', end: '24:00' }

interface World {
  at: string[]
  campaign?: Partial<CheckedCampaign>
  person?: Partial<CheckedPerson>
  check?: Partial<DialCheck>
}

const rulesBroken = ({ at, campaign, person, check }: World): string[] =>
  findViolations({
    dials: at.map((time) => ({ to: number, at: Date.parse(time), campaign_id: 'c' })),
    campaigns: new Map([['c', { ...allow_all, ...campaign }]]),
    people: new Map([[number, { ...new_york, ...person }]]),
    quiet_hours: all_day,
    ...check,
  }).map(({ rule }) => rule)

const office = [{ days: ['mon'], start: '09:00', end: '17:00' }]

test('a dial in the window passes, and its end is exclusive', () => {
  const campaign = { windows: office }
  const broken = (time: string) => rulesBroken({ at: [time], campaign })
  assert.deepEqual(broken('2027-03-01T13:59:59.999Z'), ['window'])
  assert.deepEqual(broken('2027-03-01T14:00:00.000Z'), [])
  assert.deepEqual(broken('2027-03-01T21:59:59.999Z'), [])
  assert.deepEqual(broken('2027-03-01T22:00:00.000Z'), ['window'])
  assert.deepEqual(broken('2027-03-02T15:00:00.000Z'), ['window'])
})

test('a window must be open in every zone, and is closed without one', () => {
  const campaign = { windows: office }
  const at = ['2027-03-01T14:30:00Z']
  assert.deepEqual(rulesBroken({ at, campaign, person: { zones: ['America/New_York', 'America/Los_Angeles'] } }), [
    'window',
  ])
  assert.deepEqual(rulesBroken({ at, campaign, person: { zones: [] } }), ['window'])
})

test('a window over midnight belongs to the day of its start', () => {
  const campaign = { windows: [{ days: ['mon'], start: '22:00', end: '02:00' }] }
  const broken = (time: string) => rulesBroken({ at: [time], campaign })
  assert.deepEqual(broken('2027-03-02T06:59:00Z'), [])
  assert.deepEqual(broken('2027-03-02T07:00:00Z'), ['window'])
  assert.deepEqual(broken('2027-03-01T06:00:00Z'), ['window'])
})

test('a start that the clocks skip is the first time after it', () => {
  // In New York 02:00 is followed by 03:00 on 14 March 2027.
  const campaign = { windows: [{ days: ['sun'], start: '02:30', end: '04:00' }] }
  const broken = (time: string) => rulesBroken({ at: [time], campaign })
  assert.deepEqual(broken('2027-03-14T06:59:59Z'), ['window'])
  assert.deepEqual(broken('2027-03-14T07:00:00Z'), [])
  assert.deepEqual(broken('2027-03-14T08:00:00Z'), ['window'])
})

test('of hours that the clocks show twice the stricter ones count', () => {
  // In New York 01:00 to 02:00 happens twice on 7 November 2027.
  const broken = (start: string, end: string, time: string) =>
    rulesBroken({ at: [time], campaign: { windows: [{ days: ['sun'], start, end }] } })
  assert.deepEqual(broken('01:30', '03:00', '2027-11-07T05:45:00Z'), ['window'])
  assert.deepEqual(broken('01:30', '03:00', '2027-11-07T06:30:00Z'), [])
  assert.deepEqual(broken('00:00', '01:30', '2027-11-07T05:29:00Z'), [])
  assert.deepEqual(broken('00:00', '01:30', '2027-11-07T06:15:00Z'), ['window'])
})

test('quiet hours and holidays hold in the zone of the person', () => {
  const at = ['2027-03-02T02:00:00Z']
  assert.deepEqual(rulesBroken({ at, check: { quiet_hours: { start: '08:00', end: '21:00' } } }), ['quiet_hours'])
  assert.deepEqual(rulesBroken({ at, check: { quiet_hours: { start: '08:00', end: '21:01' } } }), [])
  assert.deepEqual(rulesBroken({ at, campaign: { holidays: ['2027-03-01'] } }), ['holiday'])
  assert.deepEqual(rulesBroken({ at, campaign: { holidays: ['2027-03-02'] } }), [])
})

test('caps count days of the person, today and the six before it, and the gap', () => {
  const caps = (changes: object) => ({ caps: { ...allow_all.caps, ...changes } })
  const evening_and_night = ['2027-03-02T04:59:00Z', '2027-03-02T05:00:00Z']
  assert.deepEqual(rulesBroken({ at: evening_and_night, campaign: caps({ per_day: 1 }) }), [])
  const same_day = ['2027-03-02T05:00:00Z', '2027-03-03T04:59:00Z']
  assert.deepEqual(rulesBroken({ at: same_day, campaign: caps({ per_day: 1 }) }), ['per_day'])
  const week = (second: string) => ['2027-03-01T15:00:00Z', second]
  assert.deepEqual(rulesBroken({ at: week('2027-03-08T04:59:59Z'), campaign: caps({ per_week: 1 }) }), ['per_week'])
  assert.deepEqual(rulesBroken({ at: week('2027-03-08T05:00:00Z'), campaign: caps({ per_week: 1 }) }), [])
  const gap = (second: string) => ['2027-03-01T15:00:00Z', second]
  assert.deepEqual(rulesBroken({ at: gap('2027-03-01T18:59:59Z'), campaign: caps({ gap_hours_min: 4 }) }), ['gap'])
  assert.deepEqual(rulesBroken({ at: gap('2027-03-01T19:00:00Z'), campaign: caps({ gap_hours_min: 4 }) }), [])
})

test('consent counts as it was at the time of the dial', () => {
  const at = ['2027-03-01T15:00:00Z']
  const person = (status: 'granted' | 'revoked', time: string, kind: 'voice' | 'sms' | 'all' = 'all') => ({
    consents: [{ kind, status, at: Date.parse(time) }],
  })
  const required = { consent: 'required' } as const
  assert.deepEqual(rulesBroken({ at, campaign: required }), ['consent'])
  assert.deepEqual(rulesBroken({ at, campaign: required, person: person('granted', '2027-03-01T14:00:00Z') }), [])
  assert.deepEqual(rulesBroken({ at, campaign: required, person: person('granted', '2027-03-01T16:00:00Z') }), [
    'consent',
  ])
  assert.deepEqual(rulesBroken({ at, person: person('revoked', '2027-03-01T14:00:00Z') }), ['consent'])
  assert.deepEqual(rulesBroken({ at, person: person('revoked', '2027-03-01T14:00:00Z', 'sms') }), [])
  assert.deepEqual(rulesBroken({ at, person: person('revoked', '2027-03-01T16:00:00Z') }), [])
})

test('a dial to someone else is found', () => {
  assert.deepEqual(rulesBroken({ at: ['2027-03-01T15:00:00Z'], check: { people: new Map() } }), ['unknown'])
})

test('a late dial is allowed by what was so when it was decided, and nothing else', () => {
  const at = ['2027-03-01T15:00:00.000Z']
  const check = { late_ms: 2_000 }
  const said = (status: 'granted' | 'revoked', time: string) => ({
    person: { consents: [{ kind: 'voice' as const, status, at: Date.parse(time) }] },
  })
  const campaign = { consent: 'required' } as const
  assert.deepEqual(rulesBroken({ at, campaign, check, ...said('granted', '2027-03-01T14:59:59.999Z') }), [])
  assert.deepEqual(rulesBroken({ at, campaign, check, ...said('granted', '2027-03-01T15:00:00.001Z') }), ['consent'])
  assert.deepEqual(rulesBroken({ at, check, ...said('revoked', '2027-03-01T14:59:58.001Z') }), [])
  assert.deepEqual(rulesBroken({ at, check, ...said('revoked', '2027-03-01T14:59:58.000Z') }), ['consent'])
})
