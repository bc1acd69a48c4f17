import { type Static, type TProperties, Type } from 'typebox'
import type { Fault } from './problem.ts'

/** A check beyond JSON Schema. The key is a symbol, so that it is not part of the OpenAPI document. */
export const check: unique symbol = Symbol('check')
export type Check = (text: string) => Omit<Fault, 'path'> | undefined

/**
 * Keeps blanks at both ends as part of the text. The key is a symbol, so that it is not part of the OpenAPI document.
 */
export const untrimmed: unique symbol = Symbol('untrimmed')

/**
 * Other names that clients may take for this field: errors about them suggest it. The key is a symbol, so that it is
 * not part of the OpenAPI document.
 */
export const also_called: unique symbol = Symbol('also_called')

/**
 * The items of this list are not checked with the body, because each has an outcome of its own. The key is a symbol, so
 * that it is not part of the OpenAPI document.
 */
export const checked_apart: unique symbol = Symbol('checked_apart')

/** One line of text. Its length is counted in code points after trimming. */
export const text = (options: TextOptions = {}) => Type.Unsafe<string>({ type: 'string', minLength: 1, ...options })

/** A text that may be omitted or cleared: `null` and `""` both mean no value. */
export const optionalText = (options: TextOptions = {}) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], ...options })

export const oneOf = <const Values extends readonly string[]>(values: Values, options: object = {}) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: values, ...options })

/** Allows tabs and line breaks. */
export const multiline = { multiline: true } as const

interface TextOptions {
  maxLength?: number
  minLength?: number
  pattern?: string
  format?: string
  description?: string
  examples?: unknown[]
  multiline?: boolean
  default?: string
  [check]?: Check
  [untrimmed]?: boolean
  [also_called]?: string[]
}

const email_address = /^[^\s@"(),:;<>[\\\]]{1,64}@([^\s@."(),:;<>[\\\]]+\.)+[^\s@."(),:;<>[\\\]]+$/u

/** This is not the JSON Schema format `email`, which rejects non-ASCII letters and some addresses in use. */
export const email: TextOptions = {
  maxLength: 254,
  pattern: email_address.source,
  [check]: (value) =>
    email_address.test(value) ? undefined : { code: 'format', message: 'must be an email address.' },
}

const language_pattern = '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$'

function isLanguage(value: string): boolean {
  try {
    return new RegExp(language_pattern).test(value) && Intl.getCanonicalLocales(value).length === 1
  } catch {
    return false
  }
}

/** A language as a BCP 47 tag. */
export const language_tag: TextOptions = {
  maxLength: 35,
  pattern: language_pattern,
  [check]: (value) =>
    isLanguage(value) ? undefined : { code: 'format', message: 'must be a language tag such as en or pt-BR.' },
}

export const timestamp = (description: string) =>
  Type.String({ format: 'date-time', description, examples: ['2026-11-15T09:30:00.000Z'] })

export const optionalTimestamp = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description, examples: [null] })

/** A time of day that something begins at. */
export const startTime = (example: string) =>
  Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description: 'Hours and minutes.', examples: [example] })

/** A time of day that something ends at: it may be midnight. */
export const endTime = (example: string, description = 'Hours and minutes, exclusive.') =>
  Type.String({ pattern: '^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$', description, examples: [example] })

export const sample_id = '019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa'

export const id = (description: string) => Type.String({ format: 'uuid', description, examples: [sample_id] })

/** A filter by an id. It accepts any text: what is no id matches nothing. */
export const idFilter = (description: string) => Type.Optional(Type.String({ description, examples: [sample_id] }))

/** The response of a deletion. */
export const Deleted = Type.Object({ deleted: Type.Literal(true) }, { title: 'Deleted' })

/** The result of a test request. What the other server answered is not part of it. */
export const TestResult = Type.Object(
  {
    is_ok: Type.Boolean({ description: 'Whether the answer was a success.', examples: [true] }),
    status: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'The status code of the response. `null` when there was none.',
      examples: [200],
    }),
    duration_ms: Type.Integer({ description: 'How long the request took.', examples: [420] }),
    error: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'What went wrong. `null` on success.',
      examples: [null],
    }),
  },
  { title: 'TestResult' },
)
export type TestResult = Static<typeof TestResult>

export const ById = Type.Object({ id: id('The id of the resource.') })

/**
 * A request body of editable fields. Fields that the server sets are listed as read-only and ignored, so that clients can
 * send back what they got.
 */
export function body<Fields extends TProperties>(title: string, fields: Fields, resource: { properties: TProperties }) {
  const read_only = [...Object.keys(resource.properties), 'workspace_id'].filter((name) => !(name in fields))
  const ignored = read_only.map((name) => [name, { readOnly: true, description: 'Set by the server; ignored here.' }])
  const required = Object.keys(fields).filter((name) => !Type.IsOptional(fields[name]))
  return Type.Unsafe<Type.Static<Type.TObject<Fields>>>({
    title,
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: { ...fields, ...Object.fromEntries(ignored) },
    additionalProperties: false,
  })
}

/** Makes all of these fields optional. */
export const allOptional = <Fields extends TProperties>(fields: Fields) => Type.Partial(Type.Object(fields)).properties
