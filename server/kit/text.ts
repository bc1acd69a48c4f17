/** Doesn't split a surrogate pair. */
export const truncate = (text: string, length_max: number): string =>
  text.slice(0, length_max).replace(/[\ud800-\udbff]$/, '')

/** Decodes at most `bytes_max` bytes of UTF-8 without splitting a character. */
export const truncateBytes = (bytes: Uint8Array, bytes_max: number): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, bytes_max), {
    stream: bytes.length > bytes_max,
  })

/** Replaces what PostgreSQL can't store: NUL and lone surrogates. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\u0000', '\ufffd')
