import * as channels from '../channels/store.ts'
import { type At, type AtOutside, atLater, inTransaction } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { openBatcher } from '../kit/limits/batch.ts'
import { OutboundError } from '../kit/outbound/request.ts'
import { isUnavailable } from '../kit/postgres/errors.ts'
import type { Limits } from '../kit/work/capacity.ts'
import { itemLeases } from '../kit/work/lease.ts'
import type { Work } from '../kit/work/work.ts'
import type { Carrier, SendResult } from './carrier.ts'
import { recordCarrierOptOuts } from './carrier-opt-outs.ts'
import { type ClaimedMessage, claim, due_messages } from './claims.ts'
import { markAll, type Permit } from './permits.ts'
import { type MessageReport, record } from './reports.ts'
import { renewLeases } from './rows.ts'

const limits: Limits = {
  process: { slots: 200, slow_slots: 50, total: 500, unrecorded: 400 },
  workspace: { slots: 50, slow_slots: 20, total: 200, unrecorded: 200 },
  slow_after_ms: 2_000,
}
const mark_limits = { size_max: 100, in_flight_max: 2 }

/** The carrier is asked this often about a message whose fate is not known, and for this long. */
const ask_every_ms = 10_000
const ask_for_ms = 2 * 60_000
/** A carrier that doesn't answer is asked for this long. */
const give_up_after_ms = clock.day_ms
const attempts_max = 10
const retry_max_ms = 5 * 60_000

/** The carrier of each provider. Undefined for providers that bring no messages to telephones. */
export type Carriers = Record<channels.StoredChannel['provider'], Carrier | undefined>

interface Result {
  message: ClaimedMessage
  report: MessageReport
  /** The state of the channel, as the answer shows it. */
  health?: { error: string | null }
  has_opted_out?: boolean
}

/** Sends messages through carriers. Their keys are the channels. */
export function sendingMessages(carriers: Carriers): Work<ClaimedMessage, Result> {
  const mark = openBatcher<{ at: At; message: ClaimedMessage }, Permit>(mark_limits, async (_workspace, calls) => {
    const [first] = calls
    if (!first) return []
    return inTransaction(atLater(first.at), (at) =>
      markAll(
        at,
        calls.map(({ message }) => message),
      ),
    )
  })
  return {
    due: due_messages,
    openLeases: () => itemLeases(renewLeases),
    limits,
    keyOf: ({ channel_id }) => channel_id,
    claim,
    run: async (at, message) => {
      const report = { id: message.id }
      const channel = await channels.find(at, message.channel_id)
      const carrier = channel && carriers[channel.provider]
      if (!carrier || message.to === null) {
        const error = carrier ? 'There is no number to send it to.' : 'The channel was deleted.'
        return { message, report: { ...report, ...(message.sent_at === null ? failed(error) : unknown(error)) } }
      }
      const sending = { channel, id: message.id, to: message.to, text: message.text }
      if (message.sent_at !== null) return findOut(at, { message, carrier, sending })
      const permit = await mark(at.workspace, { at, message })
      if (permit.type === 'refused') return { message, report: { ...report, ...failed(permit.error) } }
      if (permit.type === 'later') return { message, report: { ...report, retry: waitUntil(message, permit.at) } }
      return toResult(atLater(at), message, await carrier.send(at, sending))
    },
    record: recordResults,
  }
}

const not_known = 'The carrier does not know the message. It may not have been sent.'
const failed = (error: string) => ({ status: 'failed' as const, error })
const unknown = (error: string) => ({ status: 'unknown' as const, error })

/** Sends the message again at this time. The carrier does not have it. */
const sendAgainAt = ({ token, attempt }: ClaimedMessage, due_at: number) => ({
  due_at,
  token,
  is_unsent: true,
  attempt,
})

/** Asks the carrier again at this time. It may have the message. */
const askAgainAt = ({ token, attempt }: ClaimedMessage, due_at: number) => ({
  due_at,
  token,
  is_unsent: false,
  attempt,
})

