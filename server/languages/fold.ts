import { normalizeText } from '../kit/text.ts'

/** Vowel signs, which most people leave out, the sign that makes words longer, and the dot below that keyboards lack. */
const marks = /[\u0640\u064b-\u065f\u0670\u093c]/g
/** Letters that people use for each other. */
const variants: Record<string, string> = {
  '\u0671': 'ا',
  '\u0649': 'ي',
  '\u0629': 'ه',
  '\u06cc': 'ي',
  '\u06a9': 'ك',
  '\u0901': '\u0902',
}
const variant_letters = new RegExp(`[${Object.keys(variants).join('')}]`, 'g')

/** Only Arabic and Devanagari have such marks and letters. */
const may_vary = /[\u0600-\u06ff\u0900-\u097f]/

/** Folds a text for comparison, whatever the language: no case, no accents, no full width, and one i. */
export function fold(text: string): string {
  const normalized = normalizeText(text)
  if (!may_vary.test(normalized)) return normalized
  return normalized
    .normalize('NFD')
    .replace(marks, '')
    .normalize('NFC')
    .replace(variant_letters, (letter) => variants[letter] ?? letter)
}
