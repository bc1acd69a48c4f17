import type { Dialer, DialResult, FoundCall, PhoneCall } from '../../calls/carrier.ts'
import { ring_seconds } from '../../calls/carrier.ts'
import type { Fact, Final } from '../../calls/facts.ts'
import * as channels from '../../channels/store.ts'
import type { AtOutside } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import { isObject } from '../../kit/json.ts'
import { OutboundError, type OutboundResponse } from '../../kit/outbound/request.ts'
import { type Answer, codeOf, isCarrierId, parse, refusalOf, request, token_missing } from './rest.ts'
import { callUrl, machineUrl, statusUrl } from './twiml.ts'

/** At most this many calls to one number are read. */
const found_max = 100
/** Twilio's own clock may differ, and its times have whole seconds. */
const clock_difference_ms = 60_000
/** A call is dialled at most this long after the first attempt, which is repeated for a minute. */
const dialed_within_ms = 2 * 60_000
const status_events = ['initiated', 'ringing', 'answered', 'completed']
const invalid_number_codes = [21211, 13224]
/** SIP codes for a number that the network doesn't know, or can't reach now. */
const unreachable_codes = [404, 410, 480, 484, 604]
const declined_code = 603

/** A dialer that calls telephones with Twilio. */
export const twilioDialer: Dialer = { dial, find, end }

async function dial(at: AtOutside, call: PhoneCall): Promise<DialResult> {
  const { channel } = call
  if (channels.openAuthToken(at, channel) === undefined) return { ...token_missing, type: 'not_sent', may_retry: false }
  try {
    return toResult(
      await request(at, channel, { method: 'POST', path: 'Calls.json', body: formOf(at, call).toString() }),
    )
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    if (!error.is_unsent) return { type: 'unknown' }
    return { type: 'not_sent', error: error.message, is_account_refused: false, may_retry: true }
  }
}

/**
 * Returns the form that places a call. Twilio reports who answers while the talk begins; a message for a voicemail
 * begins after its greeting.
 */
function formOf({ tools }: AtOutside, { id: call_id, channel, to, leaves_message }: PhoneCall): URLSearchParams {
  const address = tools.address()
  const on_channel = { channel_id: channel.id, call_id }
  const form = new URLSearchParams({
    To: to,
    From: channel.address ?? '',
    Url: callUrl(address, on_channel),
    Method: 'POST',
    Timeout: String(ring_seconds),
    StatusCallback: statusUrl(address, on_channel),
    StatusCallbackMethod: 'POST',
    MachineDetection: leaves_message ? 'DetectMessageEnd' : 'Enable',
    AsyncAmd: 'true',
    AsyncAmdStatusCallback: machineUrl(address, on_channel),
    AsyncAmdStatusCallbackMethod: 'POST',
  })
  for (const event of status_events) form.append('StatusCallbackEvent', event)
  return form
}

/**
 * Reads Twilio's answer to a call. With a status from 500 on, or without a valid answer, the call may have been
 * accepted.
 */
function toResult({ status, body }: OutboundResponse): DialResult {
  const answer = parse(body)
  if (status === 200 || status === 201)
    return isCarrierId(answer.sid) ? { type: 'accepted', carrier_id: answer.sid } : { type: 'unknown' }
  if (status >= 500 || status < 400 || status === 408) return { type: 'unknown' }
  const { code, error, is_login_refused } = refusalOf(status, answer, 'call')
  if (status === 429) return { type: 'not_sent', error, is_account_refused: false, may_retry: true }
  if (is_login_refused) return { type: 'not_sent', error, is_account_refused: true, may_retry: false }
  return { type: 'refused', final: finalOfCode(code) ?? 'error', error, is_account_refused: status === 404 }
}

const finalOfCode = (code: number | undefined): Final | undefined =>
  code !== undefined && invalid_number_codes.includes(code) ? 'invalid_number' : undefined

/**
 * Finds a call at Twilio. Without Twilio's id, it may be any call from the channel to the number at about that time.
 */
