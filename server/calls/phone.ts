import { chooseVersion } from '../agents/choose-version.ts'
import * as agents from '../agents/find.ts'
import { findConfiguration } from '../agents/find-version.ts'
import type { StoredChannel } from '../channels/store.ts'
import { stamp } from '../contacts/rows.ts'
import * as contacts from '../contacts/store.ts'
import { findAgent } from '../conversations/begin.ts'
import { isOverLimit } from '../conversations/store.ts'
import { type At, type AtOutside, simulatesPeople } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import { ignoreProblem, notFound, Problem } from '../kit/problem.ts'
import { speechFinder } from './carrier.ts'
import { admitAll } from './change/create.ts'
import { endUnstarted } from './change/end.ts'
import { newSocketToken, open_within_ms } from './claim.ts'
import { saveReport } from './drive/save.ts'
import { type Fact, isAnswered, timely } from './facts.ts'
import { liveCalls, newLiveCall } from './live-calls.ts'
import { insertBrought, newCall } from './queue.ts'
import { findByCarrierId, type LockedCall, lock, setCarrierId, updateRequest, updateSocketToken } from './rows.ts'
import { announceRequest } from './store.ts'

/** A call that a carrier brings. */
export interface InboundCall {
  channel: Pick<StoredChannel, 'id' | 'address' | 'agent_id' | 'status'>
  /** The carrier's own id. A call that is reported again has the same one. */
  carrier_id: string
  /** Null if the number is withheld. */
  from: string | null
}

/** What becomes of a call that comes in, as far as is known before its transaction. The version that was checked answers. */
export type Admission =
  | { type: 'admitted' | 'no_speech'; version: { id: string; version_label: string } }
  | { type: 'reject' | 'busy' }

/** What the carrier is to do next with a call. `waits`: the last token was not used, so there may be no room at the moment. */
export type Next =
  | { type: 'connect'; call_id: string; token: string; waits: boolean }
  | { type: 'hang_up' | 'reject' | 'busy' }

/** Checks before the transaction, because it takes long, whether this process can answer the call. */
export async function admitCall(at: AtOutside, { channel, carrier_id, from }: InboundCall): Promise<Admission> {
  // In a test workspace time stands still, so nobody can speak there. In a call from the channel's own number, two
  // agents would talk to each other for ever.
  if (simulatesPeople(at) || channel.status === 'disabled' || from === channel.address) return { type: 'reject' }
  const agent = channel.agent_id === null ? undefined : await agents.get(at, channel.agent_id).catch(ignoreProblem)
  if (!agent) return { type: 'reject' }
  // The number chooses the version, as when it is called: the caller may have no contact yet.
  const version = chooseVersion(agent, from ?? carrier_id)
  const configuration = await findConfiguration(at, { agent_id: agent.id, version_id: version.id })
  const speech = configuration && (await speechFinder.of(at)(at, configuration).catch(ignoreProblem))
  if (!speech) return { type: 'no_speech', version }
  // Scripts use no tokens.
  if (configuration.script === null && (await isOverLimit(at, { channel_id: channel.id }))) return { type: 'busy' }
  // Calls that were dialled keep their room: people who are called must hear someone, and callers can call again.
  const refusal = await liveCalls.of(at).admit(at, carrier_id, newLiveCall(at, speech))
  return refusal ? { type: 'busy' } : { type: 'admitted', version }
}

/**
 * Writes a call that comes in, or finds it if it is reported again. The consent ledger is not asked, because the other
 * side calls.
 */
export async function receiveCall(at: At, inbound: InboundCall, admission: Admission): Promise<Next> {
  const { channel, carrier_id, from } = inbound
  const known = await findByCarrierId(at, carrier_id)
  if (known) {
    const call = await lockCall(at, { call_id: known.id, channel_id: channel.id })
    return isRejected(call) ? { type: 'reject' } : nextOf(at, call)
  }
  if (!('version' in admission)) return { type: admission.type }
  const agent = await findAgent(at, channel.agent_id ?? '')
  if (!agent) return { type: 'reject' }
  const contact_id = from === null ? null : await findCaller(at, from)
  const id = newId()
  const token = newSocketToken(at.workspace, id)
  const row = newCall(at, {
    id,
    direction: 'inbound',
    line: 'phone',
    carrier_id,
    agent,
    version: admission.version,
    channel,
    from,
    to: channel.address,
    contact_id,
    attempt: 1,
    status: 'queued',
    is_test: false,
    socket_token: token.hash,
    due_at: clock.iso(at.now + open_within_ms),
  })
  const [admitted] = admission.type === 'no_speech' ? [row] : await admitAll(at, [row])
  // The contact stays as it was written, although the call is not.
  if (!admitted || admitted instanceof Problem) return { type: 'busy' }
  // Another process has inserted the same call meanwhile. It is found now.
  if (!(await insertBrought(at, admitted))) return receiveCall(at, inbound, admission)
  if (admission.type === 'no_speech') {
    await endUnstarted(at, [row], { end_reason: 'system_error', ended_by: 'system' })
    return { type: 'reject' }
  }
  liveCalls.of(at).expect(id, at.now)
  return { type: 'connect', call_id: id, token: token.text, waits: false }
}

/** Returns the contact with the number, and creates it if there is none. Null if it is deleted at this moment. */
async function findCaller(at: At, phone_number: string): Promise<string | null> {
  const find = async () => (await contacts.idsByNumber(at, [phone_number])).get(phone_number)
  let contact_id = await find()
  if (contact_id === undefined) {
    await contacts.create(at, [{ phone_number, source: 'inbound' }])
    contact_id = await find()
  }
  const stamped = await stamp(at, contact_id === undefined ? [] : [{ contact_id, at: at.now }])
  return contact_id !== undefined && stamped.has(contact_id) ? contact_id : null
}

