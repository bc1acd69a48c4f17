import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { TSchema } from 'typebox'
import { invalid, notFound } from '../problem.ts'
import { formatEtag, matchesStrongly } from './etag.ts'
import { readHeader } from './headers.ts'
import type { Call, Caller, Operation, Version } from './operation.ts'
import type { StreamLimits } from './stream-limits.ts'
import { type RequestSchema, validate, validateQuery } from './validate.ts'

/** An admitted request, not yet validated. */
export interface Arrival {
  id: string
  caller: Caller
  raw: IncomingMessage
  params: Record<string, string>
  query: Record<string, string | string[]>
  /** A stream for multipart/form-data. */
  body: Buffer | Readable | undefined
  /** For files and streams. */
  limits?: StreamLimits
}

type Validated = Pick<Operation, 'params' | 'query'>

/** Validates a request without a body. */
export const callWithoutBody = (operation: Validated, arrival: Arrival): Call =>
  validCall(operation, arrival, undefined, undefined, undefined)

/** Validates a request with a body. */
export const callWithBody = (
  operation: Validated & { version: Version | undefined },
  arrival: Arrival,
  body: TSchema | undefined,
  json: unknown,
): Call => validCall(operation, arrival, body, json, operation.version)

function validCall(
  { params, query }: Validated,
  arrival: Arrival,
  body: TSchema | undefined,
  json: unknown,
  version: Version | undefined,
): Call {
  const in_path = validate(params as RequestSchema, arrival.params)
  // Text is trimmed elsewhere, but a path with spaces is another path.
  for (const [path, value] of Object.entries(arrival.params)) {
    if (value === value.trim()) continue
    in_path.faults.push({ path, code: 'format', message: `${path} may not begin or end with spaces.` })
  }
  // A malformed id or token names nothing, like an unknown one.
  if (in_path.faults.some(({ path }) => /^(\w+_)?(id|token)$/.test(path))) throw notFound()
  const in_query = validateQuery(query as RequestSchema, arrival.query)
  const in_body = body ? validate(body as RequestSchema, json) : { value: {}, faults: [] }
  const faults = [...in_path.faults, ...in_query.faults, ...in_body.faults]
  if (faults.length > 0) throw invalid(faults)
  const if_match = readHeader(arrival.raw, 'if-match')
  return {
    caller: arrival.caller,
    request_id: arrival.id,
    params: in_path.value,
    query: in_query.value,
    body: in_body.value,
    file: undefined,
    // The verb passes the resource that `version` describes.
    is_current: (resource) =>
      if_match === undefined || !version || matchesStrongly(if_match, formatEtag(version(resource as never))),
  }
}
