import type { IncomingMessage } from 'node:http'

/** `json_type` takes long to match a value with very many spaces. */
const content_type_length_max = 200

const bearer = /^Bearer +(\S+)$/i

/** Undefined if the header is missing, malformed or sent twice. */
export function readBearerToken(request: IncomingMessage): string | undefined {
  const [authorization = '', ...more] = headerValues(request, 'authorization')
  return more.length > 0 ? undefined : bearer.exec(authorization)?.[1]
}

/**
 * The values of the header, one for each time it was sent. Searches the raw headers: building an object of all headers takes
 * longer than searching for the few that are needed.
 */
export function headerValues({ rawHeaders }: IncomingMessage, header: string): string[] {
  const values: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === header.length && name.toLowerCase() === header) values.push(rawHeaders[index + 1] ?? '')
  }
  return values
}

/** The values of every header by its lower-case name. Node's `headersDistinct` is missing from injected requests. */
export function allHeaders({ rawHeaders }: IncomingMessage): NodeJS.Dict<string[]> {
  const headers: NodeJS.Dict<string[]> = Object.create(null)
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? ''
    headers[name] = [...(headers[name] ?? []), rawHeaders[index + 1] ?? '']
  }
  return headers
}

/** The value of the header. Joins the values with commas if it was sent several times. */
export function readHeader(request: IncomingMessage, header: string): string | undefined {
  const values = headerValues(request, header)
  return values.length > 0 ? values.join(', ') : undefined
}

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const json_type = /^application\/json\s*(;\s*charset\s*=\s*"?utf-?8"?\s*)?;?\s*$/i

export const isJsonType = (type: string): boolean => type.length <= content_type_length_max && json_type.test(type)

export const isPlainJson = (request: IncomingMessage): boolean =>
  isJsonType(request.headers['content-type'] ?? '') &&
  headerValues(request, 'content-type').length === 1 &&
  (request.headers['content-encoding'] ?? 'identity') === 'identity'
