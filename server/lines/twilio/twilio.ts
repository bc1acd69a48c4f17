import { createHmac, timingSafeEqual } from 'node:crypto'
import * as channels from '../../channels/store.ts'
import type { AtOutside } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import { isObject } from '../../kit/json.ts'
import { OutboundError, type OutboundResponse } from '../../kit/outbound/request.ts'
import type { Carrier, CarrierMessage, CarrierReport, SendResult } from '../../messages/carrier.ts'
import { type Answer, cleaned, codeOf, isCarrierId, parse, refusalOf, request, token_missing } from './rest.ts'

/** At most this many messages to one number on one day are read. */
const found_max = 1_000
/** Twilio's own clock may differ. */
const clock_difference_ms = 60_000
/** The recipient has replied with STOP to Twilio. */
const opted_out_code = 21610

export const twilio: Carrier = { send, find }

/**
 * Returns the URL for reports about a message. It has our own id, so that a report also counts when Twilio's answer was
 * lost.
 */
export const statusUrl = (address: string, channel_id: string, message_id: string): string =>
  `${inboundUrl(address, channel_id)}/status/${message_id}`

export const inboundUrl = (address: string, channel_id: string): string => `${address}/sms/${channel_id}`

async function send(at: AtOutside, message: CarrierMessage): Promise<SendResult> {
  const { channel, id, to, text } = message
  const form = new URLSearchParams({
    To: to,
    From: channel.address ?? '',
    Body: text,
    StatusCallback: statusUrl(at.tools.address(), channel.id, id),
  })
  if (channels.openAuthToken(at, channel) === undefined) return { ...token_missing, type: 'not_sent' }
  try {
    return toResult(await request(at, channel, { method: 'POST', path: 'Messages.json', body: form.toString() }))
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return error.is_unsent ? { type: 'not_sent', error: error.message, is_account_refused: false } : { type: 'unknown' }
  }
}

/**
 * Reads Twilio's answer to a message. With a status from 500 on, or without a valid answer, the message may have been
 * accepted.
 */
function toResult({ status, body }: OutboundResponse): SendResult {
  const answer = parse(body)
  if (status === 200 || status === 201) {
    const report = toReport(answer)
    return report ? { type: 'accepted', ...report } : { type: 'unknown' }
  }
  if (status >= 500 || status < 400 || status === 408) return { type: 'unknown' }
  const { code, error, is_login_refused } = refusalOf(status, answer, 'message')
  if (status === 429) return { type: 'not_sent', error, is_account_refused: false }
  if (is_login_refused) return { type: 'not_sent', error, is_account_refused: true }
  return { type: 'refused', error, has_opted_out: isOptOut(code), is_account_refused: status === 404 }
}

async function find(
  at: AtOutside,
  { channel, to, text, since }: CarrierMessage & { since: number },
): Promise<CarrierReport[]> {
  const earliest = since - clock_difference_ms
  const query = new URLSearchParams({ To: to, From: channel.address ?? '', PageSize: String(found_max) })
  query.append('DateSent>', clock.iso(earliest).slice(0, 10))
  const { status, body } = await request(at, channel, { method: 'GET', path: `Messages.json?${query}` })
  if (status !== 200) throw new OutboundError(`The carrier answered with ${status}.`)
  const { messages } = parse(body)
  if (!Array.isArray(messages)) throw new OutboundError('The carrier did not answer with messages.')
  return messages
    .filter((message): message is Answer => isObject(message))
    .filter(({ body, date_created }) => body === text && Date.parse(String(date_created)) >= earliest)
    .sort((left, right) => Date.parse(String(left.date_created)) - Date.parse(String(right.date_created)))
    .flatMap((message) => toReport(message) ?? [])
}

function toReport({ sid, status, error_code, error_message }: Answer): CarrierReport | undefined {
  if (!isCarrierId(sid)) return undefined
  const message = typeof error_message === 'string' ? `: ${cleaned(error_message)}` : ''
  const code = codeOf(error_code)
  const error = code === undefined ? null : `The carrier's error ${code}${message}`
  return { carrier_id: sid, ...statusOf(status, error), has_opted_out: isOptOut(code) }
}

/** Whether the carrier's error says that the recipient has opted out. */
export const isOptOut = (code: number | undefined): boolean => code === opted_out_code

/** Returns the status of an outgoing message in our words: one that Twilio has counts as sent. */
export function statusOf(status: unknown, error: string | null): Pick<CarrierReport, 'status' | 'error'> {
  if (status === 'delivered' || status === 'read') return { status: 'delivered', error: null }
  if (status === 'failed' || status === 'undelivered' || status === 'canceled')
    return { status: 'failed', error: error ?? `The carrier reports: ${status}.` }
  return { status: 'sent', error: null }
}

/** The length of an HMAC-SHA1 in Base64. */
export const signature_length = 28

/** Checks an HMAC-SHA1 over the URL and the sorted parameters, as Twilio's documentation describes. */
export function isSigned(
  token: string,
  { url, form, signature }: { url: string; form: URLSearchParams; signature: string },
): boolean {
  const by_name = Map.groupBy(form, ([name]) => name)
  const signed = [...by_name.keys()].sort().map((name) => {
    const values = new Set(by_name.get(name)?.map(([, value]) => value))
    return [...values].sort().map((value) => name + value)
  })
  const wanted = createHmac('sha1', token)
    .update([url, ...signed.flat()].join(''), 'utf8')
    .digest('base64')
  const [given, expected] = [signature, wanted].map((text) => Buffer.from(text))
  return given?.length === expected?.length && timingSafeEqual(given ?? Buffer.of(), expected ?? Buffer.of())
}
