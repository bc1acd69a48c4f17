import { isDeepStrictEqual } from 'node:util'
import { hasNoTools } from '../../agents/configuration.ts'
import { findConfiguration } from '../../agents/find-version.ts'
import { summarize } from '../../calls/facts.ts'
import * as calls from '../../calls/queue.ts'
import type { Row } from '../../calls/rows.ts'
import { insertAhead, runAhead } from '../../calls/work.ts'
import * as clocks from '../../clocks/store.ts'
import { shareMany } from '../../contacts/share-many.ts'
import { timeZoneOf } from '../../contacts/zones.ts'
import { type At, type AtOutside, inTransaction, timeStands } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import { newId } from '../../kit/id.ts'
import type { Log } from '../../kit/log.ts'
import { sql } from '../../kit/postgres/sql.ts'
import type { Lease } from '../../kit/work/rows.ts'
import { simulator } from '../../lines/simulator/carrier.ts'
import { shareChances } from '../../lines/simulator/choose.ts'
import * as workspaces from '../../workspaces/store.ts'
import { attempts_ended, type CountedEnd } from '../counted.ts'
import * as attempts from '../dial/attempts.ts'
import { type DueEnrollment, hasCallbacks, readDue } from '../dial/candidates.ts'
import { pauseByDialer } from '../dial/dialer-states.ts'
import { findSender, newAttempt, type Sender, toCall } from '../dial/dispatch.ts'
import { nextDue } from '../dial/due.ts'
import { versionIds } from '../dial/versions.ts'
import { resume_after_ms } from '../plan/breaker.ts'
import { limitIn } from '../plan/pacing.ts'
import { isReached } from '../plan/retry.ts'
import { recordProgress } from '../progress.ts'
import { recordDecision } from '../rows.ts'
import { lockLeased, readCampaigns, type StoredCampaign } from '../stored-campaign.ts'
import { SharedPeople } from './shared-people.ts'
import { type Result, runTogether, Simulation } from './simulation.ts'
import { lockUnchanged, writeSimulated } from './write-simulated.ts'

/** The number of enrollments held in memory at a time. */
const known_max = 4_000
const attempts_at_once_max = 1_000
/** The number of turns in calls that are not written yet. Long calls are written sooner. */
const turns_at_once_max = 20_000
/** With more campaigns than this, every second is decided on its own. */
const campaigns_max = 10

export interface AheadOptions {
  /** Returns when other work of the workspace is due, which may have to do with its campaigns. */
  nextOther: (at: At) => Promise<number>
  /** Whether every second is decided on its own. */
  is_stepwise: boolean
  onProgress?: () => void
  log: Log
}

/** A campaign that runs ahead. */
interface AheadCampaign {
  campaign: StoredCampaign
  sender: Sender
}

/** A simulated call that is to be written. */
interface SimulatedCall {
  campaign: StoredCampaign
  enrollment: DueEnrollment
  id: string
  time: number
  row: Row
  save: Awaited<ReturnType<typeof runAhead>>
  result: Result
}

interface SimulatedCampaign {
  campaign: StoredCampaign
  simulation: Simulation<DueEnrollment>
}

/**
 * Runs the campaigns of a test workspace ahead in memory, as far as the clock may advance and nothing else happens.
 * Writes the results together: the same rows as if every second were decided on its own. Returns whether there is more
 * to do at once, or undefined if nothing can be decided ahead.
 */
export async function runCampaignAhead(
  at: AtOutside,
  lease: Lease,
  options: AheadOptions,
): Promise<boolean | undefined> {
  if (!timeStands(at) || options.is_stepwise || at.now % clock.second_ms !== 0) return undefined
  const target = await clocks.readTarget(at)
  if (target === undefined) return undefined
  const { ahead, last } = await findAhead(at, { lease, target, other: await options.nextOther(at) })
  if (ahead.length === 0 || last < at.now + clock.second_ms) return undefined
  const made: SimulatedCall[] = []
  const simulated = await simulate(at, { ahead, last, target, options, made })
  const is_idle = made.length === 0 && simulated.every(({ simulation: one }) => one.changed.size === 0 && !one.pause)
  return is_idle ? undefined : write(at, lease, { made, simulated, target })
}

