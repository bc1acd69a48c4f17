import * as clock from '../clock.ts'
import { also_called, type Check, check, untrimmed } from '../field.ts'
import { isId } from '../id.ts'
import { type Fault, faults_max } from '../problem.ts'
import { isTimeZone } from '../time-zone.ts'

/** The keywords that apply to text. */
export interface TextSchema {
  type?: string | string[]
  enum?: unknown[]
  format?: string
  pattern?: string
  /** Errors about the pattern show the first example. */
  examples?: unknown
  minLength?: number
  maxLength?: number
  /** Allows tabs and line breaks. */
  multiline?: boolean
  [check]?: Check
  [untrimmed]?: boolean
  [also_called]?: string[]
}

/** The trimmed text; null if it is empty and the schema allows null; undefined if it is invalid. */
export function readText(schema: TextSchema, value: unknown, path: string, faults: Fault[]): string | null | undefined {
  if (typeof value !== 'string') return addFault(faults, path, 'type', `${path} must be a string.`)
  if (!value.isWellFormed())
    return addFault(faults, path, 'invalid_characters', `${path} must not contain unpaired surrogates.`)
  const text = schema[untrimmed] ? value : value.trim()
  if (text === '' && schema.type?.includes('null')) return null
  if ((schema.multiline ? control_except_breaks : control).test(text)) {
    return addFault(faults, path, 'invalid_characters', `${path} must not contain control characters.`)
  }
  const { minLength = 0, maxLength } = schema
  // A text has at least as many UTF-16 units as code points: count code points only if the units exceed the limit.
  if (maxLength !== undefined && text.length > maxLength && countCodePoints(text) > maxLength) {
    return addFault(faults, path, 'too_long', `${path} must have at most ${maxLength} characters.`)
  }
  if (text.length < minLength || (minLength > 1 && countCodePoints(text) < minLength)) {
    const rule = minLength > 1 ? `must have at least ${minLength} characters` : 'must not be empty'
    return addFault(faults, path, 'too_short', `${path} ${rule}.`)
  }
  const fault =
    schema[check]?.(text) ??
    enumFault(schema.enum, text) ??
    formats[schema.format ?? '']?.(text) ??
    patternFault(schema, text)
  if (!fault) return text
  faults.push({ path, ...fault, message: `${path} ${fault.message}` })
  return undefined
}

function enumFault(values: unknown[] | undefined, text: string): Omit<Fault, 'path'> | undefined {
  if (!values || values.includes(text)) return undefined
  return { code: 'enum', message: `must be one of ${values.filter((value) => value !== null).join(', ')}.` }
}

const countCodePoints = (text: string): number => [...text].length

export const hasControlCharacters = (text: string): boolean => control.test(text)
export const hasControlCharactersExceptBreaks = (text: string): boolean => control_except_breaks.test(text)

// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches control characters
const control = /[\u0000-\u001f\u007f-\u009f]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches control characters
const control_except_breaks = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/

const rfc3339 = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-](0\d|1[0-5]):[0-5]\d))?$/

export const formats: Record<string, Check> = {
  uuid: (text) => (isId(text) ? undefined : { code: 'format', message: 'must be a UUID.' }),
  'date-time': (text) =>
    rfc3339.test(text) && !Number.isNaN(clock.parse(text)) && isCalendarDay(text.slice(0, 10))
      ? undefined
      : { code: 'format', message: `must be a time such as 2026-11-15T09:30:00Z${plusHint(text)}.` },
  'time-zone': (text) =>
    isTimeZone(text) ? undefined : { code: 'format', message: 'must be a time zone such as America/New_York.' },
  date: (text) => (isCalendarDay(text) ? undefined : { code: 'format', message: 'must be a day such as 2026-12-25.' }),
}

/** A query string decodes + to a space, so an error about a text with a space says how to encode it. */
const plusHint = (text: string): string => (text.includes(' ') ? ', with + encoded as %2B' : '')

/** Whether the day exists: JavaScript parses February 30 as March 2. */
const isCalendarDay = (text: string): boolean => clock.isIso(`${text}T00:00:00.000Z`)

function patternFault({ pattern, examples }: TextSchema, text: string): Omit<Fault, 'path'> | undefined {
  if (pattern === undefined || new RegExp(pattern, 'u').test(text)) return undefined
  const such_as = Array.isArray(examples) && examples.length > 0 ? `, such as ${examples[0]}` : ''
  return { code: 'format', message: `must match ${pattern}${such_as}.` }
}

/** Returns undefined, to stand for the invalid value. */
export function addFault(faults: Fault[], path: string, code: string, message: string): undefined {
  if (faults.length < faults_max) faults.push({ path, code, message })
}
