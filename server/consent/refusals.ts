import { type At, simulatesPeople } from '../kit/at.ts'
import { sql } from '../kit/postgres/sql.ts'
import { invalidState, type Problem } from '../kit/problem.ts'
import * as workspaces from '../workspaces/store.ts'
import { countriesOf } from './countries.ts'
import type { Status } from './schema.ts'
import { readHmac } from './secret.ts'
import { spellingsOf } from './spellings.ts'
import { findSuppressed } from './suppressions.ts'

const messages = {
  opted_out: 'This person has opted out.',
  suppressed: 'This phone number is suppressed.',
  country_not_allowed: "This phone number is in a country that the workspace doesn't allow: see `allowed_countries`.",
}
export type Rule = keyof typeof messages

interface Recipients {
  kind: 'sms' | 'voice'
  phone_numbers: string[]
  /** The numbers of the workspace's channels. Their countries are allowed unless the workspace names others. */
  own_numbers: string[]
  /**
   * Whether the people are simulated, as all people of a test workspace. They are in no country, so all are allowed
   * unless the workspace names countries.
   */
  is_test?: boolean
}

/**
 * Returns which of these numbers must not be called or written to, and why. Throws if the ledger can't be read: then
 * nothing may go out.
 */
export async function findRefusals(at: At, recipients: Recipients): Promise<Map<string, Rule>> {
  const { kind, phone_numbers, own_numbers, is_test = simulatesPeople(at) } = recipients
  if (phone_numbers.length === 0) return new Map()
  const [opted_out, suppressed, { allowed_countries }] = await Promise.all([
    findOptedOut(at, kind, phone_numbers),
    findSuppressed(at, kind, phone_numbers),
    workspaces.readSettings(at),
  ])
  const isAllowed = allowed_countries === null && is_test ? () => true : inCountries(allowed_countries, own_numbers)
  const ruleOf = (phone_number: string): Rule | undefined => {
    if (opted_out.has(phone_number)) return 'opted_out'
    if (suppressed.has(phone_number)) return 'suppressed'
    return isAllowed(phone_number) ? undefined : 'country_not_allowed'
  }
  return new Map(
    phone_numbers.flatMap((phone_number): [string, Rule][] => {
      const rule = ruleOf(phone_number)
      return rule ? [[phone_number, rule]] : []
    }),
  )
}

export const refusal = (rule: Rule): Problem => invalidState(messages[rule], { rule })

/**
 * Returns the numbers whose latest entry, of this kind or of all kinds, and of all spellings of the number, is an
 * opt-out.
 */
export const findOptedOut = (at: At, kind: string, phone_numbers: string[]): Promise<Set<string>> =>
  findByStatus(at, { kind, status: 'revoked', phone_numbers })

async function findByStatus(
  at: At,
  { kind, status, phone_numbers }: { kind: string; status: Status; phone_numbers: string[] },
): Promise<Set<string>> {
  const hmacOf = await readHmac(at)
  if (!hmacOf) return new Set()
  const { db, workspace } = at
  const spelled = phone_numbers.flatMap((phone_number) =>
    spellingsOf(phone_number).map((spelling) => ({ phone_number, hmac: hmacOf(spelling).toString('hex') })),
  )
  const by_hmac = Map.groupBy(spelled, ({ hmac }) => hmac)
  // This is one search for all numbers. With one for each, PostgreSQL may read the whole ledger for each: it takes a
  // workspace that is newer than its statistics for empty, and any index for good.
  const entries = await db.many<{ hmac: string; seq: number; status: Status }>(
    sql`select distinct on (phone_hmac) encode(phone_hmac, 'hex') as hmac, seq, status from consents
      where workspace_id = ${workspace} and phone_hmac = any(${[...by_hmac.keys()].map((hmac) => `\\x${hmac}`)}::bytea[])
        and kind in (${kind}, 'all')
      order by phone_hmac, seq desc`,
  )
  const latest = new Map<string, { seq: number; status: Status }>()
  for (const { hmac, ...entry } of entries) {
    for (const { phone_number } of by_hmac.get(hmac) ?? []) {
      if (entry.seq > (latest.get(phone_number)?.seq ?? 0)) latest.set(phone_number, entry)
    }
  }
  return new Set([...latest].flatMap(([phone_number, entry]) => (entry.status === status ? [phone_number] : [])))
}

/**
 * Returns the numbers whose latest entry, of this kind or of all kinds, and of all spellings of the number, is an
 * agreement.
 */
export const findGranted = (at: At, kind: 'sms' | 'voice', phone_numbers: string[]): Promise<Set<string>> =>
  findByStatus(at, { kind, status: 'granted', phone_numbers })

/**
 * Returns whether a number is in the allowed countries. Without a list of them, those of the workspace's own numbers
 * are allowed.
 */
function inCountries(allowed: string[] | null, own_numbers: string[]): (phone_number: string) => boolean {
  const countries = new Set(allowed ?? own_numbers.flatMap(countriesOf))
  return (phone_number) => countriesOf(phone_number).some((country) => countries.has(country))
}
