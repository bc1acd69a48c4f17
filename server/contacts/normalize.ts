import { normalizeText } from '../kit/text.ts'

/** Removes case but keeps accents: tags are compared as a whole. */
export const normalizeTag = (tag: string): string => tag.normalize('NFC').toLowerCase()

/** Keeps the first spelling of tags that differ only in case. */
export function removeDuplicateTags(tags: string[]): string[] {
  const first_spellings = new Map<string, string>()
  for (const tag of tags) {
    const normalized = normalizeTag(tag)
    if (!first_spellings.has(normalized)) first_spellings.set(normalized, tag)
  }
  return [...first_spellings.values()]
}

interface Searchable {
  phone_number: string
  first_name: string | null
  last_name: string | null
  display_name: string | null
  email: string | null
  company: string | null
}

/**
 * Returns the text that a search reads, with one line per field, which is empty if the field is. A search has no line
 * breaks, so a word can't match across fields.
 */
export function toSearchText(contact: Searchable): string {
  const { phone_number, first_name, last_name, display_name, email, company } = contact
  const name = [first_name, last_name].filter(Boolean).join(' ')
  return normalizeText([phone_number, name, display_name, email, company].join('\n'))
}
