import * as calls from '../calls/erase.ts'
import { restoreSecret } from '../consent/secret.ts'
import { firstSpellingOf, spellingsOf } from '../consent/spellings.ts'
import * as suppressions from '../consent/suppressions.ts'
import * as contacts from '../contacts/store.ts'
import * as conversations from '../conversations/erase.ts'
import * as imports from '../imports/of-person.ts'
import * as integrations from '../integrations/of-person.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import { sql } from '../kit/postgres/sql.ts'
import { numbersOf } from './belongings.ts'
import type { Exported, ExportedOfWorkspace } from './export.ts'
import { queue } from './store.ts'

/**
 * Erasures are kept for longer than this: one that ended this long before the backup and isn't in it was deleted since,
 * and nothing is to be done again.
 */
const before_backup_ms = clock.day_ms

/**
 * Queues the erasures that a restored backup doesn't know, in the transaction that restores it. Returns how many. A
 * contact is found by its id. Rows that have only its numbers are found by their hashes: to look for a number, it must
 * be known, so all numbers that are stored are hashed. If the backup doesn't have the contact, contacts with its
 * numbers are the same person, deleted and created again since.
 */
export async function queueAgain(
  at: At,
  { ledger_secret, erasures }: ExportedOfWorkspace,
  { backed_up_at }: { backed_up_at: number },
): Promise<number> {
  if (ledger_secret === null || erasures.length === 0) return 0
  const hmacOf = await restoreSecret(at, ledger_secret)
  const keyOf = (phone_number: string): string => hmacOf(firstSpellingOf(phone_number)).toString('hex')
  const known = await listKnown(at)
  const wanted = erasures.filter(
    ({ id, ended_at }) =>
      !known.ids.has(id) && (ended_at === null || clock.parse(ended_at) > backed_up_at - before_backup_ms),
  )
  const found = await contacts.getMany(
    at,
    wanted.map(({ contact_id }) => contact_id),
  )
  const own_numbers = new Map<string, string[]>()
  for (const contact of found.values()) own_numbers.set(contact.id, await numbersOf(at, contact))
  const by_key = await findNumbers(at, { keyOf, unknown: unknownKeys(wanted, own_numbers, keyOf) })
  for (const erasure of wanted) await queueOne(at, erasure, { own_numbers, by_key, running: known.running })
  return wanted.length
}

interface KnownErasures {
  ids: Set<string>
  /** The contacts whose erasures are not done. */
  running: Set<string>
}

async function listKnown({ db, workspace }: At): Promise<KnownErasures> {
  const rows = await db.many<{ id: string; contact_id: string; is_done: boolean }>(
    sql`select id, contact_id, status = 'done' as is_done from erasures where workspace_id = ${workspace}`,
  )
  return {
    ids: new Set(rows.map(({ id }) => id)),
    running: new Set(rows.flatMap(({ contact_id, is_done }) => (is_done ? [] : contact_id))),
  }
}

/** Returns the hashes of numbers that are not those of the contacts that were found. */
function unknownKeys(
  wanted: Exported[],
  own_numbers: Map<string, string[]>,
  keyOf: (phone_number: string) => string,
): Set<string> {
  const own = new Set([...own_numbers.values()].flat().map(keyOf))
  return new Set(wanted.flatMap(({ phone_hmacs }) => phone_hmacs).filter((key) => !own.has(key)))
}

/** Returns the stored numbers that have these hashes. */
async function findNumbers(
  at: At,
  { keyOf, unknown }: { keyOf: (phone_number: string) => string; unknown: Set<string> },
): Promise<Map<string, Set<string>>> {
  const found = new Map<string, Set<string>>([...unknown].map((key) => [key, new Set()]))
  if (unknown.size === 0) return found
  for await (const number of storedNumbers(at)) found.get(keyOf(number))?.add(number)
  return found
}

async function* storedNumbers(at: At): AsyncGenerator<string> {
  for await (const rows of contacts.numbersOfAll(at)) for (const { phone_number } of rows) yield phone_number
  for await (const address of conversations.addressesIn(at)) yield address.replace(/^[a-z]+:/, '')
  yield* calls.numbersIn(at)
  yield* suppressions.numbersIn(at)
  yield* imports.numbersIn(at)
  yield* integrations.numbersIn(at)
}

interface FoundNumbers {
  own_numbers: Map<string, string[]>
  by_key: Map<string, Set<string>>
  running: Set<string>
}

async function queueOne(at: At, erasure: Exported, { own_numbers, by_key, running }: FoundNumbers): Promise<void> {
  const { id, contact_id, phone_hmacs, created_at } = erasure
  const own = own_numbers.get(contact_id)
  const by_hash = phone_hmacs.flatMap((key) => [...(by_key.get(key) ?? [])])
  const holders = await contacts.idsByNumber(at, by_hash.flatMap(spellingsOf))
  const isHeld = (number: string): boolean => spellingsOf(number).some((spelling) => holders.has(spelling))
  // A number that another contact has now belongs to that contact.
  const numbers = own ? [...own, ...by_hash.filter((number) => !isHeld(number))] : by_hash
  const keys = phone_hmacs.map((key) => Buffer.from(key, 'hex'))
  const same = own ? [] : [...new Set(holders.values())]
  const all = [{ id, contact_id }, ...same.map((contact_id) => ({ id: newId(), contact_id }))]
  for (const one of all) {
    if (running.has(one.contact_id)) continue
    running.add(one.contact_id)
    await queue(at, { ...one, numbers: [...new Set(numbers)], keys, created_at })
  }
}