/** Finds the campaigns that can run ahead, the leased one first, and until when. Finds none if the leased one can't. */
async function findAhead(
  at: At,
  { lease, target, other }: { lease: Lease; target: number; other: number },
): Promise<{ ahead: AheadCampaign[]; last: number }> {
  const due = await readCampaigns(
    at,
    sql`workspace_id = ${at.workspace} and due_at <= ${clock.iso(target)} order by id`,
  )
  const ahead: AheadCampaign[] = []
  let last = Math.min(target, other - 1)
  for (const campaign of due.sort((left, right) => Number(right.id === lease.id) - Number(left.id === lease.id))) {
    const found = ahead.length < campaigns_max ? await findOne(at, campaign) : undefined
    if (campaign.id === lease.id && !found) return { ahead: [], last }
    if (found) ahead.push(found)
    last = Math.min(last, ((found ? campaign.ends_at : campaign.due_at) ?? Number.POSITIVE_INFINITY) - 1)
    if (last <= at.now) break
  }
  return { ahead: ahead[0]?.campaign.id === lease.id ? ahead : [], last }
}

/** Prepares a campaign to run ahead. Returns undefined if it can't. */
async function findOne(at: At, campaign: StoredCampaign): Promise<AheadCampaign | undefined> {
  const { status, kind, must_review } = campaign
  if (status !== 'running' || kind !== 'voice' || must_review) return undefined
  const [sender, next] = await Promise.all([findSender(at, campaign), nextDue(at, campaign)])
  // A campaign in which nobody waits any more is completed, which is not done ahead.
  if (!sender || next.due_at === undefined) return undefined
  return (await runsInMemory(at, sender, campaign)) ? { campaign, sender } : undefined
}

/** Whether every version that may speak needs nothing but what is in memory. */
async function runsInMemory(at: At, { agent }: Sender, campaign: StoredCampaign): Promise<boolean> {
  const versions = await Promise.all(
    versionIds(agent, campaign).map((version_id) => findConfiguration(at, { agent_id: agent.id, version_id })),
  )
  if (!versions.every((configuration) => configuration && hasNoTools(configuration))) return false
  // People who were promised a call come before others, which a simulation does not know.
  return !(await hasCallbacks(at, campaign.id))
}

interface SimulationInput {
  ahead: AheadCampaign[]
  last: number
  target: number
  options: AheadOptions
  made: SimulatedCall[]
}

async function simulate(
  at: AtOutside,
  { ahead, last, target, options, made }: SimulationInput,
): Promise<SimulatedCampaign[]> {
  const [ends, { calls_in_flight_max, time_zone: workspace_time_zone }] = await Promise.all([
    calls.readEnds(at),
    workspaces.readSettings(at),
  ])
  const people = new SharedPeople()
  let turns = 0
  const attempt = async (one: AheadCampaign, enrollment: DueEnrollment, time: number): Promise<Result> => {
    const then: AtOutside = { ...at, now: time }
    shareChances(at, then)
    const id = newId()
    const row = await toCall(then, { ...one, enrollment, id })
    const { contact } = enrollment
    const { configuration } = await one.sender.versionFor(contact.phone_number)
    const time_zone = timeZoneOf(contact, { now: time, workspace_time_zone })
    const call = { row, contact, time_zone, configuration, horizon: target }
    const save = await runAhead(then, call, { carrier: simulator, ...options })
    turns += 1 + (save.conversation_save?.turns.length ?? 0)
    const { outcome, ended_at, end_reason } = summarize(save.facts)
    const result: Result = {
      ended_at: ended_at === null ? Number.POSITIVE_INFINITY : clock.parse(ended_at),
      outcome: outcome ?? 'unknown',
      is_opt_out: save.opted_out !== null || end_reason === 'opted_out',
    }
    made.push({ campaign: one.campaign, enrollment: { ...enrollment }, id, time, row, save, result })
    Object.assign(enrollment, { last_call_id: id })
    people.begin(enrollment, time, result)
    return result
  }
  const simulated: SimulatedCampaign[] = []
  for (const one of ahead) {
    const { campaign } = one
    const limit = Math.max(Math.floor(known_max / ahead.length), 2 * limitIn(campaign, at.now))
    const [due, recent, later] = await Promise.all([
      readDue(at, campaign, { until: last, limit }),
      attempts.readRecent(at, campaign.id),
      attempts.readLater(at, campaign.id),
    ])
    people.add(due)
    const from = Math.max(at.now, campaign.due_at ?? 0, (campaign.decided_at ?? 0) + clock.second_ms)
    const simulation = new Simulation<DueEnrollment>({
      campaign,
      due,
      is_partial: due.length >= limit,
      recent,
      later,
      ends,
      calls_in_flight_max,
      from: clock.ceilTo(from, clock.second_ms),
      attempt: (enrollment, time) => attempt(one, enrollment, time),
      onSecond: (time) => people.passTo(time),
    })
    simulated.push({ campaign, simulation })
  }
  await runTogether(
    simulated.map(({ simulation }) => simulation),
    { until: last, attempts_max: attempts_at_once_max, isFull: () => turns >= turns_at_once_max },
  )
  return simulated
}

