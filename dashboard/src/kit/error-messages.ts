import { Problem } from './request.ts'

interface Fault {
  path: string
  message: string
}

/** What to say of anything that was thrown. */
export const sayOf = (error: unknown): string =>
  error instanceof Problem ? error.message : 'Something went wrong. Reload the page and try again.'

/** The server's faults by field, in words for someone who sees the field; the rest belongs above the form. */
export function faultsOf(error: unknown, fields: string[]): { at: Record<string, string>; rest: string | undefined } {
  const faults =
    error instanceof Problem && Array.isArray(error.details.fields) ? (error.details.fields as Fault[]) : []
  const at: Record<string, string> = {}
  let rest: string | undefined
  for (const { path, message } of faults) {
    const field = path.split('.')[0] ?? ''
    if (fields.includes(field)) at[field] ??= plain(path, message)
    else rest ??= message
  }
  if (faults.length === 0) rest = sayOf(error)
  return { at, rest }
}

/** "phone_number must be ..." stands below a field of that name already. */
function plain(path: string, message: string): string {
  const words = message.startsWith(path) ? message.slice(path.length).trim() : message
  return words.charAt(0).toUpperCase() + words.slice(1)
}
