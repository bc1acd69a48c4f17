import pg from 'pg'

const timestamptz = pg.types.builtins.TIMESTAMPTZ
const int8 = pg.types.builtins.INT8
const text_array: number = 1009
const parseQuotedTextArray: (text: string) => string[] = pg.types.getTypeParser(text_array)

/** Parses times into the ISO text that clients get, and counts into numbers. */
export function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === timestamptz) return parseTimestamp
  if (oid === int8) return Number
  if (oid === text_array) return parseTextArray
  return format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid)
}

/** Faster than the driver for the usual case: empty, or plain words without quotes. */
function parseTextArray(text: string): string[] {
  if (text === '{}') return []
  return /["\\]|NULL/.test(text) ? parseQuotedTextArray(text) : text.slice(1, -1).split(',')
}

/** PostgreSQL writes "2026-11-15 02:14:27.1+00" in the time zone UTC, without trailing zeros. */
function parseTimestamp(text: string): string {
  const day = text.slice(0, 10)
  const time = text.slice(11, -3)
  if (time.length === 12) return `${day}T${time}Z`
  return `${day}T${time.length === 8 ? `${time}.` : time}${'0'.repeat(12 - Math.max(time.length, 9))}Z`
}
