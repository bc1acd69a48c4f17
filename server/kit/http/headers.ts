import type { IncomingMessage } from 'node:http'

/** A pattern with room for blanks takes long on many of them. */
const header_value_max = 200

const bearer = /^Bearer +(\S+)$/i

/** Undefined as well when the header is sent twice: which of them should count? */
export function tokenOf(request: IncomingMessage): string | undefined {
  const [authorization = '', ...more] = sentOf(request, 'authorization')
  return more.length > 0 ? undefined : bearer.exec(authorization)?.[1]
}

/**
 * The header's values, one for each time it was sent. Read from what came: to make an object of all headers would take longer
 * than to look for the few that a request is asked for.
 */
export function sentOf({ rawHeaders }: IncomingMessage, header: string): string[] {
  const values: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === header.length && name.toLowerCase() === header) values.push(rawHeaders[index + 1] ?? '')
  }
  return values
}

/** As one list, when it was sent several times. */
export function headerOf(request: IncomingMessage, header: string): string | undefined {
  const values = sentOf(request, header)
  return values.length > 0 ? values.join(', ') : undefined
}

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const json_type = /^application\/json\s*(;\s*charset\s*=\s*"?utf-?8"?\s*)?;?\s*$/i

export const isJsonType = (type: string): boolean => type.length <= header_value_max && json_type.test(type)

export const isPlainJson = (request: IncomingMessage): boolean =>
  isJsonType(request.headers['content-type'] ?? '') &&
  sentOf(request, 'content-type').length === 1 &&
  (request.headers['content-encoding'] ?? 'identity') === 'identity'
