import type { StoredChannel } from '../channels/store.ts'
import type { AtOutside } from '../kit/at.ts'

/** A service that brings messages to telephones. */
export interface Carrier {
  send: (at: AtOutside, message: CarrierMessage) => Promise<SendResult>
  /**
   * Finds the messages with this text from the channel to the number since this time, oldest first. Fails when the
   * carrier can't say.
   */
  find: (at: AtOutside, message: CarrierMessage & { since: number }) => Promise<CarrierReport[]>
}

export interface CarrierMessage {
  channel: StoredChannel
  /** The id that we give the message. */
  id: string
  to: string
  text: string
}

export interface CarrierReport {
  carrier_id: string
  status: 'sent' | 'delivered' | 'failed'
  error: string | null
  has_opted_out: boolean
}

export type SendResult =
  | ({ type: 'accepted' } & CarrierReport)
  | { type: 'refused'; error: string; has_opted_out: boolean; is_account_refused: boolean }
  /** The message was certainly not sent, and can be sent again. */
  | { type: 'not_sent'; error: string; is_account_refused: boolean }
  /** The message may have been sent. */
  | { type: 'unknown' }
