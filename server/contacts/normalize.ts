/** Letters that Unicode doesn't take apart into a plain one and an accent. */
const plain: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  ς: 'σ',
}
const special = new RegExp(`[${Object.keys(plain).join('')}]`, 'g')
const accents = /[\u0300-\u036f]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: the fast way for most texts
const ascii = /^[\u0000-\u007f]*$/

/** Text without case and accents, so that what is alike to a person is the same. */
export function fold(text: string): string {
  const lower = text.toLowerCase()
  if (ascii.test(lower)) return lower
  const stripped = lower.normalize('NFKD').toLowerCase().replace(accents, '')
  return stripped.replace(special, (letter) => plain[letter] ?? letter).normalize('NFC')
}

/** A tag is compared as a whole and keeps its accents. */
export const foldTag = (tag: string): string => tag.normalize('NFC').toLowerCase()

interface Searchable {
  phone_number: string
  first_name: string | null
  last_name: string | null
  display_name: string | null
  email: string | null
}

/** What search looks at. Fields stand on lines of their own, and a search has no line breaks: none is found across two. */
export function searchTextOf({ phone_number, first_name, last_name, display_name, email }: Searchable): string {
  const name = [first_name, last_name].filter(Boolean).join(' ')
  return fold([phone_number, name, display_name, email].filter(Boolean).join('\n'))
}

/** Without regard to case: the first spelling stays. */
export function withoutDuplicates(tags: string[]): string[] {
  const first = new Map<string, string>()
  for (const tag of tags) if (!first.has(foldTag(tag))) first.set(foldTag(tag), tag)
  return [...first.values()]
}