export interface OnChannel {
  call_id: string
  channel_id: string
}

/**
 * Answers the carrier, which asks what a call does next. The stream that it is to open takes the call, whoever drives
 * it. The first question about a call that we have dialled says that someone has answered.
 */
export async function continueCall(at: At, { carrier_id, ...on_channel }: Question): Promise<Next> {
  const call = await lockCall(at, on_channel)
  if (call.direction === 'inbound') return nextOf(at, call)
  if (carrier_id !== undefined) await setCarrierId(at, { id: call.id, carrier_id })
  const { ended_at, request, conversation_id, socket_token } = call
  const is_first = ended_at === null && request === null && conversation_id === null && socket_token === null
  return nextOf(at, is_first ? await answer(at, call) : call)
}

type Question = OnChannel & { carrier_id: string | undefined }

/** Writes that the call was answered. From now on the stream has `open_within_ms` to open. */
async function answer(at: At, call: LockedCall): Promise<LockedCall> {
  const answered: Fact = { key: 'answered', at: at.now, source: 'carrier', fact: { kind: 'answered' } }
  const due_at = clock.iso(at.now + open_within_ms)
  return { ...call, ...(await saveReport(at, call, { facts: [answered], due_at })), due_at }
}

async function nextOf(at: At, call: LockedCall): Promise<Next> {
  const { id, ended_at, request, due_at, socket_token, lease_token } = call
  const live_calls = liveCalls.of(at)
  const is_over =
    ended_at !== null || request !== null || (lease_token !== null && live_calls.hasEnded(id, lease_token))
  // A call to which nobody has come back in time is about to be ended.
  if (is_over || due_at === null || clock.parse(due_at) <= at.now) {
    live_calls.noteOver(id)
    return { type: 'hang_up' }
  }
  const token = newSocketToken(at.workspace, id)
  await updateSocketToken(at, { id, socket_token: token.hash })
  live_calls.expect(id, at.now)
  return { type: 'connect', call_id: id, token: token.text, waits: socket_token !== null }
}

/** A call that was not answered can still be rejected, which is free. */
const isRejected = ({ ended_at, answered_at }: LockedCall): boolean => ended_at !== null && answered_at === null

/**
 * Takes the carrier's report of how a call has ended that has no stream at the moment. The process that drives the call
 * ends it, or else the next worker.
 */
export async function reportEnd(
  at: At,
  on_channel: OnChannel,
  request: 'transferred' | 'contact_hung_up',
): Promise<void> {
  await requestEnd(at, await lockCall(at, on_channel), request)
}

/** The call is locked. */
async function requestEnd(at: At, call: LockedCall, request: 'transferred' | 'contact_hung_up'): Promise<void> {
  if (call.ended_at !== null || call.request !== null) return
  await updateRequest(at, { id: call.id, request, due_at: clock.iso(at.now) })
  announceRequest(at, call)
}

/** Locks a call by telephone of this channel. */
async function lockCall(at: At, { call_id, channel_id }: OnChannel): Promise<LockedCall> {
  const call = await lock(at, call_id)
  if (call.line !== 'phone' || call.channel_id !== channel_id) throw notFound()
  return call
}

/** What a carrier reports of a call by telephone. It may come twice, late, and in any order. */
export interface Report extends OnChannel {
  carrier_id: string | undefined
  facts: Fact[]
}

/** Takes a report. Whoever drives the call learns who has answered, and that the other side is gone. */
export async function takeReport(at: At, { carrier_id, facts, ...on_channel }: Report): Promise<void> {
  const call = await lockCall(at, on_channel)
  const { id, direction, started_at, answered_at, conversation_id, ended_at, socket_token } = call
  const is_over = facts.some(({ fact }) => fact.kind === 'final')
  // The end of a call that someone talks in is also the end of its conversation. A stream that has just taken an
  // answered call has used its token.
  const is_taken = conversation_id !== null || (answered_at !== null && socket_token === null)
  if (is_over && ended_at === null && is_taken) return requestEnd(at, call, 'contact_hung_up')
  if (direction === 'inbound') return
  if (carrier_id !== undefined) await setCarrierId(at, { id, carrier_id })
  const earliest = started_at === null ? at.now : clock.parse(started_at)
  // A worker is ending the call, because someone has asked for it: a person who answers meanwhile hears nobody.
  const is_ending = ended_at === null && call.request !== null
  const added = timely(is_ending ? [] : newFacts(call.facts, facts), { from: earliest, to: at.now })
  if (added.length === 0) return
  const live_calls = liveCalls.of(at)
  if (is_over) live_calls.noteOver(id)
  else if (isAnswered(added) && live_calls.hasDialed(id)) live_calls.expect(id, at.now)
  await saveReport(at, call, { facts: added })
  if (added.some(({ fact }) => fact.kind === 'machine')) announceRequest(at, call)
}

/**
 * Returns the facts that tell something new. When we have ended the call ourselves, the carrier's report of its end
 * tells nothing new. A second report of the same fact is left out too: an answer must not move while someone talks.
 * @internal
 */
export function newFacts(known: Fact[], reported: Fact[]): Fact[] {
  const has_ended = known.some(({ fact }) => fact.kind === 'ended')
  return reported.filter(
    ({ key, fact }) => !known.some((other) => other.key === key) && !(has_ended && fact.kind === 'final'),
  )
}