/** Sends the message at this time. The carrier was not asked, so this was no attempt. */
const waitUntil = (message: ClaimedMessage, due_at: number) => ({
  ...sendAgainAt(message, due_at),
  attempt: message.attempt - 1,
})

function toResult({ now }: At, message: ClaimedMessage, result: SendResult): Result {
  const { id, attempt } = message
  switch (result.type) {
    case 'accepted': {
      const { carrier_id, status, error, has_opted_out } = result
      return { message, report: { id, carrier_id, status, error }, health: { error: null }, has_opted_out }
    }
    case 'refused': {
      const { error, has_opted_out, is_account_refused } = result
      return {
        message,
        report: { id, ...failed(error) },
        has_opted_out,
        ...(is_account_refused && { health: { error } }),
      }
    }
    case 'not_sent': {
      const { error, is_account_refused } = result
      const due_at = now + Math.min(retry_max_ms, 2_000 * 2 ** (attempt - 1))
      const report = attempt < attempts_max ? { id, retry: sendAgainAt(message, due_at) } : { id, ...failed(error) }
      return { message, report, ...(is_account_refused && { health: { error } }) }
    }
    case 'unknown':
      return { message, report: { id, retry: askAgainAt(message, now + ask_every_ms) } }
  }
}

interface UnknownDelivery {
  message: ClaimedMessage
  carrier: Carrier
  sending: Parameters<Carrier['send']>[1]
}

/**
 * Finds out the fate of a message that was about to be sent when a process was killed or an answer was lost. It is
 * never sent again.
 */
async function findOut(at: AtOutside, { message, carrier, sending }: UnknownDelivery): Promise<Result> {
  const { id, sent_at } = message
  const since = clock.parse(sent_at ?? '')
  const waited_ms = at.now - since
  const retry = askAgainAt(message, at.now + ask_every_ms)
  try {
    const found = await carrier.find(at, { ...sending, since })
    const has_opted_out = found.some((one) => one.has_opted_out)
    const doubt = waited_ms < ask_for_ms ? { retry } : unknown(not_known)
    return { message, report: { id, found, ...doubt }, health: { error: null }, has_opted_out }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    // The carrier has not said anything about the message yet.
    const doubt = waited_ms < give_up_after_ms ? { retry } : unknown('The carrier could not be asked for a day.')
    return { message, report: { id, ...doubt } }
  }
}

/**
 * Records results, one by one if they can't be recorded together, so that one doesn't keep the others from being
 * recorded.
 */
async function recordResults(at: At, results: Result[]): Promise<void> {
  try {
    await recordTogether(at, results)
  } catch (error) {
    if (results.length === 1 || isUnavailable(error)) throw error
    const outcomes = await Promise.allSettled(results.map((one) => recordTogether(at, [one])))
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failed) throw failed.reason
  }
}

async function recordTogether(at: At, results: Result[]): Promise<void> {
  await inTransaction(at, async (at) => {
    await record(
      at,
      results.map(({ report }) => report),
    )
    await recordCarrierOptOuts(
      at,
      results.flatMap(({ has_opted_out, message: { id, to } }) =>
        has_opted_out && to !== null ? [{ phone_number: to, message_id: id }] : [],
      ),
    )
    await recordHealth(at, results)
  })
  // The work is woken, because the next messages of their conversations may follow.
  at.db.notify({ topic: due_messages.kind, workspace: at.workspace })
}

/** Records the state of channels. Locks them in the order in which concurrent transactions lock them too. */
async function recordHealth(at: At, results: Result[]): Promise<void> {
  const health = new Map(
    results.flatMap(({ message, health }) => (health ? [[message.channel_id, health.error] as const] : [])),
  )
  for (const [id, error] of [...health].sort(([left], [right]) => (left < right ? -1 : 1))) {
    if (error === null) await channels.setWorking(at, id)
    else await channels.setFailing(at, { id, error })
  }
}
