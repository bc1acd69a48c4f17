import { getCountries, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { Type } from 'typebox'
import { check, text } from '../kit/field.ts'

export const e164 = '^\\+[1-9]\\d{1,14}$'
const is_e164 = new RegExp(e164)

export const isPhoneNumber = (text: string): boolean => is_e164.test(text)

/** Exactly E.164: nothing is rewritten silently, but what can be read as a number is suggested. */
export const PhoneNumber = text({
  pattern: e164,
  description: 'E.164: a plus, the country code and the number, at most 15 digits. Unique within the workspace.',
  examples: ['+14155550100'],
  [check]: (said) => {
    if (is_e164.test(said)) return undefined
    const suggestion = suggestionFor(said)
    const hint = suggestion ? ` Did you mean ${suggestion}?` : ''
    return {
      code: 'format',
      message: `must be in E.164 form, such as +14155550100.${hint}`,
      ...(suggestion !== undefined && { suggestion }),
    }
  },
})

export const DefaultCountry = Type.Unsafe<string | null>({
  title: 'Country',
  type: ['string', 'null'],
  enum: [...getCountries(), null],
  description: 'Of numbers without a country code, as two letters: `US`.',
  examples: ['US'],
  [check]: (value: string) =>
    isSupportedCountry(value) ? undefined : { code: 'enum', message: 'must be a two-letter country code, such as DE.' },
})

const readable_length_max = 50

const suggestionFor = (said: string): string | undefined => readPhoneNumber(said)

/**
 * A number as people write it; one without a country code is of the country that is given, if that has numbers of such
 * a length.
 */
export function readPhoneNumber(said: string, country?: string | null): string | undefined {
  if (said.length > readable_length_max) return undefined
  const defaultCountry = country && isSupportedCountry(country) ? country : undefined
  const text = said.replace(/^00/, '+')
  const read = parsePhoneNumberFromString(text, defaultCountry)
  if (!read || !is_e164.test(read.number)) return undefined
  // With its country code it is only written anew, and the API takes any of that form.
  return text.startsWith('+') || read.isPossible() ? read.number : undefined
}
