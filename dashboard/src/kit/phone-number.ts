const e164 = /^\+[1-9]\d{1,14}$/

/** "+1 (415) 555-0100" is "+14155550100". */
export const cleanPhoneNumber = (text: string): string => text.replace(/[\s().\-/]/g, '').replace(/^00/, '+')

export const isPhoneNumber = (text: string): boolean => e164.test(text)
