import { isPhoneNumber } from '../contacts/phone.ts'
import { text_length_max } from '../conversations/schema.ts'
import { storable, truncate } from '../kit/text.ts'

/** A message that a carrier has brought. */
export interface Inbound {
  channel: { id: string; agent_id: string | null }
  /** The carrier's own id. A message that comes again has the same one. */
  carrier_id: string
  /** A number, or another name of the sender, such as `whatsapp:+14155550100`, to which nothing can be sent. */
  from: string
  text: string
  /** The number of pictures or other files that came with it, which are not kept. */
  attachments?: number
}

/** Returns the sender's number. Carriers put the name of another service before a number, such as `whatsapp:`. */
export function numberOf(from: string): string | undefined {
  const number = from.replace(/^[a-z]+:/, '')
  return isPhoneNumber(number) ? number : undefined
}

/** Returns the text of the turn: the words, cut at the limit, and how many attachments are missing. */
export function keptOf({ text, attachments = 0 }: Inbound): string {
  const counted = attachments === 1 ? '1 attachment was' : `${attachments} attachments were`
  const note = attachments > 0 ? `[${counted} not received]` : ''
  const length_max = text_length_max - (note && `\n${note}`).length
  const words = text.length > length_max ? `${truncate(storable(text), length_max - 1)}…` : storable(text)
  return words && note ? `${words}\n${note}` : words || note
}
