import assert from 'node:assert/strict'
import { test } from 'node:test'
import { advance, newCaller } from '../support/calls.ts'
import { type CheckedCampaign, type CheckedPerson, type Dial, findViolations } from '../support/dial-check.ts'
import { serve, type Tenant } from '../support/harness.ts'

const server = await serve()

const quiet_hours = { start: '08:00', end: '21:00' }
const two_weeks_s = 14 * 86_400
const every_day = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const people_each = 6
/** Nobody answers, busy, voicemail, rejects, and drawn from the mix. */
const behaviors = ['01', '02', '05', '03', '55', '77']

/** Retries go on for days, so that calls follow before and after a change of clocks. */
const settings = {
  attempts_max: 12,
  pacing: { in_flight_max: 20, starts_per_second: 2, ramp_minutes: 0 },
  retry: ['no_answer', 'busy', 'voicemail', 'error', 'unreachable'].map((outcome) => ({
    outcome,
    attempts_max: 12,
    waits_seconds: [3_600, 5 * 3_600],
  })),
  caps: { per_day: 2, per_week: 9, gap_hours_min: 3 },
}

const campaigns: Partial<CheckedCampaign>[] = [
  { windows: [{ days: every_day, start: '09:00', end: '17:00' }] },
  // Night hours, in which clocks change. Quiet hours leave little of them.
  {
    windows: [
      { days: every_day, start: '20:00', end: '08:30' },
      { days: ['sun'], start: '02:30', end: '10:00' },
    ],
  },
]

/** Each begins a few days before the clocks change in one or both of the zones. */
const changes = [
  { name: 'spring in New York and Berlin', now: '2027-03-10T12:00:00Z', zones: ['America/New_York', 'Europe/Berlin'] },
  { name: 'spring in Berlin', now: '2027-03-24T12:00:00Z', zones: ['Europe/Berlin', 'Europe/London'] },
  { name: 'autumn in Berlin and New York', now: '2027-10-28T12:00:00Z', zones: ['Europe/Berlin', 'America/New_York'] },
  {
    name: 'autumn in Sydney and Santiago',
    now: '2027-04-01T12:00:00Z',
    zones: ['Australia/Sydney', 'America/Santiago'],
  },
  { name: 'spring in Santiago', now: '2027-09-02T12:00:00Z', zones: ['America/Santiago', 'Australia/Sydney'] },
  { name: 'spring in Sydney', now: '2027-09-30T12:00:00Z', zones: ['Australia/Sydney', 'Australia/Lord_Howe'] },
]

for (const { name, now, zones } of changes)
  test(`no call is at a wrong time when clocks change: ${name}`, async () => {
    const tenant = await server.workspace()
    await tenant.addTestClock(Date.parse(now))
    const people = await addPeople(tenant, zones)
    const checked = await startCampaigns(tenant, [...people.values()])
    await advance(tenant, two_weeks_s)
    const dials = await readDials(tenant, [...checked.keys()])
    const of_days = new Set(dials.map(({ at }) => new Date(at).toISOString().slice(0, 10)))
    assert.ok(of_days.size > 7, `calls on ${of_days.size} days`)
    assert.deepEqual(findViolations({ dials, campaigns: checked, people, quiet_hours }), [])
  })

interface Added extends CheckedPerson {
  id: string
}

async function addPeople({ call }: Tenant, zones: string[]): Promise<Map<string, Added>> {
  const people = new Map<string, Added>()
  for (const time_zone of zones)
    for (let nth = 0; nth < people_each; nth += 1) {
      const behavior = behaviors[nth % behaviors.length]
      const phone_number = `+1415${5_000_000 + people.size * 100 + Number(behavior)}`
      const { status, body, text } = await call('POST', '/contacts', { phone_number, time_zone })
      assert.equal(status, 201, text)
      people.set(phone_number, { id: body.data.id, zones: [time_zone], consents: [] })
    }
  return people
}

/** All of them want the same people. */
async function startCampaigns(tenant: Tenant, people: Added[]): Promise<Map<string, CheckedCampaign>> {
  const agent_id = await newCaller(tenant)
  const started = new Map<string, CheckedCampaign>()
  const send = async (path: string, body?: object) => {
    const { status, body: answer, text } = await tenant.call('POST', path, body)
    assert.ok(status < 300, `${path}: ${text}`)
    return answer.data
  }
  for (const [index, campaign] of campaigns.entries()) {
    const fields = { name: `Campaign ${index}`, kind: 'voice', agent_id, ...settings, ...campaign }
    const { id, kind, windows, holidays, caps, consent } = await send('/campaigns', fields)
    started.set(id, { kind, windows, holidays, caps, consent })
    await send(`/campaigns/${id}/enrollments`, { contact_ids: people.map((person) => person.id) })
    await send(`/campaigns/${id}/start`)
  }
  return started
}

async function readDials({ call }: Tenant, campaign_ids: string[]): Promise<Dial[]> {
  const dials: Dial[] = []
  for (const campaign_id of campaign_ids)
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = `limit=100${cursor && `&cursor=${cursor}`}`
      const { body, text } = await call('GET', `/calls?campaign_id=${campaign_id}&${page}`)
      assert.ok(body.success, text)
      for (const { to, started_at } of body.data)
        if (started_at !== null) dials.push({ to, at: Date.parse(started_at), campaign_id })
      cursor = body.pagination.next_cursor
    }
  return dials
}
