import * as channels from '../../channels/store.ts'
import { type At, type AtOutside, atLater, inTransaction } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import { OutboundError } from '../../kit/outbound/request.ts'
import { untilAvailable } from '../../kit/postgres/until-available.ts'
import { ignoreProblem } from '../../kit/problem.ts'
import type { RunContext } from '../../kit/work/work.ts'
import { type Dialer, type DialResult, type FoundCall, type PhoneCall, ring_seconds, speechFinder } from '../carrier.ts'
import type { ClaimedCall } from '../claim.ts'
import { open_within_ms } from '../claim.ts'
import {
  dialedFact,
  endedFact,
  type Fact,
  finalFact,
  given_up_key,
  isAnswered,
  merge,
  summarize,
  timely,
} from '../facts.ts'
import { liveCalls, newLiveCall } from '../live-calls.ts'
import { findOtherCarrierIds, type Request, releaseDialed, releaseUntil, setCarrierId } from '../rows.ts'
import { readAsked, table } from '../store.ts'
import { type CallSave, newSave } from './save.ts'

/** A carrier that has reported nothing for this long is asked. */
const ask_after_ms = (ring_seconds + 30) * 1_000
/** A carrier that can't say what has become of a call is asked this often, and for this long. */
const ask_every_ms = 10_000
const give_up_after_ms = 5 * 60_000
/**
 * A carrier may have a call in its queue for this long. A call that keeps hours is given up sooner, because it must not
 * ring at night.
 */
const queued_max_ms = 60 * 60_000
/** A carrier that has too much to do is asked again this often, and for this long. */
const retry_every_ms = 3_000
const retry_for_ms = 60_000
/** A call for which this process has no room waits this long. */
const wait_ms = 2_000

export interface Dialing {
  claimed: ClaimedCall
  dialer: Dialer
  save: (at: At, save: CallSave) => Promise<{ is_lost: boolean }>
  context: RunContext
}

/**
 * Has a telephone dialled. The process where the stream opens drives the call. Returns how the call has ended, if it
 * has: otherwise it is not leased any more. The row says before the request that the number is dialled, so that it is
 * never dialled twice.
 */
export async function dial(at: AtOutside, dialing: Dialing): Promise<Fact[] | undefined> {
  const { claimed, dialer, save, context } = dialing
  const { id, token, to, started_at, dial_before, configuration } = claimed
  // The carrier had too much to do until it was too late, such as after the hours of a campaign.
  if (started_at !== null && dial_before !== null && clock.parse(dial_before) <= at.now)
    return [finalFact(at.now, 'error', { source: 'carrier' })]
  const channel = await findChannel(at, claimed)
  if (!channel || to === null || !configuration) return [endedFact(at.now, 'canceled', 'system')]
  const speech = await speechFinder.of(at)(at, configuration).catch(ignoreProblem)
  if (!speech) return [endedFact(at.now, 'system_error')]
  const live_calls = liveCalls.of(at)
  const refusal = await live_calls.dial(at, id, { ...newLiveCall(at, speech), rings_until: at.now + ask_after_ms })
  if (refusal) {
    await releaseUntil(at, { ids: [id], token }, clock.iso(at.now + wait_ms))
    return undefined
  }
  const first_at = started_at === null ? at.now : clock.parse(started_at)
  const begun = { facts: [dialedFact(first_at)], due_at: clock.iso(at.now + ask_after_ms), is_dialing: true }
  const { is_lost } = await save(at, newSave(at, claimed, begun))
  // Someone may have canceled the call since it was claimed. What is asked from here on is done when the carrier has answered.
  const asked = is_lost ? undefined : await untilAvailable(() => readAsked(at, id))
  const result = asked?.request === null ? await dialer.dial(at, toPhoneCall(at, claimed, channel)) : undefined
  if (result?.type !== 'accepted' && result?.type !== 'unknown') live_calls.forgetDialed(id)
  if (asked?.request) return [endedBy(at, asked.request, asked.facts)]
  if (!result) return undefined
  await recordHealth(at, channel, result)
  return follow(later(at), dialing, { result, first_at, log: context.log })
}

interface Followed {
  result: DialResult
  /** When the call was first tried. */
  first_at: number
  log: RunContext['log']
}

async function follow(at: At, { claimed }: Dialing, { result, first_at, log }: Followed): Promise<Fact[] | undefined> {
  const { id, token } = claimed
  const release = async (retry_at?: number) => {
    const is_dialing = retry_at === undefined
    await releaseDialed(at, { id, token, is_dialing, due_at: clock.isoOptional(retry_at) })
    // Someone may have canceled the call meanwhile.
    at.db.notify({ topic: table, workspace: at.workspace, id })
    return undefined
  }
  if (result.type === 'accepted') await setCarrierId(at, { id, carrier_id: result.carrier_id })
  if (result.type === 'accepted' || result.type === 'unknown') return release()
  if (result.type === 'not_sent' && result.may_retry && at.now < first_at + retry_for_ms)
    return release(at.now + retry_every_ms)
  log.warn({ workspace_id: at.workspace, call_id: id, reason: result.error }, 'a call could not be dialled')
  return [finalFact(at.now, result.type === 'refused' ? result.final : 'error', { source: 'carrier' })]
}

/** Notes on the channel that the carrier doesn't take our credentials, or takes them again. */
async function recordHealth(at: At, { id }: channels.StoredChannel, result: DialResult): Promise<void> {
  await inTransaction(at, async (at) => {
    if (result.type === 'accepted') await channels.setWorking(at, id)
    else if (result.type !== 'unknown' && result.is_account_refused)
      await channels.setFailing(at, { id, error: result.error })
  })
}