interface SimulationOutput {
  made: SimulatedCall[]
  simulated: SimulatedCampaign[]
  target: number
}

const write = (at: At, lease: Lease, { made, simulated, target }: SimulationOutput): Promise<boolean> =>
  inTransaction(at, async (at) => {
    await workspaces.lock(at)
    const campaigns = simulated.map(({ campaign }) => campaign)
    const contact_ids = [...new Set(made.map(({ enrollment }) => enrollment.contact_id))]
    const is_same = await lockSame(at, campaigns)
    await lockLeased(at, lease)
    const is_unchanged =
      is_same &&
      target <= (await clocks.lockHorizon(at)) &&
      (await shareMany(at, contact_ids)).length === contact_ids.length &&
      (await lockUnchanged(
        at,
        simulated.flatMap(({ simulation }) => [...simulation.changed]),
      ))
    // The simulation does not count when someone has changed something meanwhile, or the clock has stopped.
    if (!is_unchanged) return true
    await attempts.insert(
      at,
      made.map(({ campaign, enrollment, id, time, result }) => ({
        ...newAttempt({ ...at, now: time }, { campaign, enrollment, id }),
        ...(Number.isFinite(result.ended_at) && { ended: result }),
      })),
    )
    await insertAhead(at, made)
    for (const { campaign, simulation } of simulated) {
      const own = made.filter((one) => one.campaign === campaign)
      await writeOne(at, { campaign, simulation, results: own.map(({ result }) => result) })
    }
    await at.hooks.run(at, attempts_ended, toEnded(made, simulated))
    return false
  })

/** Lists the attempts that have ended. The last one of an enrollment that is completed has completed it. */
function toEnded(made: SimulatedCall[], simulated: SimulatedCampaign[]): CountedEnd[] {
  const completed = new Set(
    simulated.flatMap(({ simulation }) =>
      [...simulation.changed].flatMap(({ status, last_call_id }) => (status === 'completed' ? [last_call_id] : [])),
    ),
  )
  return made.flatMap(({ id, campaign, time, row, result: { ended_at, outcome } }) =>
    Number.isFinite(ended_at)
      ? [
          {
            id,
            campaign_id: campaign.id,
            agent_id: row.agent_id,
            agent_version_id: row.agent_version.id,
            channel_id: row.channel_id,
            is_test: row.is_test,
            at: time,
            outcome,
            refined_from: null,
            is_reached: isReached(outcome),
            is_completed: completed.has(id),
          },
        ]
      : [],
  )
}

/** Locks campaigns. Returns false if someone has changed one since it was read. */
async function lockSame(at: At, campaigns: StoredCampaign[]): Promise<boolean> {
  const ids = campaigns.map(({ id }) => id)
  const locked = await readCampaigns(
    at,
    sql`workspace_id = ${at.workspace} and id = any(${ids}::uuid[]) order by id for no key update`,
  )
  const by_id = new Map(locked.map((one) => [one.id, one]))
  return campaigns.every((campaign) => isDeepStrictEqual(by_id.get(campaign.id), campaign))
}

async function writeOne(
  at: At,
  { campaign, simulation, results }: SimulatedCampaign & { results: Result[] },
): Promise<void> {
  const { decided_at, next_at, pause, is_probing } = simulation
  if (decided_at === undefined) return
  const changed = [...simulation.changed]
  await writeSimulated(at, { campaign_id: campaign.id, changed, results })
  const then = { ...at, now: decided_at }
  if (pause) {
    await pauseByDialer(then, campaign, { reason: pause, due_at: decided_at + resume_after_ms })
    return
  }
  const next = await nextDue(at, campaign)
  const ends = results.flatMap(({ ended_at }) => (Number.isFinite(ended_at) ? [ended_at] : []))
  // Without anything to wait for, the campaign is completed when the last attempt has ended.
  const later = next.due_at !== undefined && next.due_at > decided_at ? next.due_at : Number.POSITIVE_INFINITY
  const known = Math.min(next_at ?? Number.POSITIVE_INFINITY, later)
  const wanted = Number.isFinite(known) ? known : Math.max(decided_at, ...ends)
  const due_at = Math.max(clock.ceilTo(wanted, clock.second_ms), decided_at + clock.second_ms)
  const progress_at = changed.length > 0 ? await recordProgress(then, campaign) : undefined
  await recordDecision(at, campaign.id, { due_at, decided_at, is_probing, progress_at })
}
