import { getCountries } from 'libphonenumber-js/min'
import type { Check } from '../kit/field.ts'

/** Two-letter codes. */
export const countries: string[] = getCountries()

/** Replaces the message of an enum, which would list all countries. */
export const checkCountry: Check = (value) =>
  countries.includes(value)
    ? undefined
    : { code: 'enum', message: 'must be the two-letter code of a country, such as US or DE.' }