/**
 * Looks after a call that was dialled and is due: someone wants to end it, or no stream was opened in time. Returns how it has ended,
 * if it has: otherwise it is not leased any more. It is never dialled again.
 */
export async function followUp(at: AtOutside, dialing: Dialing): Promise<Fact[] | undefined> {
  const { claimed, context } = dialing
  const { id, token, request, facts } = claimed
  const channel = await findChannel(at, claimed)
  const call = channel && toPhoneCall(at, claimed, channel)
  try {
    const found = call && (await findCall(at, dialing, call))
    if (request) {
      if (call && found) await hangUp(at, dialing, { call, found })
      return [endedBy(at, request, facts)]
    }
    if (!call || !found) return [finalFact(at.now, 'unknown')]
    const known = merge(facts, found.facts)
    if (summarize(known).ended_at !== null) return found.facts
    if (!isAnswered(facts) && at.now < givenUpAt(claimed, { known, is_queued: found.is_queued }))
      return await wait(at, dialing, found)
    await hangUp(at, dialing, { call, found })
    if (found.is_queued) return [...found.facts, finalFact(at.now, 'error', { key: given_up_key })]
    return [...found.facts, isAnswered(known) ? endedFact(at.now, 'system_error') : finalFact(at.now, 'unknown')]
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    context.log.warn({ workspace_id: at.workspace, call_id: id, reason: error.message }, 'a carrier could not be asked')
    // A carrier that asks what is next in a call that has ended here is told to hang up.
    if (request) return [endedBy(at, request, facts)]
    const is_queued = claimed.carrier_id !== null && summarize(facts).status === 'queued'
    if (at.now >= givenUpAt(claimed, { known: facts, is_queued })) return [finalFact(at.now, 'unknown')]
    await releaseUntil(at, { ids: [id], token }, clock.iso(at.now + ask_every_ms))
    return undefined
  }
}

/**
 * Returns when the call is given up. It may ring long after it was in the queue, so the last fact counts, but the first
 * one for a call that is queued and keeps no hours.
 */
function givenUpAt(
  { dial_before, keeps_quiet_hours }: ClaimedCall,
  { known, is_queued }: { known: Fact[]; is_queued: boolean },
): number {
  const times = known.map((fact) => fact.at)
  const keeps_hours = dial_before !== null || keeps_quiet_hours
  return is_queued && !keeps_hours ? Math.min(...times) + queued_max_ms : Math.max(...times) + give_up_after_ms
}

/** Waits on for a call that rings longer than it should, or was answered a moment ago. */
async function wait(at: At, dialing: Dialing, { facts }: FoundCall): Promise<undefined> {
  const wait_ms = isAnswered(facts) ? open_within_ms : ask_every_ms
  const waiting = { facts, due_at: clock.iso(at.now + wait_ms), is_released: true, is_dialing: true }
  await dialing.save(at, newSave(at, dialing.claimed, waiting))
}

/**
 * Finds what the carrier knows of the call. If its id is not known, it is the only call to the number that is no other
 * one of ours. If there are several, nobody can say which one is ours: another program may use the same account.
 */
async function findCall(at: AtOutside, { dialer, claimed }: Dialing, call: PhoneCall): Promise<FoundCall | undefined> {
  const { id } = claimed
  // Hanging up takes no more than the carrier's id.
  if (claimed.request && call.carrier_id !== null) return { carrier_id: call.carrier_id, is_queued: false, facts: [] }
  // A call without a number can't be found: its contact was deleted meanwhile.
  if (call.carrier_id === null && call.to === '') return undefined
  const found = (await dialer.find(at, call, at.now)).map((one) => ({
    ...one,
    facts: timely(one.facts, { from: call.started_at, to: at.now }),
  }))
  if (call.carrier_id !== null) return found[0]
  const carrier_ids = found.map(({ carrier_id }) => carrier_id)
  const others = await findOtherCarrierIds(at, { id, carrier_ids })
  const [own, ...more] = found.filter(({ carrier_id }) => !others.has(carrier_id))
  if (!own || more.length > 0) return undefined
  // Another call of ours may have got this id meanwhile.
  return (await setCarrierId(at, { id, carrier_id: own.carrier_id })) > 0 ? own : undefined
}

const hangUp = (
  at: AtOutside,
  { dialer }: Dialing,
  { call, found }: { call: PhoneCall; found: FoundCall },
): Promise<void> => dialer.end(at, { channel: call.channel, carrier_id: found.carrier_id })

function endedBy(at: At, request: Request, facts: Fact[]): Fact {
  const is_deleted = request === 'agent_deleted'
  if (!isAnswered(facts)) return endedFact(at.now, 'canceled', is_deleted ? 'system' : 'human')
  return endedFact(at.now, is_deleted ? 'agent_hung_up' : 'human_hung_up')
}

const findChannel = (at: At, { channel_id }: ClaimedCall): Promise<channels.StoredChannel | undefined> =>
  channel_id === null ? Promise.resolve(undefined) : channels.find(at, channel_id)

function toPhoneCall({ now }: At, claimed: ClaimedCall, channel: channels.StoredChannel): PhoneCall {
  const { id, to, carrier_id, started_at, leaves_voicemail, configuration } = claimed
  return {
    id,
    channel,
    to: to ?? '',
    carrier_id,
    started_at: started_at === null ? now : clock.parse(started_at),
    leaves_message: leaves_voicemail && configuration !== undefined && configuration.voicemail_message !== null,
  }
}

/** Returns `at` with the time of now, because the carrier may take its time to answer. */
const later = (at: At): At => ({ ...at, now: Math.max(at.now, atLater(at).now) })
