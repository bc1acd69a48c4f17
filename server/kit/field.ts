import { type TProperties, Type } from 'typebox'
import type { Fault } from './problem.ts'

/** What a text must be beyond its schema, in words to act on. A symbol, so that it stays out of the documents. */
export const check: unique symbol = Symbol('check')
export type Check = (text: string) => Omit<Fault, 'path'> | undefined

/** One line of text. Texts are trimmed before they are measured, and measured in code points. */
export const text = (options: TextOptions = {}) => Type.Unsafe<string>({ type: 'string', minLength: 1, ...options })

/** A text that may be left out or cleared: `null` and `""` both mean that there is none. */
export const optionalText = (options: TextOptions = {}) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], ...options })

export const oneOf = <const Values extends readonly string[]>(values: Values, options: object = {}) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: values, ...options })

/** Text with tabs and line breaks. */
export const multiline = { multiline: true } as const

interface TextOptions {
  maxLength?: number
  minLength?: number
  pattern?: string
  format?: string
  description?: string
  examples?: unknown[]
  multiline?: boolean
  [check]?: Check
}

const address = /^[^\s@"(),:;<>[\\\]]{1,64}@([^\s@."(),:;<>[\\\]]+\.)+[^\s@."(),:;<>[\\\]]+$/u

/** Not the format `email`, which knows neither letters beyond ASCII nor all that people have. */
export const email: TextOptions = {
  maxLength: 254,
  pattern: address.source,
  [check]: (said) => (address.test(said) ? undefined : { code: 'format', message: 'must be an email address.' }),
}

export const timestamp = (description: string) =>
  Type.String({ format: 'date-time', description, examples: ['2026-11-15T09:30:00.000Z'] })

export const optionalTimestamp = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description, examples: [null] })

export const id = (description: string) =>
  Type.String({ format: 'uuid', description, examples: ['019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa'] })

export const ById = Type.Object({ id: id('The identifier, as given at creation.') })

/**
 * A request body of editable fields. Fields that the server owns are listed as read-only and ignored, so that
 * what a GET gave can be sent back.
 */
export function body<Fields extends TProperties>(title: string, fields: Fields, resource: { properties: TProperties }) {
  const owned = [...Object.keys(resource.properties), 'workspace_id'].filter((name) => !(name in fields))
  const ignored = owned.map((name) => [name, { readOnly: true, description: 'Set by the server; ignored here.' }])
  const required = Object.keys(fields).filter((name) => !Type.IsOptional(fields[name]))
  return Type.Unsafe<Type.Static<Type.TObject<Fields>>>({
    title,
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: { ...fields, ...Object.fromEntries(ignored) },
    additionalProperties: false,
  })
}

/** The same fields, none of them required. */
export const allOptional = <Fields extends TProperties>(fields: Fields) => Type.Partial(Type.Object(fields)).properties
