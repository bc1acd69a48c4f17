import type { At } from '../kit/at.ts'
import type { Fault } from '../kit/problem.ts'
import { truncate } from '../kit/text.ts'

const headers_max = 20
const name_format = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/
/** Headers that the service sets, or that are about the connection. */
const reserved =
  /^(host|connection|content-.*|transfer-encoding|accept-encoding|keep-alive|te|trailer|upgrade|expect|proxy-.*|idempotency-key|webhook-.*|user-agent)$/i

export function headerFaults(headers: Record<string, string | null>): Fault[] {
  const names = Object.keys(headers)
  const fault = (name: string, rule: string): Fault => {
    const path = truncate(`headers.${name}`, 200)
    return { path, code: 'format', message: `${path} ${rule}` }
  }
  if (names.length > headers_max)
    return [{ path: 'headers', code: 'too_many', message: `headers must have at most ${headers_max} members.` }]
  return names.flatMap((name) => {
    if (!name_format.test(name)) return fault(name, 'is not a name of a header.')
    return reserved.test(name) ? fault(name, "can't be set: the service sets it, or it is about the connection.") : []
  })
}

/** Returns the sent headers, by lower-case name, with the stored values of those that are `null`. */
export function keepValues(
  sent: Record<string, string | null>,
  stored: Record<string, string>,
): Record<string, string> {
  const values = Object.entries(sent).map(([name, value]): [string, string | undefined] => {
    const lower = name.toLowerCase()
    return [lower, value ?? (Object.hasOwn(stored, lower) ? stored[lower] : undefined)]
  })
  return Object.fromEntries(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

/** Returns undefined when the headers were encrypted with another SECRETS_KEY. */
export function openHeaders(
  { tools }: At,
  { headers }: { headers: string | null },
): Record<string, string> | undefined {
  if (headers === null) return {}
  try {
    return JSON.parse(tools.seal.open(headers))
  } catch {
    return undefined
  }
}
