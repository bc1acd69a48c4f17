import type { Contact } from '../contacts/schema.ts'
import type { Conversation, Turn } from '../conversations/schema.ts'
import { type Language, listen } from '../models/matching.ts'
import { findSlot } from '../models/slots.ts'
import { asciiDigits } from './digit-runs.ts'
import type { Person } from './made-up.ts'

export interface SaidAndStored {
  contact: Contact | undefined
  conversation: Pick<Conversation, 'counterpart' | 'variables' | 'results'>
  /** The words of the contact. */
  lines: string[]
  runs: Pick<Turn['tools'][number], 'arguments' | 'result'>[]
  language: Language
}

/** At most this many names, numbers and addresses are looked for. */
const found_max = 50
const value_length_max = 200
const levels_max = 20

/** Names of members that say what a value is. They are compared in snake case. */
const about_names =
  /^(?:(?:full|first|last|middle|given|family|customer|client|caller|contact|guest|patient|user|visitor)_?)?name$|^surname$/
const about_one_person =
  /^(?:full|first|last|middle|given|family|customer|client|caller|contact|guest|patient)_?name$|^surname$/
const about_numbers = /^(?:\w+_)?(?:phone|mobile|cell|telephone|tel|phone_number|msisdn)$/
const about_addresses =
  /^(?:\w+_)?(?:address|street|address_line_?\d?|street_address|city|town|zip|zip_code|postcode|postal_code|company|company_name|employer)$/
const no_postal_addresses = /(?:e_?mail|ip|web|url)_address$/

/** Matches what may be between the digits of a number. Commas and ends of lines are between numbers. */
const gap = '[^\\p{L}\\p{N}+,;\\n]'
/**
 * Matches numbers with a country code, or as they are written in the country. No date matches: the last pattern has no
 * dots and colons.
 */
const written_numbers = [
  new RegExp(`\\+\\d(?:${gap}{0,3}\\d){6,14}`, 'gu'),
  new RegExp(`(?<!\\d)\\d{3}${gap}{1,3}\\d{3}${gap}{1,3}\\d{4}(?!\\d)`, 'gu'),
  /(?<!\d)0\d{1,5}[)\s/\p{Pd}_\u00b7]{0,2}\d[\d\s\p{Pd}_\u00b7]{4,12}\d(?!\d)/gu,
]

/** Collects what tells who the contact is: what is stored about it, what it has said about itself, and what tools know. */
export function personIn({ contact, conversation, lines, runs, language }: SaidAndStored): Person {
  const { counterpart, variables, results } = conversation
  const found: Person = { contact, names: [], phone_numbers: counterpart === null ? [] : [counterpart], addresses: [] }
  for (const line of lines) {
    const name = findSlot('name', listen(line, language), { now: 0 })
    // Less certain matches are often no names.
    if (name?.score === 1) add(found.names, name.value)
    const plain = asciiDigits(line).replaceAll('\uff0b', '+')
    for (const pattern of written_numbers)
      for (const [number] of plain.matchAll(pattern)) add(found.phone_numbers, number)
  }
  collect(found, [results, variables, ...runs.map((run) => run.arguments)], about_names)
  collect(
    found,
    runs.map((run) => run.result),
    // A result may have names of other things.
    about_one_person,
  )
  return found
}

function add(list: string[], value: string): void {
  const text = value.trim()
  if (text.length > 1 && text.length <= value_length_max && list.length < found_max && !list.includes(text))
    list.push(text)
}

function collect(found: Person, values: unknown[], names: RegExp, levels = levels_max): void {
  for (const value of values) {
    if (typeof value !== 'object' || value === null || levels === 0) continue
    for (const [name, member] of Object.entries(value)) {
      if (typeof member === 'string' || typeof member === 'number')
        sort(found, toSnakeCase(name), String(member), names)
      else collect(found, [member], names, levels - 1)
    }
    if (Array.isArray(value)) collect(found, value, names, levels - 1)
  }
}

function sort(found: Person, name: string, value: string, names: RegExp): void {
  if (names.test(name)) add(found.names, value)
  else if (about_numbers.test(name)) add(found.phone_numbers, value)
  else if (about_addresses.test(name) && !no_postal_addresses.test(name)) add(found.addresses, value)
}

const toSnakeCase = (name: string): string =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase()
