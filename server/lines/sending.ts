import * as channels from '../channels/store.ts'
import { reserve } from '../channels/usage.ts'
import { findRefusals, type Rule, refusal } from '../consent/refusals.ts'
import * as consent from '../consent/store.ts'
import { type ClaimedMessage, claim, due_messages, markSent, renew } from '../conversations/message-claims.ts'
import { type MessageReport, record } from '../conversations/message-reports.ts'
import { type At, atLater, inTransaction } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { openBatcher } from '../kit/limits/batch.ts'
import { OutboundError } from '../kit/outbound/request.ts'
import type { Limits, Work } from '../kit/work/work.ts'
import type { Carrier, SendResult } from './carrier.ts'
import { simulator } from './simulator.ts'
import { twilio } from './twilio.ts'

const limits: Limits = {
  process: { slots: 200, slow_slots: 50, total: 500, unrecorded: 400 },
  workspace: { slots: 50, slow_slots: 20, total: 200, unrecorded: 200 },
  per_key: 50,
  per_new_key: 10,
  per_failing_key: 5,
  slow_after_ms: 2_000,
}
const mark_limits = { size_max: 100, in_flight_max: 2 }

/** The carrier is asked this often about a message whose fate is not known, and for this long. */
const ask_every_ms = 10_000
const ask_for_ms = 2 * 60_000
const attempts_max = 10
const retry_max_ms = 5 * 60_000

export const carriers: Record<channels.StoredChannel['provider'], Carrier | undefined> = {
  twilio,
  simulator,
  web: undefined,
}

interface Result {
  message: ClaimedMessage
  report: MessageReport
  /** What the answer says about the channel. */
  health?: { error: string | null }
  has_opted_out?: boolean
}

