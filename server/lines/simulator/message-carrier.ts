import type { At } from '../../kit/at.ts'
import type { Carrier, CarrierMessage, CarrierReport } from '../../messages/carrier.ts'
import { accept, carrierId } from './message-work.ts'

/** A carrier that brings messages to simulated people. It reports later what becomes of them. */
export const simulator: Carrier = {
  send: async (at, message) => ({ type: 'accepted', ...(await take(at, message)) }),
  // Taking a message again has no effect.
  find: async (at, message) => [await take(at, message)],
}

async function take(at: At, { channel, id, to }: CarrierMessage): Promise<CarrierReport> {
  await accept(at, { id, channel_id: channel.id, to })
  return { carrier_id: carrierId(id), status: 'sent', error: null, has_opted_out: false }
}
