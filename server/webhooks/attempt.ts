import { type At, type AtOutside, atLater, timeStands } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { signedHeaders, signingSecrets, unreadable_secret } from '../kit/crypto/signing-secrets.ts'
import { OutboundError, type OutboundResponse } from '../kit/outbound/request.ts'
import { storable, truncateBytes } from '../kit/text.ts'
import { currentSpan, traceHeaders } from '../kit/traces/span.ts'
import { product } from '../product.ts'
import type { ClaimedDelivery, Result } from './claims.ts'
import { toRequestBody } from './deliveries.ts'
import { isInbox } from './store.ts'

const minute_ms = 60 * clock.second_ms
const hour_ms = 60 * minute_ms
/** The wait before each attempt, counted from the end of the previous one. After the last attempt the delivery has failed. */
const waits_ms = [
  0,
  5 * clock.second_ms,
  5 * minute_ms,
  30 * minute_ms,
  2 * hour_ms,
  5 * hour_ms,
  10 * hour_ms,
  14 * hour_ms,
  20 * hour_ms,
  24 * hour_ms,
]
/**
 * Up to this share is added to a wait, so that deliveries that failed together are not retried together. Nothing is added while
 * time stands still, so that a test has the same times each time.
 */
const jitter = 0.1
const retry_after_max_ms = 24 * hour_ms
/** How much of a response body is read, and how much of it is stored. */
const response_bytes_max = 16 * 1024
const response_bytes_stored = 1024

export interface AttemptOptions {
  decrypt: (sealed: string) => string
  /** The URL at which this process listens, for inboxes. */
  ownAddress: () => string
  timeout_ms: number
}

/** Sends a delivery once, and decides when to try again. */
export async function attempt(at: AtOutside, delivery: ClaimedDelivery, options: AttemptOptions): Promise<Result> {
  const began_ticks = clock.ticks()
  let response: OutboundResponse | undefined
  let error: string | null = null
  const span = beginSpan(delivery)
  try {
    response = await send(at, delivery, { ...options, trace_headers: traceHeaders(span) })
  } catch (failure) {
    if (!(failure instanceof OutboundError)) throw failure
    error = failure.message
  }
  const duration_ms = Math.round(clock.ticks() - began_ticks)
  const next = nextStep(atLater(at), delivery.attempt + 1, response)
  span?.end({
    attributes: { 'http.response.status_code': response?.status },
    error: next.status === 'succeeded' ? undefined : String(response?.status ?? 'no_response'),
  })
  return {
    delivery,
    ...next,
    attempt: {
      url: delivery.url,
      created_at: clock.iso(at.now),
      status: response?.status ?? null,
      duration_ms,
      error,
      answer: response ? storable(truncateBytes(response.body, response_bytes_stored)) : null,
    },
  }
}

/** Begins the span of an attempt. It names only the host, because the URL may contain a token. */
const beginSpan = ({ type, url, attempt, webhook_id }: ClaimedDelivery) =>
  currentSpan()?.child({
    name: `deliver ${type}`,
    kind: 'client',
    attributes: {
      'http.request.method': 'POST',
      'server.address': isInbox(url) ? undefined : new URL(url).hostname,
      'http.request.resend_count': attempt,
      webhook_id,
    },
  })

function send(
  { tools, now }: AtOutside,
  delivery: ClaimedDelivery,
  { decrypt, ownAddress, timeout_ms, trace_headers }: AttemptOptions & { trace_headers: Record<string, string> },
): Promise<OutboundResponse> {
  const body = toRequestBody(delivery.workspace, delivery)
  const secrets = signingSecrets(delivery, decrypt, now)
  if (secrets.length === 0) throw new OutboundError(unreadable_secret)
  const headers = {
    'content-type': 'application/json',
    'user-agent': product.name,
    ...signedHeaders(secrets, delivery.id, body),
    ...trace_headers,
  }
  const message = { headers, body, timeout_ms, bytes_max: response_bytes_max }
  const is_inbox = isInbox(delivery.url)
  return tools.outbound.send(is_inbox ? ownAddress() + delivery.url : delivery.url, message, { is_trusted: is_inbox })
}

function nextStep(at: At, attempts: number, response: OutboundResponse | undefined): Pick<Result, 'status' | 'due_at'> {
  if (response && response.status >= 200 && response.status < 300) return { status: 'succeeded', due_at: null }
  const wait_ms = waits_ms[attempts]
  if (wait_ms === undefined || response?.status === status_gone) return { status: 'failed', due_at: null }
  const requested_ms = response && [429, 503].includes(response.status) ? retryAfterMs(response) : 0
  const share = timeStands(at) ? 0 : jitter * Math.random()
  const next_wait_ms = Math.max(wait_ms * (1 + share), requested_ms)
  return { status: 'pending', due_at: clock.iso(at.now + next_wait_ms) }
}

/** HTTP 410: the endpoint wants no more requests. */
export const status_gone = 410

/** Retry-After is a number of seconds or a date. */
function retryAfterMs({ headers }: OutboundResponse): number {
  const value = String(headers['retry-after'] ?? '').trim()
  const wait_ms = /^\d+$/.test(value) ? Number(value) * clock.second_ms : clock.parse(value) - clock.wall()
  return Math.min(Math.max(wait_ms || 0, 0), retry_after_max_ms)
}
