import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { also_called, check, text } from '../kit/field.ts'

const pattern = '^\\+[1-9]\\d{1,14}$'
const e164 = new RegExp(pattern)

export const isPhoneNumber = (text: string): boolean => e164.test(text)

/** The API never rewrites a number silently. An error suggests the E.164 form if the number can be parsed. */
export const PhoneNumber = text({
  pattern,
  description: 'E.164: a plus, the country code and the number, at most 15 digits. Unique within the workspace.',
  examples: ['+14155550100'],
  [also_called]: ['phone', 'mobile', 'cell', 'telephone', 'tel'],
  [check]: (value) => {
    if (isPhoneNumber(value)) return undefined
    const suggestion = parsePhoneNumber(value)
    const hint = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`
    return {
      code: 'format',
      message: `must be in E.164 form, such as +14155550100.${hint}`,
      ...(suggestion !== undefined && { suggestion }),
    }
  },
})

const parsed_length_max = 50

/**
 * Parses a number as people write it. A number without a country code is taken as one of the default country if its
 * length is possible there.
 */
export function parsePhoneNumber(value: string, default_country?: string | null): string | undefined {
  if (value.length > parsed_length_max) return undefined
  const defaultCountry = default_country && isSupportedCountry(default_country) ? default_country : undefined
  const text = value.replace(/^00/, '+')
  const parsed = parsePhoneNumberFromString(text, defaultCountry)
  if (!parsed || !isPhoneNumber(parsed.number)) return undefined
  // A number with a country code may have any length, as in the API.
  return text.startsWith('+') || parsed.isPossible() ? parsed.number : undefined
}

const national_number = /^(?!00)\(?\d[\d\s()./-]{4,}$/

/** Whether the text looks like a phone number without a country code. */
export const isNationalNumber = (text: string): boolean => national_number.test(text)

const written_number = /^['+(\d][\d\s()./+-]{4,}$/

/** Lists the numbers that a text may be, if it is one: as it is, and in each of these countries. */
export function numbersOfText(text: string, countries: (string | null)[]): string[] {
  const written = text.trim()
  if (!written_number.test(written)) return []
  const number = written.replace(/^'+/, '')
  return isPhoneNumber(number) ? [number] : countries.flatMap((country) => parsePhoneNumber(number, country) ?? [])
}
