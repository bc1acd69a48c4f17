import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  Metadata,
  type NumberingPlan,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/min'
import { setBounded } from '../kit/limits/bounded-map.ts'

/**
 * Returns all spellings of a number by which the same telephone can be reached: +44 01632 960001 is +44 1632 960001.
 * Numbers are kept as they were given, so what people have said is looked up by all spellings: as given, as
 * libphonenumber writes the number, with and without the national prefix, which is 0 in most countries, and as mobile
 * and other number in Mexico and Argentina.
 */
export function spellingsOf(phone_number: string): string[] {
  const code = callingCodeOf(phone_number)
  return code === undefined ? [phone_number] : [...new Set([phone_number, ...spell(code, phone_number)])]
}

/** Returns one spelling of a number, which is the same for all its spellings. */
export function firstSpellingOf(phone_number: string): string {
  const code = callingCodeOf(phone_number)
  return (code !== undefined && spell(code, phone_number)[0]) || phone_number
}

const calling_codes = new Set<string>(getCountries().map((country) => getCountryCallingCode(country)))
const calling_code_digits_max = 3

/** Returns the calling code of a number. No calling code is the beginning of another one. */
function callingCodeOf(phone_number: string): string | undefined {
  for (let digits = 1; digits <= calling_code_digits_max; digits += 1) {
    const code = phone_number.slice(1, digits + 1)
    if (calling_codes.has(code)) return code
  }
  return undefined
}

function spell(code: string, phone_number: string): string[] {
  const { prefix, rewritten } = planOf(code)
  const given = phone_number.slice(code.length + 1)
  // The library changes only numbers that begin like this.
  const written = rewritten?.test(given) ? writtenByLibrary(code, phone_number) : given
  // Where the prefix is 0, no number within the country begins with 0 itself. The library keeps the prefix before
  // numbers that it doesn't know.
  const national = prefix === '0' && written.startsWith('0') ? written.slice(1) : written
  return mobileForms(code, national).flatMap((form) =>
    prefix === '' ? [`+${code}${form}`] : [`+${code}${form}`, `+${code}${prefix}${form}`],
  )
}

/** First spellings are kept, because parsing takes long, and a number is asked about several times in a row. */
const known = new Map<string, string>()
const known_max = 5_000

function writtenByLibrary(code: string, phone_number: string): string {
  const written = known.get(phone_number) ?? parsePhoneNumberFromString(phone_number)?.number ?? phone_number
  setBounded(known, phone_number, written, known_max)
  return written.slice(code.length + 1)
}

/** The digit that may stand before a number of ten digits that is a mobile, by calling code. */
const mobile_marks: Record<string, string> = { 52: '1', 54: '9' }
const marked_digits = 10

function mobileForms(code: string, national: string): string[] {
  const mark = mobile_marks[code]
  if (mark === undefined) return [national]
  const is_marked = national.length === marked_digits + 1 && national.startsWith(mark)
  const plain = is_marked ? national.slice(1) : national
  return plain.length === marked_digits ? [plain, mark + plain] : [plain]
}

interface Plan {
  /** The prefix before numbers within the country. Empty if there is none. */
  prefix: string
  /**
   * Matches the beginnings of numbers that the library may write without their first digits, unless that is only a 0.
   */
  rewritten: RegExp | undefined
}

/** The library's class has these methods too, though its types don't say so. A test fails if they are gone. */
interface FullNumberingPlan extends NumberingPlan {
  nationalPrefix: () => string | 0 | undefined
  nationalPrefixForParsing: () => string | 0 | undefined
}

/** The plans by calling code, which has at most one. */
const plans = new Map<string, Plan>()

function planOf(code: string): Plan {
  const known = plans.get(code)
  if (known) return known
  const metadata = new Metadata()
  // The method takes calling codes too, and then selects the main country.
  metadata.selectNumberingPlan(code as CountryCode)
  // The cast is true as the interface `FullNumberingPlan` says.
  const numbering = metadata.numberingPlan as FullNumberingPlan | undefined
  const beginning = numbering?.nationalPrefixForParsing()
  const prefix = numbering?.nationalPrefix() || ''
  const is_only_zero = beginning === '0' && prefix === '0'
  const plan = {
    prefix,
    // The pattern must match at least one digit, because some of the library's match nothing, too.
    rewritten: beginning && !is_only_zero ? new RegExp(`^(?=\\d)(?:${beginning})(?<=\\d)`) : undefined,
  }
  plans.set(code, plan)
  return plan
}
