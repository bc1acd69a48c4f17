import { normalizeTag, toSearchText } from '../../server/contacts/normalize.ts'
import { copyTextArray } from '../../server/kit/postgres/copy.ts'
import { normalizeText } from '../../server/kit/text.ts'

/** The data of a contact, without its workspace. */
export interface Person {
  id: string
  phone_number: string
  first_name: string
  last_name: string
  email: string | null
  company: string | null
  notes: string | null
  tags: string[]
  created_at: string
  search_text: string
  normalized_tags: string[]
}

export const copy_columns = [
  'workspace_id',
  'id',
  'phone_number',
  'first_name',
  'last_name',
  'email',
  'company',
  'notes',
  'tags',
  'source',
  'created_at',
  'updated_at',
]

export function toCopyCells(workspace_id: string, person: Person): (string | null)[] {
  const { id, phone_number, first_name, last_name, email, company, notes, tags, created_at } = person
  const values = [workspace_id, id, phone_number, first_name, last_name, email, company, notes, copyTextArray(tags)]
  return [...values, 'import', created_at, created_at]
}

const words = (text: string): string[] => text.split(' ')

const first_names = words(
  'Ada Grace José Mary Søren Wei Amara Noor Élodie Kofi Yuki Lars Olga Priya Mateo Fatima Jan Chloé Ivan Aisha Tom ' +
    'Lucía Hans Mei Omar Sofia Paul Zoë Ahmed Nina Carlos Leila Erik Hana Peter Rosa Ali Eva Raj Linh David Ana Max ' +
    'Ines Sam Julia Kenji Emma Diego Sara Felix Maria Anton Laura Samuel Clara Youssef Greta Hugo Alice Oscar Irene',
)
const last_names = words(
  'Lovelace Hopper García Jackson Kierkegaard Zhang Okafor Haddad Müller Novak Rossi Silva Tanaka Nguyen Kowalski ' +
    'Andersen Dubois Ivanova Smith Jones Brown Wilson Fernández Martínez Schmidt Weber Fischer Moreau Laurent Bianchi ' +
    'Romano Costa Pereira Santos Suzuki Sato Watanabe Kim Park Lee Chen Wang Singh Patel Sharma Khan Hussain Mensah ' +
    'Diallo Mwangi Nkosi Berg Lind Hansen Nielsen Virtanen Horvat Popescu Petrov Yılmaz Cohen Levi Murphy Kelly Walsh',
)
/** One contact in twenty has an address with a given domain, so a search for it finds a twentieth of all contacts. */
export const domains = words(
  'northwind globexcorp initechlab umbrellas hoolimail vandelay wonkaworks cyberdyne tyrellnet soylentco ' +
    'stark-post wayneline duffpost acmebox',
)
const companies = words('Northwind Globex Initech Umbrella Hooli Vandelay Wonka Cyberdyne Tyrell Soylent Stark Wayne')
/** One contact in twenty has a given tag. */
export const common_tags = words(
  'vip newsletter trial churned partner lead emea apac latam webinar renewal demo beta press student reseller ' +
    'enterprise startup nonprofit retail',
)
const notes = 'Met at the trade fair; wants a call back about the yearly plan in spring.'
const calling_codes = ['1415', '1212', '4930', '4420', '3314', '8190', '5511', '9122']
const rare_tags = 5_000
const until_ms = Date.parse('2026-11-01')
const span_ms = 2 * 365 * 24 * 60 * 60 * 1000

/** Generates the same people for the same seed, oldest first. */
export function* people(count: number, seed: number): Generator<Person> {
  const random = randomFrom(seed)
  const randomBelow = (limit: number) => Math.floor(random() * limit)
  const pick = (values: string[]) => values[randomBelow(values.length)] ?? ''
  for (let number = 0; number < count; number += 1) {
    const created_ms = Math.floor(until_ms - span_ms * (1 - number / count))
    const first_name = pick(first_names)
    const last_name = random() < 0.4 ? `${pick(last_names)}-${pick(last_names)}` : pick(last_names)
    // 70% of contacts have one of 14 domains: each domain has 5%.
    const domain = random() < 0.7 ? pick(domains) : undefined
    const local = normalizeText(`${first_name}.${last_name}`).replace(/[^a-z.-]/g, '')
    const tags = random() < 0.52 ? [pick(common_tags), pick(common_tags)] : []
    if (random() < 0.2) tags.push(`Segment ${randomBelow(rare_tags)}`)
    const person = {
      phone_number: `+${pick(calling_codes)}${String(scatter(number)).padStart(8, '0')}`,
      first_name,
      last_name,
      display_name: null,
      email: domain ? `${local}${randomBelow(100)}@${domain}.example` : null,
      company: random() < 0.5 ? pick(companies) : null,
    }
    const unique_tags = [...new Set(tags)]
    yield {
      ...person,
      id: newPersonId(created_ms, random),
      notes: random() < 0.2 ? notes : null,
      tags: unique_tags,
      created_at: new Date(created_ms).toISOString(),
      search_text: toSearchText(person),
      normalized_tags: unique_tags.map(normalizeTag),
    }
  }
}

const numbers = 100_000_000

/** Maps each number to a different number of eight digits, in no visible order. */
const scatter = (number: number): number => (number * 38_742_049 + 1_234_567) % numbers

/** Mulberry32, a small and fast generator of random numbers from 0 to 1. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function newPersonId(time_ms: number, random: () => number): string {
  const time = time_ms.toString(16).padStart(12, '0')
  const part = (length: number) =>
    Math.floor(random() * 16 ** length)
      .toString(16)
      .padStart(length, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${part(3)}-a${part(3)}-${part(12)}`
}