async function find(at: AtOutside, call: PhoneCall, now: number): Promise<FoundCall[]> {
  const { channel, to, carrier_id, started_at } = call
  const from = channel.address ?? ''
  if (carrier_id !== null) {
    const answer = await read(at, channel, `Calls/${carrier_id}.json`)
    return answer ? [toFound(answer, carrier_id, now)] : []
  }
  const query = new URLSearchParams({ To: to, From: from, PageSize: String(found_max) })
  const calls = (await read(at, channel, `Calls.json?${query}`))?.calls
  if (!Array.isArray(calls)) throw new OutboundError('The carrier did not answer with calls.')
  const earliest = started_at - clock_difference_ms
  const latest = started_at + clock_difference_ms + dialed_within_ms
  const createdAt = ({ date_created }: Answer) => Date.parse(String(date_created))
  return calls
    .filter((one): one is Answer => isObject(one))
    .filter((one) => one.direction === 'outbound-api' && one.to === to && one.from === from)
    .filter((one) => createdAt(one) >= earliest && createdAt(one) <= latest)
    .flatMap((one) => (isCarrierId(one.sid) ? [toFound(one, one.sid, now)] : []))
}

/** Returns undefined if Twilio doesn't know this path. */
async function read(at: AtOutside, channel: channels.StoredChannel, path: string): Promise<Answer | undefined> {
  const { status, body } = await request(at, channel, { method: 'GET', path })
  if (status === 404) return undefined
  if (status !== 200) throw new OutboundError(`The carrier answered with ${status}.`)
  return parse(body)
}

function toFound({ status, start_time, end_time }: Answer, carrier_id: string, now: number): FoundCall {
  const is_answered = status === 'in-progress' || status === 'completed'
  const facts = [
    is_answered ? factOf({ status: 'answered' }, timeOf(start_time, now)) : undefined,
    status === 'in-progress' ? undefined : factOf({ status }, timeOf(end_time, now)),
  ]
  return { carrier_id, is_queued: status === 'queued', facts: facts.flatMap((fact) => fact ?? []) }
}

async function end(at: AtOutside, { channel, carrier_id }: Parameters<Dialer['end']>[1]): Promise<void> {
  const body = new URLSearchParams({ Status: 'completed' }).toString()
  const { status } = await request(at, channel, { method: 'POST', path: `Calls/${carrier_id}.json`, body })
  // Twilio refuses to end a call that is over.
  if (status === 200 || status === 400 || status === 404) return
  throw new OutboundError(`The carrier answered with ${status}.`)
}

interface StatusReport {
  /** The status, in the words of callbacks or of the API. */
  status: unknown
  sip_code?: unknown
  error_code?: unknown
}

/** Returns the fact that a status tells of a call. Reports of the same status have the same key. */
export function factOf({ status, sip_code, error_code }: StatusReport, at: number): Fact | undefined {
  const fact = toFact({ status, sip_code, error_code })
  return fact && { key: fact.kind, at, source: 'carrier', fact }
}

function toFact({ status, sip_code, error_code }: StatusReport): Fact['fact'] | undefined {
  const sip = codeOf(sip_code)
  switch (status) {
    case 'queued':
    case 'initiated':
      return { kind: 'queued' }
    case 'ringing':
      return { kind: 'ringing' }
    case 'answered':
    case 'in-progress':
      return { kind: 'answered' }
    case 'completed':
      return { kind: 'final', final: 'completed' }
    case 'busy':
      return { kind: 'final', final: sip === declined_code ? 'rejected' : 'busy' }
    case 'no-answer':
      return { kind: 'final', final: 'no_answer' }
    case 'canceled':
      return { kind: 'final', final: 'canceled' }
    case 'failed':
      return { kind: 'final', final: finalOfCode(codeOf(error_code)) ?? finalOfSip(sip) }
    default:
      return undefined
  }
}

function finalOfSip(code: number | undefined): Final {
  if (code === declined_code) return 'rejected'
  return code !== undefined && unreachable_codes.includes(code) ? 'unreachable' : 'error'
}

/**
 * Reads a time of Twilio. It has whole seconds, so the end of the second counts: what happened is not before what we
 * have seen in that second.
 */
export function timeOf(text: unknown, now: number): number {
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? now : Math.min(now, time + clock.second_ms - 1)
}
