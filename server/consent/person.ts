import { parsePhoneNumberFromString } from 'libphonenumber-js/min'
import type { Contact } from '../contacts/schema.ts'
import * as contacts from '../contacts/store.ts'
import type { At } from '../kit/at.ts'
import { type Sql, sql } from '../kit/postgres/sql.ts'
import { hmacFor } from './secret.ts'
import { firstSpellingOf, spellingsOf } from './spellings.ts'

/** Someone whose data is looked for everywhere: a contact, its numbers, and what deleted contacts with these numbers have left. */
export interface Person {
  contact_id: string
  /** Also those that have the number of the contact in another spelling: they are the same telephone. */
  contact_ids: string[]
  /** All spellings of the numbers. */
  phone_numbers: string[]
  /** How carriers name the person: the numbers, also behind the name of another service. */
  addresses: string[]
  /** What stands for the numbers where they must not be kept. */
  keys: Buffer[]
  email: string | null
}

/** Services whose names carriers put before a number. */
const services = ['whatsapp', 'rcs', 'messenger', 'viber']

/** What stands for a telephone where its number must not be kept, the same for all spellings. It depends on the workspace. */
export async function openKeys(at: At): Promise<(phone_number: string) => Buffer> {
  const hmacOf = await hmacFor(at)
  return (phone_number) => hmacOf(firstSpellingOf(phone_number))
}

interface Given {
  contact_id: string
  /** Undefined if it is gone. */
  contact: Pick<Contact, 'phone_number' | 'email'> | undefined
  numbers: string[]
  /** Those of numbers that nobody knows any more, too. */
  keys?: Buffer[]
}

export async function personOf(at: At, { contact_id, contact, numbers, keys = [] }: Given): Promise<Person> {
  const keyOf = await openKeys(at)
  const phone_numbers = [...new Set(numbers.flatMap(spellingsOf))]
  const own_keys = new Map([...numbers.map(keyOf), ...keys].map((key) => [key.toString('hex'), key]))
  const holders = contact
    ? await contacts.idsByNumber(at, spellingsOf(contact.phone_number))
    : new Map<string, string>()
  return {
    contact_id,
    contact_ids: [...new Set([contact_id, ...holders.values()])],
    phone_numbers,
    addresses: [...phone_numbers, ...services.flatMap((name) => phone_numbers.map((number) => `${name}:${number}`))],
    keys: [...own_keys.values()],
    email: contact?.email ?? null,
  }
}

/** People write numbers with these between the digits. */
const between_digits = ' -()./+'
/** A shorter number within a country is found only together with its country code. */
const national_digits_min = 7

/** Finds texts that name a person by a number, however it is written, or by the email address. */
export function openSearch({ phone_numbers, email }: Pick<Person, 'phone_numbers' | 'email'>) {
  const digits = [...new Set(phone_numbers.map(shortestDigits))]
  const lower_email = email?.toLowerCase()
  const withoutBetween = (text: string): string =>
    [...text].filter((character) => !between_digits.includes(character)).join('')
  return {
    /** An SQL condition on a text. It may be true for other texts, too. */
    mayMatch: (text: Sql): Sql =>
      sql`(translate(${text}, ${between_digits}, '') like any(${digits.map((some) => `%${some}%`)}::text[])
        or lower(${text}) like ${lower_email === undefined ? null : `%${lower_email}%`})`,
    hasNumber(text: string): boolean {
      const bare = withoutBetween(text)
      return digits.some((some) => bare.includes(some))
    },
    hasEmail: (text: string): boolean => lower_email !== undefined && text.toLowerCase().includes(lower_email),
  }
}

function shortestDigits(phone_number: string): string {
  const national = parsePhoneNumberFromString(phone_number)?.nationalNumber ?? ''
  return national.length >= national_digits_min ? national : phone_number.slice(1)
}
