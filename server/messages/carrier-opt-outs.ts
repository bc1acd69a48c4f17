import * as consent from '../consent/store.ts'
import type { At } from '../kit/at.ts'
import { findSmsRefusals } from './outgoing.ts'

export interface CarrierOptOut {
  phone_number: string
  message_id: string
}

/** Records opt-outs that a carrier knows and has not passed on as messages. */
export async function recordCarrierOptOuts(at: At, opt_outs: CarrierOptOut[]): Promise<void> {
  if (opt_outs.length === 0) return
  const by_number = new Map(opt_outs.map((one) => [one.phone_number, one]))
  const known = await findSmsRefusals(at, [...by_number.keys()])
  const entries = [...by_number.values()].flatMap(({ phone_number, message_id }) => {
    if (known.get(phone_number) === 'opted_out') return []
    const said = { phone_number, contact_id: null, kind: 'all' as const, status: 'revoked' as const }
    return [{ ...said, source: 'sms_keyword' as const, evidence: { message_id } }]
  })
  await consent.record(at, entries)
}
