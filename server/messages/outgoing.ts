import * as channels from '../channels/store.ts'
import { findRefusals, type Rule, refusal } from '../consent/refusals.ts'
import { isPhoneNumber } from '../contacts/phone.ts'
import type { Message } from '../conversations/schema.ts'
import type { TurnOf } from '../conversations/turns.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import { invalidState } from '../kit/problem.ts'
import * as workspaces from '../workspaces/store.ts'
import { insertRows, table } from './rows.ts'
import { segmentsOf } from './segments.ts'

/** A message that goes or went through a carrier. Its text is that of its turn. */
export interface NewMessage {
  id: string
  conversation_id: string
  seq: number
  channel_id: string
  direction: 'inbound' | 'outbound'
  carrier_id: string | null
  message: Message
  is_exempt: boolean
}

interface Thread {
  channel_id: string | null
  counterpart: string | null
  /** The price of a segment, in millionths of the currency. */
  segment_price: number
}

/** Reads the price of a segment. The price of a message stays as it was when the message was written. */
export const readSegmentPrice = async (at: At): Promise<number> =>
  (await workspaces.readSettings(at)).prices.message_segment

/** Adds the message by which a turn is sent, if the conversation has a number to send it to. */
export function withMessage<T extends TurnOf>(
  said: T,
  { channel_id, counterpart, segment_price, is_exempt = false }: Thread & { is_exempt?: boolean },
): T & { carried?: NewMessage } {
  const { id: conversation_id, turn } = said
  if (channel_id === null || counterpart === null || turn.text === '') return said
  const segments = segmentsOf(turn.text)
  const message: Message = { status: 'queued', segments, cost_micros: segments * segment_price, error: null }
  const carried: NewMessage = {
    id: newId(),
    conversation_id,
    seq: turn.seq,
    channel_id,
    carrier_id: null,
    message,
    is_exempt,
    direction: 'outbound',
  }
  return { ...said, turn: { ...turn, message }, carried }
}

/** Inserts messages. Outgoing ones are sent after the commit. */
export async function insertMessages(at: At, messages: NewMessage[]): Promise<void> {
  if (messages.length === 0) return
  const created_at = clock.iso(at.now)
  const rows = messages.map(({ message: { status, segments, cost_micros }, ...row }) => ({
    ...row,
    status,
    segments,
    cost_micros,
    created_at,
    due_at: row.direction === 'outbound' ? created_at : null,
  }))
  await insertRows(at, rows)
  if (messages.some(({ direction }) => direction === 'outbound'))
    at.db.notify({ topic: table.name, workspace: at.workspace })
}

/** Returns the data of a message that events show. */
export const messageData = ({ id, conversation_id, seq, message: { status, error } }: NewMessage) => ({
  id,
  conversation_id,
  seq,
  status,
  error,
})

/** Tells which of these numbers must not be written to, and why. */
export async function findSmsRefusals(at: At, phone_numbers: string[]): Promise<Map<string, Rule>> {
  const own_numbers = await channels.ownNumbers(at)
  return findRefusals(at, { kind: 'sms', phone_numbers: [...new Set(phone_numbers)], own_numbers })
}

/** Throws when nothing may be sent to this number. */
export async function assertMaySend(at: At, phone_number: string): Promise<void> {
  if (!isPhoneNumber(phone_number)) throw invalidState("This sender can't be answered by SMS.")
  const rule = (await findSmsRefusals(at, [phone_number])).get(phone_number)
  if (rule) throw refusal(rule)
}
