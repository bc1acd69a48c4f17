import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { TSchema } from 'typebox'
import { invalid, notFound } from '../problem.ts'
import { formatEtag, matchesStrongly, matchesWeakly } from './etag.ts'
import { readHeader } from './headers.ts'
import type { Caller, Client, IsCurrent, Operation, Part, ValidRequest } from './operation.ts'
import type { Version } from './resource-version.ts'
import type { StreamLimits } from './stream-limits.ts'
import { type RequestSchema, validate, validateQuery } from './validate.ts'

/** An admitted request, not yet validated. */
export interface IncomingRequest {
  id: string
  caller: Caller
  client: Client
  raw: IncomingMessage
  params: Record<string, string>
  query: Record<string, string | string[]>
  /** The body of a multipart/form-data request is a stream. */
  body: Buffer | Readable | undefined
  /** Takes the slot of a request that begins without one, or throws. */
  takeSlot?: () => void
  /** Counts the parts of a batch for the rate limit, or throws. */
  countParts?: (count: number) => void
  /** Runs a long wait without the slot of the request. */
  waitOutside?: (wait: (signal: AbortSignal) => Promise<void>) => Promise<void>
  /** Set for files and streams. */
  limits?: StreamLimits
}

type Validated = Pick<Operation, 'params' | 'query'>

/** Validates a part of a batch. It has no headers, so it is always current. */
export function partRequest(
  { operation: { params, query, body }, ...given }: Part,
  { caller, client, request_id }: Pick<ValidRequest, 'caller' | 'client' | 'request_id'>,
): ValidRequest {
  if (given.problem) throw given.problem
  const values = validValues({ params, query }, { params: given.params, query: {} }, body, given.body)
  return { caller, client, request_id, ...values, file: undefined, prepared: undefined, isCurrent: () => true }
}

export const requestWithoutBody = (operation: Validated, incoming: IncomingRequest): ValidRequest =>
  validRequest(operation, incoming, undefined, undefined, undefined)

export const requestWithBody = (
  operation: Validated & { version: Version | undefined },
  incoming: IncomingRequest,
  body: TSchema | undefined,
  json: unknown,
): ValidRequest => validRequest(operation, incoming, body, json, operation.version)

function validRequest(
  { params, query }: Validated,
  incoming: IncomingRequest,
  body: TSchema | undefined,
  json: unknown,
  version: Version | undefined,
): ValidRequest {
  return {
    caller: incoming.caller,
    client: incoming.client,
    request_id: incoming.id,
    ...validValues({ params, query }, incoming, body, json),
    file: undefined,
    prepared: undefined,
    isCurrent: isCurrentFor(incoming.raw, version),
  }
}

function validValues(
  { params, query }: Validated,
  incoming: Pick<IncomingRequest, 'params' | 'query'>,
  body: TSchema | undefined,
  json: unknown,
) {
  // `assertSupportedSchema` has checked that the schemas use no other keywords.
  const in_path = validate(params as RequestSchema, incoming.params)
  // Text is trimmed elsewhere, but a path with spaces is another path.
  for (const [path, value] of Object.entries(incoming.params)) {
    if (value === value.trim()) continue
    in_path.faults.push({ path, code: 'format', message: `${path} may not begin or end with spaces.` })
  }
  // A malformed id or token names nothing, like an unknown one.
  if (in_path.faults.some(({ path }) => /^(\w+_)?(id|token)$/.test(path))) throw notFound()
  const in_query = validateQuery(query as RequestSchema, incoming.query)
  const in_body = body ? validate(body as RequestSchema, json) : { value: {}, faults: [] }
  const faults = [...in_path.faults, ...in_query.faults, ...in_body.faults]
  if (faults.length > 0) throw invalid(faults)
  return { params: in_path.value, query: in_query.value, body: in_body.value }
}

function isCurrentFor(raw: IncomingMessage, version: Version | undefined): IsCurrent {
  const if_match = readHeader(raw, 'if-match')
  const if_none_match = readHeader(raw, 'if-none-match')
  return (resource) => {
    if (!version) return true
    if (!resource) return if_match === undefined
    // The verb passes the resource that `version` describes.
    const etag = formatEtag(version(resource as never))
    if (if_match !== undefined && !matchesStrongly(if_match, etag)) return false
    return if_none_match === undefined || !matchesWeakly(if_none_match, etag)
  }
}
