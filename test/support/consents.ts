import { type Entry, record } from '../../server/consent/store.ts'
import { inTransaction } from '../../server/kit/at.ts'
import type { Server, Tenant } from './harness.ts'
import { phoneNumber } from './samples.ts'

const newEntry = (fields: Partial<Entry> = {}): Entry => ({
  phone_number: phoneNumber(),
  contact_id: null,
  kind: 'all',
  status: 'revoked',
  source: 'sms_keyword',
  evidence: null,
  ...fields,
})

/** Adds entries to the ledger without the API, as an inbound message does. */
export const recordEntries = ({ at }: Server, { id }: Tenant, entries: Partial<Entry>[]) =>
  inTransaction(at(id), (at) => record(at, entries.map(newEntry)))
