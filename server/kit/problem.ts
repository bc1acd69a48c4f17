/** Every error code that clients can get, with its status. Append only. */
export const status_by_code = {
  VALIDATION_ERROR: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  INVALID_STATE: 409,
  IDEMPOTENCY_IN_PROGRESS: 409,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RANGE_NOT_SATISFIABLE: 416,
  IDEMPOTENCY_KEY_REUSED: 422,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const

export type Code = keyof typeof status_by_code

/** An error that is sent to the client. Any other thrown error is a bug. */
export class Problem extends Error {
  readonly code: Code
  readonly details: Record<string, unknown>
  readonly headers: Record<string, string>

  constructor(code: Code, message: string, details = {}, headers = {}, cause?: unknown) {
    super(message, { cause })
    this.code = code
    this.details = details
    this.headers = headers
  }

  get status(): number {
    return status_by_code[this.code]
  }
}

/** The code of an error of Node.js, PostgreSQL or a library, such as `ENOENT`. Undefined if the error has none. */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export interface Fault {
  path: string
  code: string
  message: string
  suggestion?: string
}

export const faults_max = 100

export const invalid = (faults: Fault[]) =>
  new Problem('VALIDATION_ERROR', faults[0]?.message ?? 'The request is not valid.', {
    fields: faults.slice(0, faults_max),
  })

export const invalidJson = (message: string) =>
  new Problem('VALIDATION_ERROR', message, { reason: 'invalid_json', fields: [] })

export const malformedRequest = () =>
  new Problem('VALIDATION_ERROR', 'The HTTP request is malformed.', {
    reason: 'malformed_request',
    fields: [],
  })

export const malformedForm = (message: string) =>
  new Problem('VALIDATION_ERROR', message, { reason: 'malformed_form', fields: [] })

export const unauthorized = () =>
  new Problem(
    'UNAUTHORIZED',
    'A valid API key is required. Send it as "Authorization: Bearer <API_KEY>".',
    {},
    { 'www-authenticate': 'Bearer' },
  )

/** The error for people, who sign in instead of sending an API key. */
export const signedOut = (message = 'Sign in first.') => new Problem('UNAUTHORIZED', message)

export const forbidden = (scope: string, message = `This operation requires the scope "${scope}".`) =>
  new Problem('FORBIDDEN', message, { required_scope: scope })

export const foreignOrigin = () =>
  new Problem(
    'FORBIDDEN',
    "Requests must come from this server's own origin. The Origin header is missing or names another one.",
  )

/** The error is the same for resources that never existed, were deleted, or belong to another workspace. */
export const notFound = (message = 'There is nothing at this address.') => new Problem('NOT_FOUND', message)

export const methodNotAllowed = (method: string, allow: string) =>
  new Problem('METHOD_NOT_ALLOWED', `${method} is not allowed here. Allowed: ${allow}.`, {}, { allow })

/** Another resource already has this value. */
export const inUse = (field: string, message: string, existing_id: string | undefined) =>
  new Problem('CONFLICT', message, { field, reason: 'already_exists', existing_id: existing_id ?? null })

export const invalidState = (message: string, details = {}) => new Problem('INVALID_STATE', message, details)

/** A resource that refers to another one. */
export interface Use {
  /** The kind of the resource, such as `agent`. */
  kind: string
  id: string
}

/** Resources that others refer to can't be deleted. */
export const stillUsed = (message: string, used_by: Use[]) => new Problem('INVALID_STATE', message, { used_by })

export const idempotencyInProgress = () =>
  new Problem(
    'IDEMPOTENCY_IN_PROGRESS',
    'The first request with this Idempotency-Key is still running. Try again in a second.',
    {},
    { 'retry-after': '1' },
  )

/** A process that died has left the key without an answer. */
export const outcomeUnknown = () =>
  invalidState(
    'The server stopped during the first request with this Idempotency-Key, so it may or may not have taken effect. Check, then use a new key.',
    { reason: 'unknown' },
  )

export const idempotencyKeyReused = () =>
  new Problem('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used for another request. Use a new one.')

export const preconditionFailed = (
  message = 'The resource has changed since you read it. Read it again, then repeat the change.',
) => new Problem('PRECONDITION_FAILED', message)

export const payloadTooLarge = (limit_bytes: number) =>
  new Problem('PAYLOAD_TOO_LARGE', `The body may have at most ${limit_bytes} bytes.`, { limit_bytes })

export const unsupportedMediaType = () =>
  new Problem(
    'UNSUPPORTED_MEDIA_TYPE',
    'Send the body as JSON in UTF-8, not compressed, with "Content-Type: application/json".',
  )

/** The error of operations that also accept a file. */
export const notFormOrJson = () =>
  new Problem(
    'UNSUPPORTED_MEDIA_TYPE',
    'Send a file as the part "file" of a form, with "Content-Type: multipart/form-data", or JSON in UTF-8, with "Content-Type: application/json"; neither compressed.',
  )

export const rangeNotSatisfiable = (size_bytes: number) =>
  new Problem(
    'RANGE_NOT_SATISFIABLE',
    `The file has ${size_bytes} bytes. Request a range of them, such as "Range: bytes=0-999".`,
    { size_bytes },
    { 'content-range': `bytes */${size_bytes}`, 'accept-ranges': 'bytes' },
  )

export const rateLimited = (per_second: number) =>
  new Problem(
    'RATE_LIMITED',
    `The limit is ${per_second} ${per_second === 1 ? 'request' : 'requests'} per second.`,
    { limit_per_second: per_second },
    { 'retry-after': '1' },
  )

export const tooManyAttempts = (wait_seconds: number) =>
  new Problem(
    'RATE_LIMITED',
    `Too many attempts. Try again in ${wait_seconds} seconds.`,
    {},
    { 'retry-after': String(wait_seconds) },
  )

export const tooManyStreams = (limit: number) =>
  new Problem(
    'RATE_LIMITED',
    `Too many open streams: a workspace may have ${limit} at once. Close one first.`,
    { limit },
    { 'retry-after': '10' },
  )

export const tooManyDownloads = (limit: number) =>
  new Problem(
    'SERVICE_UNAVAILABLE',
    `Too many downloads: a workspace may have ${limit} at once, and fewer while many workspaces download. Try again in ten seconds.`,
    { limit },
    { 'retry-after': '10' },
  )

export const requestTimeout = () =>
  new Problem('REQUEST_TIMEOUT', 'The request did not arrive in time.', {}, { connection: 'close' })

/** Ends the work for a client that has disconnected, and so never sees this error. */
export const disconnected = () => new Problem('REQUEST_TIMEOUT', 'The client has disconnected.')

export const headersTooLarge = (limit_bytes: number) =>
  new Problem('HEADERS_TOO_LARGE', `The URL and headers may have at most ${limit_bytes} bytes.`, { limit_bytes })

export const internalError = () =>
  new Problem('INTERNAL_ERROR', 'An internal error occurred. The log has the details under this request id.')

/** The cause is only logged. */
export const unavailable = (cause?: unknown) =>
  new Problem(
    'SERVICE_UNAVAILABLE',
    'The database is not available. Try again in a second.',
    {},
    { 'retry-after': '1' },
    cause,
  )

/** The request needs a node of the database that is down, or all nodes. */
export const nodeDown = (cause: unknown) =>
  new Problem(
    'SERVICE_UNAVAILABLE',
    'A node of the database is not available. Try again in a second.',
    { reason: 'node_down' },
    { 'retry-after': '1' },
    cause,
  )

/** A request to another server takes longer than a stop waits. */
export const stopping = () =>
  new Problem(
    'SERVICE_UNAVAILABLE',
    'The service is stopping and did not wait for the other server. The request may have taken effect there.',
    { reason: 'stopping' },
    { 'retry-after': '1' },
  )

/** Files can't be read or written. The cause is only logged. */
export const filesUnavailable = (cause: unknown) =>
  new Problem(
    'SERVICE_UNAVAILABLE',
    'Files are not available. Try again in ten seconds.',
    {},
    { 'retry-after': '10' },
    cause,
  )

const overloads = {
  too_many_requests: 'too many requests are running',
  too_many_waiting: 'too many requests wait for something to list',
  too_many_streams: 'too many streams are open',
  too_many_recordings: 'too many recordings are being prepared',
  waited_too_long: 'the request waited too long for others before it',
  events_behind: 'many events are recorded, and this one has no position yet',
}

export const overloaded = (reason: keyof typeof overloads) =>
  new Problem(
    'SERVICE_UNAVAILABLE',
    `The server is overloaded: ${overloads[reason]}. Try again in a second.`,
    { reason },
    { 'retry-after': '1' },
  )

/** A handler for `catch`, which returns undefined for a Problem and throws other errors. */
export function ignoreProblem(error: unknown): undefined {
  if (!(error instanceof Problem)) throw error
}
