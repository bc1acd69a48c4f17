import { getCountries, getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { setBounded } from '../kit/limits/bounded-map.ts'

/**
 * The countries of numbers are kept, because parsing takes long, and a number is asked about several times in a row.
 */
const known = new Map<string, string[]>()
const known_max = 5_000

/** Returns the countries that a number may be in. Some numbers have no definite one, such as +15551234567. */
export function countriesOf(phone_number: string): string[] {
  const countries = known.get(phone_number) ?? findCountries(phone_number)
  setBounded(known, phone_number, countries, known_max)
  return countries
}

function findCountries(phone_number: string): string[] {
  const parsed = parsePhoneNumberFromString(phone_number)
  if (!parsed) return []
  const possible = parsed.getPossibleCountries()
  if (possible.length > 0) return possible
  return getCountries().filter((country) => getCountryCallingCode(country) === parsed.countryCallingCode)
}
