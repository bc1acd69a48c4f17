import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { type Fact, isAnswered, timely } from './facts.ts'
import { liveCalls } from './live-calls.ts'
import { lockCall, type OnChannel, requestEnd } from './phone.ts'
import { setCarrierId } from './rows.ts'
import { saveReport } from './save.ts'
import { announceRequest } from './store.ts'

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
  // The end of a call that someone talks in is also the end of its conversation. A stream that has just taken it has used its token.
  const is_taken = conversation_id !== null || (answered_at !== null && socket_token === null)
  if (is_over && ended_at === null && is_taken) return requestEnd(at, call, 'contact_hung_up')
  if (direction === 'inbound') return
  if (carrier_id !== undefined) await setCarrierId(at, { id, carrier_id })
  const earliest = started_at === null ? at.now : clock.parse(started_at)
  // Someone has asked to end it, and a worker does so now: who answers meanwhile hears nobody.
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
 * The facts that tell something new. When we have ended the call ourselves, the carrier's report of its end doesn't. Neither does a
 * second report of the same: an answer must not move while someone talks.
 */
export function newFacts(known: Fact[], reported: Fact[]): Fact[] {
  const has_ended = known.some(({ fact }) => fact.kind === 'ended')
  return reported.filter(
    ({ key, fact }) => !known.some((other) => other.key === key) && !(has_ended && fact.kind === 'final'),
  )
}
