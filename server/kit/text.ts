/** The first characters of a text, without half of a surrogate pair at the end. */
export const cut = (text: string, length_max: number): string =>
  text.slice(0, length_max).replace(/[\ud800-\udbff]$/, '')

/** The first bytes of a text in UTF-8, without a part of a character at the end. */
export const cutBytes = (bytes: Uint8Array, bytes_max: number): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, bytes_max), {
    stream: bytes.length > bytes_max,
  })

/** Text that PostgreSQL can store: no NUL, no lone surrogates. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\u0000', '\ufffd')
