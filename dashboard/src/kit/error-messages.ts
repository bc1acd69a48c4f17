import { Problem } from './request.ts'

interface FieldError {
  path: string
  message: string
}

interface FormErrors {
  /** By the names of the form's fields. */
  fields: Record<string, string>
  /** Belongs to no field of the form; shown above it. */
  message: string | undefined
}

export const errorMessage = (error: unknown): string =>
  error instanceof Problem ? error.message : 'Something went wrong. Reload the page and try again.'

/** Sorts the server's validation errors by the fields of a form. */
export function formErrors(error: unknown, names: string[]): FormErrors {
  const errors =
    error instanceof Problem && Array.isArray(error.details.fields) ? (error.details.fields as FieldError[]) : []
  const fields: Record<string, string> = {}
  let rest: string | undefined
  for (const { path, message } of errors) {
    const name = path.split('.')[0] ?? ''
    if (names.includes(name)) fields[name] ??= withoutPath(path, message)
    else rest ??= message
  }
  if (errors.length === 0) rest = errorMessage(error)
  return { fields, message: rest }
}

/** "phone_number must be ..." appears below the field, so its name is left out. */
function withoutPath(path: string, message: string): string {
  const text = message.startsWith(path) ? message.slice(path.length).trim() : message
  return text.charAt(0).toUpperCase() + text.slice(1)
}
