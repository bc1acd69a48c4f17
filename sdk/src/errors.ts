import type { ErrorCode, InvalidField } from './types.ts'

/** The codes of failures besides those of the API: no answer came, or one that no service of this kind sends. */
export type ClientErrorCode = 'CONNECTION_FAILED' | 'TIMED_OUT' | 'UNEXPECTED_ANSWER' | 'INVALID_SIGNATURE'

export interface ErrorMembers {
  code: ErrorCode | ClientErrorCode
  message: string
  /** The HTTP status, or 0 without an answer. */
  status?: number
  details?: Record<string, unknown>
  requestId?: string | undefined
  retryAfter?: number | undefined
  cause?: unknown
}

/** A request that was refused or got no answer. `code` says why. */
export class ParleyError extends Error {
  override name = 'ParleyError'
  readonly code: ErrorCode | ClientErrorCode
  /** The HTTP status, or 0 without an answer. */
  readonly status: number
  /** The fields that are wrong, with `VALIDATION_ERROR`. */
  readonly fields: InvalidField[]
  /** More about the reason, such as `existing_id` with `CONFLICT`. */
  readonly details: Record<string, unknown>
  /** Name it when you report a fault of the service. */
  readonly requestId: string | undefined
  /** Seconds to wait before the next attempt, if the service has said so. */
  readonly retryAfter: number | undefined

  constructor({ code, message, status = 0, details = {}, requestId, retryAfter, cause }: ErrorMembers) {
    super(message, { cause })
    this.code = code
    this.status = status
    this.details = details
    // The service sends a list of them, or none.
    this.fields = (details.fields ?? []) as InvalidField[]
    this.requestId = requestId
    this.retryAfter = retryAfter
  }
}

/** No answer came: the service can't be reached, or took too long. */
export class ConnectionError extends ParleyError {
  override name = 'ConnectionError'
}

/** A webhook request that the service has not signed with this secret, or that is too old. */
export class SignatureError extends ParleyError {
  override name = 'SignatureError'

  constructor(message: string) {
    super({ code: 'INVALID_SIGNATURE', message })
  }
}

/** Makes the error that the body of an answer describes. */
export function toError({ status, headers, type }: Response, body: unknown): ParleyError {
  const error = (body as { error?: Partial<ErrorMembers> } | undefined)?.error
  const details = error?.details ?? {}
  return new ParleyError({
    code: error?.code ?? 'UNEXPECTED_ANSWER',
    message: error?.message ?? unexpected(status, type),
    status,
    details,
    // Pages of other origins may not see the header.
    requestId: headers.get('x-request-id') ?? (details.request_id as string | undefined),
    retryAfter: toSeconds(headers.get('retry-after')),
  })
}

function unexpected(status: number, type: Response['type']): string {
  const is_redirect = type === 'opaqueredirect' || (status > 300 && status < 400)
  const what = is_redirect
    ? 'is a redirect, which is not followed'
    : `has the status ${status} and is not one of the API`
  return `The answer ${what}. Check baseUrl.`
}

/** The service sends seconds. A proxy may send a date. */
function toSeconds(retry_after: string | null): number | undefined {
  if (retry_after === null) return undefined
  const seconds = Number(retry_after)
  if (!Number.isNaN(seconds)) return seconds
  const until = Date.parse(retry_after)
  return Number.isNaN(until) ? undefined : Math.max(0, (until - Date.now()) / 1_000)
}
