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
  /** The contact, and those that have its number in another spelling: they are the same telephone. */
  contact_ids: string[]
  /** All spellings of the numbers. */
  phone_numbers: string[]
  /** The person's addresses as carriers write them: the numbers, also behind the name of another service. */
  addresses: string[]
  /** The hashes that stand for the numbers where they must not be kept. */
  keys: Buffer[]
  email: string | null
}

/** Services whose names carriers put before a number. */
const services = ['whatsapp', 'rcs', 'messenger', 'viber']

/**
 * Opens the function that returns what stands for a telephone where its number must not be kept, the same for all
 * spellings. It depends on the workspace.
 */
export async function openKeys(at: At): Promise<(phone_number: string) => Buffer> {
  const hmacOf = await hmacFor(at)
  return (phone_number) => hmacOf(firstSpellingOf(phone_number))
}

interface PersonParts {
  contact_id: string
  /** The contact, or undefined if it is gone. */
  contact: Pick<Contact, 'phone_number' | 'email'> | undefined
  numbers: string[]
  /** Hashes of further numbers, also of those that nobody knows any more. */
  keys?: Buffer[]
}

export async function personOf(at: At, { contact_id, contact, numbers, keys = [] }: PersonParts): Promise<Person> {
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

/** Characters that people write between the digits of a number. */
const between_digits = ' -()./+'
/** Digits with only such characters between them. */
const digit_run = /\+?\d[\d \-()./]*/g
const not_digits = /\D/g
/** A shorter number within a country is found only together with its country code. */
const national_digits_min = 7
/** Shorter numbers without their country code are found only where nothing else stands beside them: longer numbers end with them. */
const unmistakable_digits_min = 9

/** Finds texts that name a person by a number, however it is written, or by the email address. */
export function openSearch({ phone_numbers, email }: Pick<Person, 'phone_numbers' | 'email'>) {
  const known = phone_numbers.map((phone_number) => {
    const found = parsePhoneNumberFromString(phone_number)
    const international = phone_number.replace(not_digits, '')
    const national = String(found?.nationalNumber ?? '')
    return { international, national: national.length >= national_digits_min ? national : international }
  })
  const lower_email = email?.toLowerCase()
  const parts = [...new Set(known.map(({ national }) => national))]
  return {
    /** An SQL condition on a text that may name the person. It may be true for other texts, too. */
    mayMatch: (text: Sql): Sql =>
      sql`(translate(${text}, ${between_digits}, '') like any(${parts.map((some) => `%${some}%`)}::text[])
        or strpos(lower(${text}), ${lower_email ?? null}) > 0)`,
    hasNumber: (text: string): boolean =>
      (text.match(digit_run) ?? []).some((run) => known.some((one) => isNumberIn(run, one))),
    hasEmail: (text: string): boolean => lower_email !== undefined && hasWhole(text.toLowerCase(), lower_email),
  }
}

/** Whether the digits are the number, or the number stands among them: before or after a date, for example. */
function isNumberIn(run: string, { international, national }: { international: string; national: string }): boolean {
  const digits = run.replace(not_digits, '')
  const forms = [international, `00${international}`, `011${international}`, national, `0${national}`, `1${national}`]
  if (run.startsWith('+')) return digits === international || startsApart(run, international)
  return forms.some((form) => digits === form || (form.length >= unmistakable_digits_min && standsApart(run, form)))
}

/** Whether a run begins with these digits, and the next digit stands apart from them. */
const startsApart = (run: string, digits: string): boolean => new RegExp(`^\\+?${spaced(digits)}(?!\\d)`).test(run)

const standsApart = (run: string, digits: string): boolean => new RegExp(`(?<!\\d)${spaced(digits)}(?!\\d)`).test(run)

const spaced = (digits: string): string => [...digits].join('[ \\-()./]*')

const of_address = '[\\p{L}\\p{N}._%+-]'

/** Whether an email address is in a text, and not as a part of another one. */
function hasWhole(text: string, email: string): boolean {
  if (!text.includes(email)) return false
  const escaped = email.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`(?<!${of_address})${escaped}(?![\\p{L}\\p{N}-]|\\.[\\p{L}\\p{N}])`, 'u').test(text)
}