/** Sends messages through carriers. Their keys are the channels. */
export function sendingMessages(): Work<ClaimedMessage, Result> {
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
    leases: { per: 'item', renew },
    limits,
    keyOf: ({ channel_id }) => channel_id,
    claim,
    run: async (at, message) => {
      const report = { id: message.id }
      const channel = await channels.find(at, message.channel_id)
      const carrier = channel && carriers[channel.provider]
      if (!carrier || message.to === null)
        return { message, report: { ...report, ...failed('There is no number to send it to.') } }
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

const failed = (error: string) => ({ status: 'failed' as const, error })

const retryAt = ({ token, attempt }: ClaimedMessage, due_at: number, is_unsent: boolean) => ({
  ...{ due_at, token, is_unsent, attempt },
})

/** The carrier was not asked, so this was no attempt. */
const waitUntil = (message: ClaimedMessage, due_at: number) => ({
  ...retryAt(message, due_at, true),
  attempt: message.attempt - 1,
})

type Permit = { type: 'granted' } | { type: 'refused'; error: string } | { type: 'later'; at: number }

/** Whether messages may go out now. Those that may are marked: from now on it is not known whether they were sent. */
async function markAll(at: At, messages: ClaimedMessage[]): Promise<Permit[]> {
  const used = await Promise.all(
    [...new Set(messages.map(({ channel_id }) => channel_id))].map((id) => channels.find(at, id)),
  )
  const by_id = new Map(used.flatMap((channel) => (channel ? [[channel.id, channel] as const] : [])))
  const refusals = await findRefusals(at, {
    kind: 'sms',
    phone_numbers: [...new Set(messages.flatMap(({ to, is_exempt }) => (to === null || is_exempt ? [] : [to])))],
    own_numbers: await channels.ownNumbers(at),
  })
  const permits = new Map<string, Permit>()
  for (const message of messages) {
    const error = refusalOf(message, by_id.get(message.channel_id), refusals)
    if (error !== undefined) permits.set(message.id, { type: 'refused', error })
  }
  const allowed = messages.filter(({ id }) => !permits.has(id))
  const by_channel = Map.groupBy(allowed, ({ channel_id }) => channel_id)
  const reserved = await reserve(at, {
    channels: [...by_id.values()],
    wanted: new Map([...by_channel].map(([id, wanted]) => [id, wanted.length])),
  })
  const granted = [...by_channel].flatMap(([id, wanted]) => {
    const { granted = 0, retry_at } = reserved.get(id) ?? {}
    for (const { id } of wanted.slice(granted)) permits.set(id, { type: 'later', at: retry_at ?? at.now })
    return wanted.slice(0, granted)
  })
  const marked = await markSent(at, granted)
  return messages.map(({ id }) =>
    marked.has(id) ? { type: 'granted' } : (permits.get(id) ?? { type: 'later', at: at.now + ask_every_ms }),
  )
}

function refusalOf(
  { to, is_exempt }: ClaimedMessage,
  channel: channels.StoredChannel | undefined,
  refusals: Map<string, Rule>,
): string | undefined {
  if (!channel || channel.status === 'disabled') return 'The channel is disabled or was deleted.'
  const rule = is_exempt ? undefined : refusals.get(to ?? '')
  return rule && `${refusal(rule).message} (${rule})`
}

function toResult({ now }: At, message: ClaimedMessage, result: SendResult): Result {
  const { id, attempt } = message
  switch (result.type) {
    case 'accepted': {
      const { carrier_id, status, error } = result
      return { message, report: { id, carrier_id, status, error }, health: { error: null } }
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
      const report = attempt < attempts_max ? { id, retry: retryAt(message, due_at, true) } : { id, ...failed(error) }
      return { message, report, ...(is_account_refused && { health: { error } }) }
    }
    case 'unknown':
      return { message, report: { id, retry: retryAt(message, now + ask_every_ms, false) } }
  }
}

interface Doubt {
  message: ClaimedMessage
  carrier: Carrier
  sending: Parameters<Carrier['send']>[1]
}

/** A message that was about to be sent when a process was killed or an answer was lost. It is never sent again. */
async function findOut(at: At, { message, carrier, sending }: Doubt): Promise<Result> {
  const { id, sent_at } = message
  const since = clock.parse(sent_at ?? '')
  const found = await carrier.find(at, { ...sending, since }).catch((error: unknown) => {
    if (error instanceof OutboundError) return []
    throw error
  })
  const report = { id, found }
  const health = found.length > 0 ? { health: { error: null } } : {}
  if (at.now - since < ask_for_ms)
    return { message, report: { ...report, retry: retryAt(message, at.now + ask_every_ms, false) }, ...health }
  const error = 'The carrier does not know the message. It may not have been sent.'
  return { message, report: { ...report, status: 'unknown', error }, ...health }
}

async function recordResults(at: At, results: Result[]): Promise<void> {
  await inTransaction(at, async (at) => {
    await record(
      at,
      results.map(({ report }) => report),
    )
    const opted_out = results.filter(({ has_opted_out, message }) => has_opted_out && message.to !== null)
    if (opted_out.length > 0) await recordOptOuts(at, opted_out)
    await recordHealth(at, results)
  })
  // The next messages of their conversations may follow.
  at.db.notify({ topic: due_messages.kind, workspace: at.workspace })
}

/** Of the channels, in the order in which concurrent transactions lock them too. */
async function recordHealth(at: At, results: Result[]): Promise<void> {
  const health = new Map(
    results.flatMap(({ message, health }) => (health ? [[message.channel_id, health.error] as const] : [])),
  )
  for (const [id, error] of [...health].sort(([left], [right]) => (left < right ? -1 : 1))) {
    if (error === null) await channels.setWorking(at, id)
    else await channels.setFailing(at, { id, error })
  }
}

/** The carrier knows of an opt-out that it has not passed on. */
async function recordOptOuts(at: At, results: Result[]): Promise<void> {
  const phone_numbers = [...new Set(results.flatMap(({ message }) => message.to ?? []))]
  const known = await findRefusals(at, { kind: 'sms', phone_numbers, own_numbers: phone_numbers })
  await consent.record(
    at,
    phone_numbers.flatMap((phone_number) => {
      if (known.get(phone_number) === 'opted_out') return []
      const message = results.find(({ message }) => message.to === phone_number)?.message
      const evidence = {
        conversation_id: message?.conversation_id ?? null,
        message_id: message?.id ?? null,
        carrier_error: 'opted out',
      }
      return [
        {
          phone_number,
          contact_id: null,
          kind: 'all' as const,
          status: 'revoked' as const,
          source: 'sms_keyword' as const,
          evidence,
        },
      ]
    }),
  )
}
