/** The first characters of a text, without half of a surrogate pair at the end. */
export const cut = (text: string, length_max: number): string =>
  text.slice(0, length_max).replace(/[\ud800-\udbff]$/, '')

/** Text that PostgreSQL can store: no NUL, no lone surrogates. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\u0000', '\ufffd')
