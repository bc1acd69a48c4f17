import { chooseVersion } from '../../agents/choose-version.ts'
import { hasNoTools } from '../../agents/configuration.ts'
import { summarize } from '../../calls/facts.ts'
import { runAhead } from '../../calls/work.ts'
import { askingOf } from '../../consent/written.ts'
import { timeZoneOf } from '../../contacts/zones.ts'
import { type At, type AtOutside, system } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import { newId } from '../../kit/id.ts'
import { openLog } from '../../kit/log.ts'
import type { Db } from '../../kit/postgres/pool.ts'
import { simulator } from '../../lines/simulator/carrier.ts'
import { choosePerson, setChances } from '../../lines/simulator/choose.ts'
import { report_after_ms } from '../../lines/simulator/message-work.ts'
import { onAttempt, personOf } from '../../lines/simulator/people.ts'
import { beginningOf } from '../../lines/simulator/reports.ts'
import { chooseTexter, reportOn } from '../../lines/simulator/texting.ts'
import type { DueEnrollment } from '../dial/candidates.ts'
import { numberOf, type Sender, toCall } from '../dial/dispatch.ts'
import { type ForecastAttempt, type ForecastJob, type ForecastResult, scaleOf } from './forecast-job.ts'
import { type Result, runTogether, Simulation } from './simulation.ts'

const attempts_max = 200_000
/** Messages are replied to after about this time. */
const reply_after_ms = 60_000
const log = openLog('silent')

/** Says that the time of a simulation is over. */
export class OutOfTime extends Error {}

/** Runs a campaign in memory up to its end. Nothing is written. */
export async function simulateJob(job: ForecastJob, until_ticks: number): Promise<ForecastResult> {
  const attempts: ForecastAttempt[] = []
  const { in_flight_factor, ...limits } = limitsOf(job)
  const attempt = async (enrollment: DueEnrollment, time: number): Promise<Result> => {
    if (clock.ticks() > until_ticks) throw new OutOfTime()
    const result = await attemptOnce(job, enrollment, time)
    attempts.push({ at: time, ended_at: result.ended_at, outcome: result.outcome })
    const { in_flight_until = result.ended_at } = result
    const in_flight_ms = Math.max(clock.second_ms, in_flight_until - time)
    return in_flight_factor === 1 ? result : { ...result, in_flight_until: time + in_flight_factor * in_flight_ms }
  }
  const simulation = new Simulation<DueEnrollment>({
    due: job.due,
    is_partial: false,
    recent: [],
    later: [],
    from: job.from,
    attempt,
    ...limits,
  })
  const run = () => runTogether([simulation], { until: job.until, attempts_max })
  await run()
  // A forecast does not end when the circuit breaker pauses the campaign: it goes on later.
  for (let pauses = 0; simulation.pause && pauses < pauses_max; pauses += 1) {
    simulation.resume()
    await run()
  }
  const ends = job.due.map(({ status, reason = null }) => ({ status, reason }))
  return { attempts, ends, is_complete: simulation.next_at === undefined && !simulation.pause }
}

const pauses_max = 1_000

/**
 * Scales the limits. Contacts that stand for more of them have a smaller share of the limits, so that a campaign takes
 * as long as with all. A share of the calls at the same time may be less than one, or no whole number: then each counts
 * as in flight for longer, or shorter.
 */
function limitsOf(job: ForecastJob) {
  const { campaign, in_flight } = job
  // Messages don't count for the workspace.
  const calls_in_flight_max = campaign.kind === 'sms' ? Number.POSITIVE_INFINITY : job.calls_in_flight_max
  const scale = scaleOf(job)
  if (scale === 1) return { campaign, calls_in_flight_max, ends: [...in_flight], in_flight_factor: 1 }
  const { pacing } = campaign
  const share = Math.min(pacing.in_flight_max, calls_in_flight_max) / scale
  const in_flight_max = Math.max(1, Math.round(share))
  const starts_per_second = pacing.starts_per_second / scale
  return {
    campaign: { ...campaign, pacing: { ...pacing, in_flight_max, starts_per_second } },
    calls_in_flight_max: in_flight_max,
    ends: [],
    in_flight_factor: in_flight_max / share,
  }
}

