import * as channels from '../../channels/store.ts'
import type { AtOutside } from '../../kit/at.ts'
import { isObject } from '../../kit/json.ts'
import type { OutboundResponse } from '../../kit/outbound/request.ts'
import { storable } from '../../kit/text.ts'

const timeout_ms = 15_000
const bytes_max = 1024 * 1024

export const token_missing = {
  error: "The channel's auth token is missing, or was encrypted with another SECRETS_KEY.",
  is_account_refused: true,
}

/** The body of an answer of Twilio's API. */
export interface Answer {
  sid?: unknown
  status?: unknown
  error_code?: unknown
  error_message?: unknown
  code?: unknown
  message?: unknown
  messages?: unknown
  incoming_phone_numbers?: unknown
  calls?: unknown
  direction?: unknown
  to?: unknown
  from?: unknown
  start_time?: unknown
  end_time?: unknown
  body?: unknown
  date_created?: unknown
}

interface Request {
  method: 'GET' | 'POST'
  /** The path below the account. */
  path: string
  body?: string
}

/** Sends a request to Twilio's API, with the credentials of the channel. */
export function request(
  at: AtOutside,
  channel: channels.StoredChannel,
  { method, path, body }: Request,
): Promise<OutboundResponse> {
  const { account_sid, api_url, is_api_url_trusted } = channel
  const token = channels.openAuthToken(at, channel) ?? ''
  const url = `${api_url?.replace(/\/$/, '')}/2010-04-01/Accounts/${account_sid}/${path}`
  const headers = {
    authorization: `Basic ${Buffer.from(`${account_sid}:${token}`).toString('base64')}`,
    accept: 'application/json',
    ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
  }
  const options = { method, headers, timeout_ms, bytes_max, ...(body !== undefined && { body }) }
  return at.tools.outbound.send(url, options, { is_trusted: is_api_url_trusted })
}

export function parse(body: Buffer): Answer {
  try {
    const answer: unknown = JSON.parse(body.toString('utf8'))
    return isObject(answer) ? answer : {}
  } catch {
    return {}
  }
}

/** Whether a carrier's id has the expected form: nothing else that others send is stored. */
export const isCarrierId = (sid: unknown): sid is string => typeof sid === 'string' && /^[\w-]{1,64}$/.test(sid)

export function codeOf(code: unknown): number | undefined {
  const digits = typeof code === 'number' || typeof code === 'string' ? String(code) : ''
  return /^\d{1,6}$/.test(digits) ? Number(digits) : undefined
}

/** Removes numbers from a carrier's error, because errors are kept when the contact is deleted. */
export const cleaned = (text: string): string => storable(text.slice(0, 300)).replace(/\+?\d[\d\s().-]{5,}\d/g, '…')

/** Returns why Twilio has refused something, as a sentence. */
export function refusalOf(status: number, answer: Answer, what: 'call' | 'message') {
  const code = codeOf(answer.code)
  const reason = typeof answer.message === 'string' ? `: ${cleaned(answer.message)}` : ''
  const is_login_refused = status === 401 || status === 403
  const refused = is_login_refused
    ? "The carrier doesn't accept the account SID or the auth token"
    : `The carrier refused the ${what}`
  return { code, is_login_refused, error: `${refused} (${status}${code === undefined ? '' : ` ${code}`})${reason}` }
}
