import { getCountries, getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js/min'

/** The countries that a number may be in. Some numbers have no definite one, such as +15551234567. */
export function countriesOf(phone_number: string): string[] {
  const parsed = parsePhoneNumberFromString(phone_number)
  if (!parsed) return []
  const possible = parsed.getPossibleCountries()
  if (possible.length > 0) return possible
  return getCountries().filter((country) => getCountryCallingCode(country) === parsed.countryCallingCode)
}