async function attemptOnce(job: ForecastJob, enrollment: DueEnrollment, time: number): Promise<Result> {
  const at = atTime(job, time)
  if (job.campaign.kind === 'sms') return textOnce(at, enrollment)
  const sender = senderOf(job)
  const { contact } = enrollment
  const { configuration } = await sender.versionFor(contact.phone_number)
  if (!hasNoTools(configuration)) return guess(at, job, enrollment)
  const row = await toCall(at, { campaign: job.campaign, sender, enrollment, id: newId() })
  const horizon = Number.MAX_SAFE_INTEGER
  const time_zone = timeZoneOf(contact, { now: time, workspace_time_zone: job.time_zone })
  const call = { row, contact, time_zone, configuration, horizon }
  const { facts, opted_out } = await runAhead(at, call, { carrier: simulator, log })
  const { outcome, ended_at, end_reason } = summarize(facts)
  return {
    ended_at: ended_at === null ? time : clock.parse(ended_at),
    outcome: outcome ?? 'unknown',
    is_opt_out: opted_out !== null || end_reason === 'opted_out',
  }
}

/** Guesses the result of a call. What a model would say is not known, so a call takes as long as others did. */
async function guess(at: At, { answered_ms }: ForecastJob, enrollment: DueEnrollment): Promise<Result> {
  const chosen = await choosePerson(at, {
    to: enrollment.contact.phone_number,
    simulate: null,
    attempt: numberOf(enrollment),
  })
  const { facts } = beginningOf(personOf(chosen.person), chosen, at.now)
  const { outcome, ended_at, answered_at } = summarize(facts)
  const end = answered_at === null ? ended_at : clock.iso(clock.parse(answered_at) + answered_ms)
  return { ended_at: end === null ? at.now : clock.parse(end), outcome: outcome ?? 'unknown', is_opt_out: false }
}

async function textOnce(at: At, enrollment: DueEnrollment): Promise<Result> {
  const attempt = numberOf(enrollment)
  const person = personOf(onAttempt(await chooseTexter(at, enrollment.contact.phone_number), attempt))
  const { is_silent = false, reply = '' } = { ...person.texting }
  const sent = { in_flight_until: at.now }
  if (reportOn(person, { is_first: attempt === 1 })?.status === 'failed')
    return { ...sent, ended_at: at.now + report_after_ms, outcome: 'undelivered', is_opt_out: false }
  if (is_silent) return { ...sent, ended_at: at.now + clock.day_ms, outcome: 'delivered', is_opt_out: false }
  const is_opt_out = askingOf(reply, { by_sms: true })?.word === 'opt_out'
  return { ...sent, ended_at: at.now + reply_after_ms, outcome: 'replied', is_opt_out }
}

function atTime({ workspace, seed, mix, is_by_number }: ForecastJob, now: number): AtOutside {
  const at = {
    db: no_database,
    tools: no_tools,
    hooks: { run: unavailable },
    workspace,
    now,
    is_test: true,
    actor: system,
  }
  setChances(at, { seed, mix, is_by_number })
  return at
}

/** Fails, so that a simulation never reaches the database or the network. */
function unavailable(): never {
  throw new Error('a forecast has no database and no network')
}

const no_database: Db = {
  many: unavailable,
  maybe: unavailable,
  one: unavailable,
  run: unavailable,
  copy: unavailable,
  script: unavailable,
  time: unavailable,
  isSharded: unavailable,
  notify: unavailable,
  afterCommit: unavailable,
  tx: unavailable,
}

const no_tools: AtOutside['tools'] = {
  traces: undefined,
  get opened() {
    return unavailable()
  },
  get seal() {
    return unavailable()
  },
  get outbound() {
    return unavailable()
  },
  get blobs() {
    return unavailable()
  },
  get metrics() {
    return unavailable()
  },
  get tests() {
    return unavailable()
  },
  address: unavailable,
  readTestTime: unavailable,
}

function senderOf({ agent, versions, channel, campaign }: ForecastJob): Sender {
  return {
    agent,
    channels: [channel],
    versionFor: async (counterpart) => {
      const version = versions[campaign.agent_version?.id ?? chooseVersion(agent, counterpart).id]
      if (!version) throw new Error('a version is missing')
      return version
    },
  }
}
