import type { IncomingMessage } from 'node:http'

/** A pattern with room for blanks takes long on many of them. */
const header_value_max = 200

const bearer = /^Bearer +(\S+)$/i

/** Undefined as well when the header is sent twice: which of them should count? */
export function tokenOf(request: IncomingMessage): string | undefined {
  const { authorization } = request.headers
  if (authorization === undefined || sentOf(request, 'authorization').length > 1) return undefined
  return bearer.exec(authorization)?.[1]
}

/** The header's values, one for each time it was sent. */
export function sentOf({ rawHeaders }: IncomingMessage, header: string): string[] {
  const values: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === header.length && name.toLowerCase() === header) values.push(rawHeaders[index + 1] ?? '')
  }
  return values
}

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const json_type = /^application\/json\s*(;\s*charset\s*=\s*"?utf-?8"?\s*)?;?\s*$/i

export const isJsonType = (type: string): boolean => type.length <= header_value_max && json_type.test(type)

export const isPlainJson = (request: IncomingMessage): boolean =>
  isJsonType(request.headers['content-type'] ?? '') &&
  sentOf(request, 'content-type').length === 1 &&
  (request.headers['content-encoding'] ?? 'identity') === 'identity'
