import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Behaviour } from '../../peers/phone-behaviour.ts'
import { all_days } from '../campaign-world.ts'
import { pick } from '../random.ts'
import type { PhoneWorld } from './world.ts'

/** A campaign by telephone, and the same with simulated people: the same enrollments and counts. */

const hello: Behaviour = { acts: (person) => person.say('Hello?').then(() => {}) }
const greeting =
  "Hi, you've reached Alex Morgan. I can't take your call right now. Please leave a message after the tone."
/** What the simulated people do whose numbers end so, at the telephone: the first time, and then. */
const behaviours: Record<string, Behaviour[]> = {
  '00': [hello],
  '01': [{ takes: 'no_answer' }],
  '02': [{ takes: 'busy', after_ms: 1_000 }],
  '03': [{ takes: 'rejects', after_ms: 3_000 }],
  '04': [{ takes: 'fails', after_ms: 0, failure: { sip_response_code: 404, error_code: 13_224 } }],
  '05': [{ after_ms: 2_000, greeting, has_beep: true, hangs_up_after_ms: 40_000 }],
  '16': [{ takes: 'fails', after_ms: 1_000, failure: { sip_response_code: 503 } }, hello],
}
/** Each of them, and then more of those who answer. */
const endings = [...Object.keys(behaviours), '00', '00', '02']
const pacing = { in_flight_max: 6, starts_per_second: 2, ramp_minutes: 0 }
const script = { start: 'hi', nodes: { hi: { say: 'Hello, this is the office. Goodbye.', go: '@end' } } }
/** A telephone that nobody answers rings for half a minute, and who was busy is called again after one. */
const wait_max_ms = { least: 180_000, each: 6_000 }

/** What has become of a contact. */
interface Result {
  ending: string
  status: string
  attempts: number
  /** Of its calls, the oldest first. */
  outcomes: string[]
}

export async function checkCampaigns(world: PhoneWorld, count: number): Promise<string> {
  const { api, random, network, people } = world
  await api.send('PATCH', '/workspace', { settings: { quiet_hours: { start: '00:00', end: '24:00' } } })
  const agent_id = await api.addAgent(script, { voicemail_message: 'Please call us back.' })
  const chosen = Array.from({ length: count }, (_, index) => endings[index] ?? pick(random, endings))
  const simulator = await world.addChannel({
    agent_id,
    kind: 'voice',
    provider: 'simulator',
    account_sid: undefined,
    auth_token: undefined,
    api_url: undefined,
    is_api_url_trusted: undefined,
  })
  const telephone = await world.addChannel({ agent_id })
  const numbersIn = (area: string) =>
    chosen.map((ending, index) => `+1${area}${5_550_000 + index * 100 + Number(ending)}`)
  const numbers = { telephone: numbersIn('415'), simulator: numbersIn('212') }
  for (const to of numbers.telephone) people.set(to, { ...behaviours[to.slice(-2)]?.[0] })
  const earlier = network.calls.length
  const watch = setInterval(() => {
    // Who has answered or failed once may do something else the next time.
    for (const { to, ended_at } of network.calls.slice(earlier)) {
      const second = behaviours[to.slice(-2)]?.[1]
      if (second && ended_at !== undefined) people.set(to, second)
    }
  }, 500)
  try {
    const [by_telephone, simulated] = await Promise.all([
      runCampaign(world, { agent_id, channel_id: telephone.id, numbers: numbers.telephone }),
      runCampaign(world, { agent_id, channel_id: simulator.id, numbers: numbers.simulator }),
    ])
    assert.deepEqual(by_telephone, simulated)
    const dials = network.calls.slice(earlier).filter(({ direction }) => direction === 'outbound-api')
    const attempts = by_telephone.results.reduce((sum, one) => sum + one.attempts, 0)
    assert.equal(dials.length, attempts, 'each attempt was dialled once')
    for (const one of dials) {
      const at_once = dials.filter(
        (other) => other.created_at <= one.created_at && (other.ended_at ?? Number.POSITIVE_INFINITY) > one.created_at,
      )
      assert.ok(at_once.length <= pacing.in_flight_max, `${at_once.length} calls at once`)
    }
    return `a campaign of ${count} by telephone and with simulated people: the same (${JSON.stringify(by_telephone.counts)}), in ${dials.length} dials`
  } finally {
    clearInterval(watch)
  }
}

interface Started {
  agent_id: string
  channel_id: string
  numbers: string[]
}

/** Calls these numbers until nothing is left to do. */
async function runCampaign({ api }: PhoneWorld, { agent_id, channel_id, numbers }: Started) {
  const by_contact = new Map<string, string>()
  for (const phone_number of numbers)
    by_contact.set(
      (await api.send('POST', '/contacts', { phone_number, time_zone: 'America/New_York' })).id,
      phone_number,
    )
  const retried = (outcome: string, attempts_max: number) => ({ outcome, attempts_max, waits_seconds: [60] })
  const retry = [
    ...['busy', 'error'].map((outcome) => retried(outcome, 2)),
    ...['no_answer', 'voicemail'].map((outcome) => retried(outcome, 1)),
  ]
  const { id } = await api.send('POST', '/campaigns', {
    name: `Campaign ${channel_id}`,
    kind: 'voice',
    agent_id,
    channel_ids: [channel_id],
    windows: [{ days: all_days, start: '00:00', end: '24:00' }],
    caps: { per_day: 100, per_week: 500, gap_hours_min: 0 },
    attempts_max: 2,
    pacing,
    retry,
  })
  await api.send('POST', `/campaigns/${id}/enrollments`, { contact_ids: [...by_contact.keys()] })
  await api.send('POST', `/campaigns/${id}/start`)
  const give_up_at = performance.now() + wait_max_ms.least + numbers.length * wait_max_ms.each
  for (;;) {
    const campaign = await api.send('GET', `/campaigns/${id}`)
    if (campaign.status === 'completed' || performance.now() > give_up_at) {
      const { status, pause_reason, counts } = campaign
      const calls: Call[] = await api.send('GET', `/calls?channel_id=${channel_id}&limit=100`)
      const enrollments: Enrollment[] = await api.send('GET', `/campaigns/${id}/enrollments?limit=100`)
      const results = enrollments.map((enrollment): Result & { index: number } => {
        const to = by_contact.get(enrollment.contact_id) ?? ''
        const outcomes = calls
          .filter((call) => call.to === to)
          .map(({ outcome, end_reason }) => `${outcome} ${end_reason}`)
        const { status, attempts } = enrollment
        return { index: numbers.indexOf(to), ending: to.slice(-2), status, attempts, outcomes: outcomes.toReversed() }
      })
      return { status, pause_reason, counts, results: results.toSorted((one, other) => one.index - other.index) }
    }
    await sleep(1_000)
  }
}

interface Call {
  to: string
  outcome: string
  end_reason: string
}

interface Enrollment {
  contact_id: string
  status: string
  attempts: number
}
