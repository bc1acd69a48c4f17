import type { CountryCode } from 'libphonenumber-js/min'
import { useMembership } from './session.ts'

const e164 = /^\+[1-9]\d{1,14}$/

/** "+1 (415) 555-0100" is "+14155550100". */
export const cleanPhoneNumber = (text: string): string => text.replace(/[\s().\-/]/g, '').replace(/^00/, '+')

export const isPhoneNumber = (text: string): boolean => e164.test(text)

/**
 * Reads a number as people type it: "(415) 555-9999" is "+14155559999" in a workspace whose default country is the US.
 * Text that can't be read stays as it is, and the server refuses it. The same happens if the code can't be loaded.
 */
export function useToPhoneNumber(): (text: string) => Promise<string> {
  const country = useMembership()?.default_country
  return async (text) => {
    const cleaned = cleanPhoneNumber(text)
    if (!country || cleaned === '' || cleaned.startsWith('+')) return cleaned
    // The library is loaded when it is needed: it knows the numbers of all countries.
    const library = await import('libphonenumber-js/min').catch(() => undefined)
    // The server knows the same countries.
    const parsed = library?.parsePhoneNumberFromString(text, country as CountryCode)
    return parsed?.isPossible() ? parsed.number : cleaned
  }
}

/** Matches country codes of one or two digits. All others have three. */
const short_country_code = /^(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/

/** Says how digits after the country code are grouped. In other countries there are three in a group. */
const groups: Record<string, RegExp> = {
  1: /^(\d{3})(\d{3})(\d{4})$/,
  7: /^(\d{3})(\d{3})(\d\d)(\d\d)$/,
  33: /^(\d)(\d\d)(\d\d)(\d\d)(\d\d)$/,
  44: /^(?:(20)(\d{4})(\d{4})|(\d{4})(\d{6}))$/,
  49: /^(30|40|69|89|1[567]\d|\d{4})(\d+)$/,
}

/** "+14155550123" is "+1 415 555 0123". */
export function formatPhoneNumber(phone_number: string): string {
  if (!isPhoneNumber(phone_number)) return phone_number
  const digits = phone_number.slice(1)
  const code = short_country_code.exec(digits)?.[0] ?? digits.slice(0, 3)
  const national = digits.slice(code.length)
  const grouped = groups[code]?.exec(national)?.slice(1).filter(Boolean)
  return `+${code} ${grouped?.join(' ') ?? national.replace(/\d{3}(?=\d{2})/g, '$& ')}`.trim()
}
