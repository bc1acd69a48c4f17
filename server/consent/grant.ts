import type { At } from '../kit/at.ts'
import { findOptedOut } from './refusals.ts'
import type { Kind, Source } from './schema.ts'
import { lockLedger } from './secret.ts'
import { type Entry, record } from './store.ts'

interface Grant {
  kind: Kind
  source: Source
  /** What shows the agreement. It is kept forever, so it must not contain personal data. */
  evidence: object
  people: Pick<Entry, 'phone_number' | 'contact_id'>[]
}

/**
 * Records that these people have agreed, except to what they have opted out of. The ledger stays locked until the
 * transaction ends, so call this late.
 */
export async function grantUnlessOptedOut(at: At, { kind, people, source, evidence }: Grant): Promise<void> {
  if (people.length === 0) return
  // The ledger is locked before opt-outs are read, so that none is added in between.
  await lockLedger(at)
  const numbers = people.map(({ phone_number }) => phone_number)
  const no_sms = kind === 'voice' ? undefined : await findOptedOut(at, 'sms', numbers)
  const no_voice = kind === 'sms' ? undefined : await findOptedOut(at, 'voice', numbers)
  const kindFor = (phone_number: string): Kind | undefined => {
    const may_write = no_sms && !no_sms.has(phone_number)
    const may_call = no_voice && !no_voice.has(phone_number)
    if (may_write && may_call) return 'all'
    return may_write ? 'sms' : may_call ? 'voice' : undefined
  }
  const entries = people.flatMap((person): Entry[] => {
    const granted = kindFor(person.phone_number)
    return granted ? [{ ...person, kind: granted, status: 'granted', source, evidence }] : []
  })
  await record(at, entries)
}
