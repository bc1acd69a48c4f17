import { ConnectionError } from '../../../sdk/src/index.ts'
import { formatCount } from './format.ts'
import { ParleyError } from './request.ts'

export interface FieldError {
  path: string
  message: string
}

interface FormErrors {
  /** Messages by the names of the form's fields, which may be paths. */
  fields: Record<string, string>
  /** A message that belongs to no field of the form. It is shown above the form. */
  message: string | undefined
}

/** Returns a message for people. Some messages of the client are for programmers. */
export function errorMessage(error: unknown): string {
  if (!(error instanceof ParleyError)) return 'Something went wrong. Reload the page and try again.'
  if (error instanceof ConnectionError) return 'Can’t reach the server. Check your connection.'
  if (error.code === 'UNEXPECTED_ANSWER') return `The server returned an error (${error.status}).`
  return error.message
}

/** Returns the server's validation errors. */
export const fieldErrors = (error: unknown): FieldError[] => (error instanceof ParleyError ? error.fields : [])

/** Sorts the server's validation errors by the fields of a form. */
export function formErrors(error: unknown, names: string[]): FormErrors {
  const errors = fieldErrors(error)
  const fields: Record<string, string> = {}
  let rest: string | undefined
  for (const { path, message } of errors) {
    const name = names.find((name) => path === name || path.startsWith(`${name}.`))
    if (name !== undefined) fields[name] ??= plainWords(message) ?? withoutField(name, path, message)
    else rest ??= plainWords(message) ?? message
  }
  if (errors.length === 0) rest = errorMessage(error)
  return { fields, message: rest }
}

/** Replaces messages whose words are those of the API. */
export const plainWords = (message: string): string | undefined =>
  message.includes('set default_country')
    ? 'Add the country code, or choose a country'
    : message.includes('in E.164 form')
      ? 'Add the country code, such as +1 415 555 0123'
      : undefined

/**
 * Leaves out the name of the field: "phone_number must be ..." appears below it. What is inside of the field is still
 * named.
 */
function withoutField(name: string, path: string, message: string): string {
  const is_item = /^\d+$/.test(path.slice(name.length + 1))
  const known = is_item ? path : name
  if (!message.startsWith(known)) return message
  const text = message.slice(known.length)
  return text.startsWith('.') ? text.slice(1) : capitalize(text.trim())
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Explains why a deletion fails because something else refers to it: "Used by: 1 channel, 2 agents". */
export function usedByMessage(error: unknown): string | undefined {
  if (!(error instanceof ParleyError) || !Array.isArray(error.details.used_by)) return undefined
  const by_kind = Map.groupBy(error.details.used_by as { kind: string }[], ({ kind }) => kind)
  return `Used by: ${Array.from(by_kind, ([kind, uses]) => formatCount(uses.length, kind)).join(', ')}`
}
