import * as channels from '../channels/store.ts'
import { reserve } from '../channels/usage.ts'
import { type Rule, refusal } from '../consent/refusals.ts'
import { type At, newHook } from '../kit/at.ts'
import { second_ms } from '../kit/clock.ts'
import type { ClaimedMessage } from './claims.ts'
import { findSmsRefusals } from './outgoing.ts'
import { markSent } from './rows.ts'

/** Whether a message may go out now. */
export type Permit = { type: 'granted' } | { type: 'refused'; error: string } | { type: 'later'; at: number }

/** Asks other rooms which messages must wait. Reactions return until when, by the id of the conversation. */
export const findingDelays = newHook<ClaimedMessage[], Map<string, number>>('messages.finding_delays')

/**
 * Asks the ledger, other rooms and the limits of the channels whether messages may go out. Those that may are marked:
 * from then on it is not known whether they were sent.
 */
export async function markAll(at: At, messages: ClaimedMessage[]): Promise<Permit[]> {
  const channel_ids = [...new Set(messages.map(({ channel_id }) => channel_id))]
  const found = await Promise.all(channel_ids.map((id) => channels.find(at, id)))
  const by_id = new Map(found.flatMap((channel) => (channel ? [[channel.id, channel] as const] : [])))
  const [refusals, delays] = await Promise.all([
    findSmsRefusals(
      at,
      messages.flatMap(({ to }) => to ?? []),
    ),
    at.hooks.run(at, findingDelays, messages),
  ])
  const delayed_until = new Map(delays.flatMap((delayed) => [...delayed]))
  const permits = new Map<string, Permit>()
  for (const message of messages) {
    const error = refusalOf(message, by_id.get(message.channel_id), refusals)
    const until = delayed_until.get(message.conversation_id)
    if (error !== undefined) permits.set(message.id, { type: 'refused', error })
    else if (until !== undefined) permits.set(message.id, { type: 'later', at: until })
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
    marked.has(id) ? { type: 'granted' } : (permits.get(id) ?? { type: 'later', at: at.now + second_ms }),
  )
}

/**
 * Returns why a message must not go out. The confirmation of an opt-out goes out to someone who has opted out, but not
 * to a number that is suppressed.
 */
function refusalOf(
  { to, is_exempt }: ClaimedMessage,
  channel: channels.StoredChannel | undefined,
  refusals: Map<string, Rule>,
): string | undefined {
  if (!channel || channel.status === 'disabled') return 'The channel is disabled or was deleted.'
  const rule = refusals.get(to ?? '')
  return rule && !(is_exempt && rule === 'opted_out') ? `${rule}: ${refusal(rule).message}` : undefined
}
