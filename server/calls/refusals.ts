import * as channels from '../channels/store.ts'
import { findRefusals, type Rule } from '../consent/refusals.ts'
import type { At } from '../kit/at.ts'

interface Recipient {
  to: string
  is_test: boolean
}

/** Why these numbers must not be called. Throws if that can't be known: then they must not be called either. */
export async function findRules(at: At, recipients: Recipient[]): Promise<(Rule | undefined)[]> {
  if (recipients.length === 0) return []
  const own_numbers = await channels.ownNumbers(at)
  const findFor = (is_test: boolean) => {
    const phone_numbers = recipients.flatMap((one) => (one.is_test === is_test ? [one.to] : []))
    return findRefusals(at, { kind: 'voice', phone_numbers, own_numbers, is_test })
  }
  const [live, test] = await Promise.all([findFor(false), findFor(true)])
  return recipients.map(({ to, is_test }) => (is_test ? test : live).get(to))
}
