import { Type } from 'typebox'
import { askingOf } from '../../consent/written.ts'
import { isPhoneNumber } from '../../contacts/phone.ts'
import type { At } from '../../kit/at.ts'
import { id } from '../../kit/field.ts'
import * as operation from '../../kit/http/operation.ts'
import type { RawAnswer, RawRequest } from '../../kit/http/raw.ts'
import { Problem } from '../../kit/problem.ts'
import { type CarrierOptOut, recordCarrierOptOuts } from '../../messages/carrier-opt-outs.ts'
import type { Inbound } from '../../messages/inbound.ts'
import { receive } from '../../messages/receive.ts'
import { type MessageReport, record } from '../../messages/reports.ts'
import { codeOf, isCarrierId } from './rest.ts'
import { readSigned, signed_form, xml } from './signed-forms.ts'
import { inboundUrl, isOptOut, statusOf, statusUrl } from './twilio.ts'

/** Carriers send ten attachments at most. */
const attachments_max = 999

const ByChannel = Type.Object({ channel_id: id('The channel.') })
const ByMessage = Type.Object({ channel_id: id('The channel.'), message_id: id('The message.') })

/** The empty answer to a message: agents answer in the background. */
const nothing_to_say = xml('<Response/>')

/** Answers with a text, which the carrier sends to the sender by the service that the message came from. */
const replyWith = (text: string): RawAnswer =>
  xml(`<Response><Message>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</Message></Response>`)

/** The operations at the URLs of SMS channels, for carriers. */
export const sms_operations: operation.Operation[] = [
  operation.raw({
    id: 'channels.receive_sms',
    path: '/sms/:channel_id',
    summary: 'Receive a message from a carrier',
    description:
      'The `inbound_url` of an SMS channel, as a form that Twilio signs. Each message becomes a turn of the conversation with ' +
      'its sender. A message that comes again has no effect. Attachments are not kept: the turn says how many there were. Who ' +
      'writes by WhatsApp is told, once, to write by SMS.',
    params: ByChannel,
    errors: ['VALIDATION_ERROR', 'FORBIDDEN', 'NOT_FOUND', 'INVALID_STATE'],
    ...signed_form,
    before: readMessage,
    runMany: receiveAll,
  }),
  operation.raw({
    id: 'channels.receive_sms_status',
    path: '/sms/:channel_id/status/:message_id',
    summary: 'Receive the status of a message from a carrier',
    description:
      'Carriers report here what has become of a message. Reports may come in any order, and more than once.',
    params: ByMessage,
    errors: ['FORBIDDEN', 'NOT_FOUND'],
    ...signed_form,
    before: readStatus,
    runMany: receiveStatuses,
  }),
]

type Requests<Params> = { request: operation.ValidRequest<Params> }[]

/**
 * Returns undefined for a message that is ignored. A disabled channel receives none, except words such as STOP, which
 * always count.
 */
async function readMessage(
  at: At,
  { params: { channel_id } }: operation.ValidRequest<{ channel_id: string }>,
  raw: RawRequest,
): Promise<Inbound | undefined> {
  const { channel, form } = await readSigned(at, {
    channel_id,
    kind: 'sms',
    url: inboundUrl(at.tools.address(), channel_id),
    raw,
  })
  const carrier_id = form.get('MessageSid') ?? ''
  const from = form.get('From') ?? ''
  if (!isCarrierId(carrier_id) || !/^[^\p{Cc}]{1,100}$/u.test(from))
    throw new Problem('VALIDATION_ERROR', 'MessageSid and From are required.', { fields: [] })
  // A carrier names another service than SMS before both numbers.
  const [service = ''] = /^[a-z]+:/.exec(from) ?? []
  if (form.get('To') !== `${service}${channel.address}`)
    throw new Problem('VALIDATION_ERROR', 'To must be the number of the channel.', { fields: [] })
  const [media = '0'] = /^\d+$/.exec(form.get('NumMedia') ?? '') ?? []
  const attachments = Math.min(Number(media), attachments_max)
  const text = (form.get('Body') ?? '').trim()
  // A message to oneself would be answered for ever.
  const is_ignored =
    from === `${service}${channel.address}` || (channel.status === 'disabled' && !askingOf(text, { by_sms: true }))
  if (is_ignored) return undefined
  return { channel, carrier_id, from, text, attachments }
}

async function receiveAll(at: At, requests: Requests<{ channel_id: string }>): Promise<RawAnswer[]> {
  // The casts are true because `readMessage` has returned this.
  const prepared = requests.map(({ request }) => request.prepared as Inbound | undefined)
  const messages = prepared.flatMap((message) => message ?? [])
  const replies = messages.length > 0 ? await receive(at, messages) : new Map<Inbound, string>()
  return prepared.map((message) => {
    const reply = message && replies.get(message)
    return reply === undefined ? nothing_to_say : replyWith(reply)
  })
}

interface StatusReport {
  report: MessageReport
  opt_out: CarrierOptOut | undefined
}

async function readStatus(
  at: At,
  { params: { channel_id, message_id } }: operation.ValidRequest<{ channel_id: string; message_id: string }>,
  raw: RawRequest,
): Promise<StatusReport> {
  const url = statusUrl(at.tools.address(), channel_id, message_id)
  const { form } = await readSigned(at, { channel_id, kind: 'sms', url, raw })
  const code = codeOf(form.get('ErrorCode'))
  const sid = form.get('MessageSid')
  const carrier_id = isCarrierId(sid) ? sid : undefined
  const status = statusOf(form.get('MessageStatus'), code === undefined ? null : `The carrier's error ${code}`)
  const phone_number = form.get('To') ?? ''
  const opts_out = isOptOut(code) && isPhoneNumber(phone_number)
  return {
    report: { id: message_id, channel_id, carrier_id, ...status },
    opt_out: opts_out ? { phone_number, message_id } : undefined,
  }
}

async function receiveStatuses(
  at: At,
  requests: Requests<{ channel_id: string; message_id: string }>,
): Promise<RawAnswer[]> {
  // The casts are true because `readStatus` has returned this.
  const reports = requests.map(({ request }) => request.prepared as StatusReport)
  await record(
    at,
    reports.map(({ report }) => report),
  )
  await recordCarrierOptOuts(
    at,
    reports.flatMap(({ opt_out }) => opt_out ?? []),
  )
  return requests.map(() => nothing_to_say)
}
