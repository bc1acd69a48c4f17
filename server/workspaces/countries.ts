import { getCountries } from 'libphonenumber-js/min'
import { Type } from 'typebox'
import { type Check, check } from '../kit/field.ts'

/** All countries, as two-letter codes. */
export const countries: string[] = getCountries()

/** Checks a country with a message of its own: that of an enum would list all countries. */
export const checkCountry: Check = (value) =>
  countries.includes(value)
    ? undefined
    : { code: 'enum', message: 'must be the two-letter code of a country, such as US or DE.' }

export const DefaultCountry = Type.Unsafe<string | null>({
  title: 'Country',
  type: ['string', 'null'],
  enum: [...countries, null],
  description: 'The country of numbers without a country code, as two letters such as `US`.',
  examples: ['US'],
  [check]: checkCountry,
})
