import { Type } from 'typebox'
import { openOwnerLookup } from '../../channels/owners.ts'
import * as channels from '../../channels/store.ts'
import { wordOf } from '../../consent/words.ts'
import { isPhoneNumber } from '../../contacts/phone.ts'
import type { At } from '../../kit/at.ts'
import { id } from '../../kit/field.ts'
import type { RequestHead } from '../../kit/http/door.ts'
import * as operation from '../../kit/http/operation.ts'
import type { RawAnswer, RawRequest } from '../../kit/http/raw.ts'
import { letOthersRun } from '../../kit/let-others-run.ts'
import type { Db } from '../../kit/postgres/pool.ts'
import { notFound, Problem } from '../../kit/problem.ts'
import { type CarrierOptOut, recordCarrierOptOuts } from '../../messages/carrier-opt-outs.ts'
import type { Inbound } from '../../messages/inbound.ts'
import { receive } from '../../messages/receive.ts'
import { type MessageReport, record } from '../../messages/reports.ts'
import { codeOf, inboundUrl, isCarrierId, isOptOut, isSigned, signature_length, statusOf, statusUrl } from './twilio.ts'

/** Identifies the channel by the id in its URL. The signature is checked with the body. */
export function identifyChannel(db: Db): (head: RequestHead, now: number) => Promise<operation.Caller> {
  const find = openOwnerLookup(db)
  return async ({ params: { channel_id = '' } }, now) => {
    const owner = await find(channel_id, now)
    if (!owner) throw notFound()
    const { workspace_id: workspace, is_test } = owner
    return {
      id: channel_id,
      workspace,
      scopes: { has: () => false, is_open: false },
      authenticated_by: 'token',
      is_test,
    }
  }
}

/** A message has a few thousand bytes, and about 30 parameters. */
const form_bytes_max = 64 * 1024
const form_parameters_max = 200
/** Carriers send ten at most. */
const attachments_max = 999

const ByChannel = Type.Object({ channel_id: id('The channel.') })
const ByMessage = Type.Object({ channel_id: id('The channel.'), message_id: id('The message.') })

const SignatureHeader = Type.Object({
  'x-twilio-signature': Type.String({ description: 'The signature of the URL and the parameters.' }),
})

const xml = (text: string): RawAnswer => ({ status: 200, body: { content_type: 'text/xml', text } })

/** Agents answer in the background. */
const nothing_to_say = xml('<Response/>')

/** The carrier sends this to the sender, by the service that the message came from. */
const replyWith = (text: string): RawAnswer =>
  xml(`<Response><Message>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</Message></Response>`)

const signatureInvalid = () =>
  new Problem('FORBIDDEN', 'The signature is not valid. Check the auth token of the channel, and PUBLIC_URL.')

const responses = { 200: { description: 'Received.', schema: Type.String() } }
const error_samples = { FORBIDDEN: signatureInvalid() }

/** Served at the URLs of SMS channels, for carriers. */
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
    headers: SignatureHeader,
    errors: ['VALIDATION_ERROR', 'FORBIDDEN', 'NOT_FOUND', 'INVALID_STATE'],
    error_samples,
    responses,
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
    headers: SignatureHeader,
    errors: ['FORBIDDEN', 'NOT_FOUND'],
    error_samples,
    responses,
    before: readStatus,
    runMany: receiveStatuses,
  }),
]

type Requests<Params> = { request: operation.ValidRequest<Params> }[]

interface Signed {
  channel: channels.StoredChannel
  form: URLSearchParams
}

interface Unread {
  channel_id: string
  url: string
  raw: RawRequest
}

/** The form of a request, if the carrier has signed it. */
async function readSigned(at: At, { channel_id, url, raw: { headers, bytes } }: Unread): Promise<Signed> {
  const channel = await channels.find(at, channel_id)
  if (channel?.provider !== 'twilio' || channel.kind !== 'sms') throw notFound()
  assertSmall(bytes)
  const token = channels.openAuthToken(at, channel)
  const [signature = '', ...more] = headers['x-twilio-signature'] ?? []
  if (token === undefined || more.length > 0 || signature.length !== signature_length) throw signatureInvalid()
  await letOthersRun({ is_urgent: true })
  const form = new URLSearchParams(bytes.toString('utf8'))
  if (!isSigned(token, { url, form, signature })) throw signatureInvalid()
  return { channel, form }
}

/** The form must be parsed before its signature can be checked, so anyone can send one: parsing it must not take long. */
function assertSmall(bytes: Buffer): void {
  if (bytes.length > form_bytes_max) throw new Problem('PAYLOAD_TOO_LARGE', 'The form is too large.')
  let parameters = 1
  for (let at = bytes.indexOf('&'); at >= 0 && parameters <= form_parameters_max; at = bytes.indexOf('&', at + 1))
    parameters += 1
  if (parameters > form_parameters_max)
    throw new Problem('PAYLOAD_TOO_LARGE', `The form must have at most ${form_parameters_max} parameters.`)
}

/** Undefined for a message that is ignored: a disabled channel receives none. Words such as STOP always count. */
async function readMessage(
  at: At,
  { params: { channel_id } }: operation.ValidRequest<{ channel_id: string }>,
  raw: RawRequest,
): Promise<Inbound | undefined> {
  const { channel, form } = await readSigned(at, {
    channel_id,
    url: inboundUrl(at.tools.address(), channel_id),
    raw,
  })
  const carrier_id = form.get('MessageSid') ?? ''
  const from = form.get('From') ?? ''
  if (!isCarrierId(carrier_id) || !/^[^\p{Cc}]{1,100}$/u.test(from))
    throw new Problem('VALIDATION_ERROR', 'MessageSid and From are required.', { fields: [] })
  // Another service than SMS is named before both numbers.
  const [service = ''] = /^[a-z]+:/.exec(from) ?? []
  if (form.get('To') !== `${service}${channel.address}`)
    throw new Problem('VALIDATION_ERROR', 'To must be the number of the channel.', { fields: [] })
  const [media = '0'] = /^\d+$/.exec(form.get('NumMedia') ?? '') ?? []
  const attachments = Math.min(Number(media), attachments_max)
  const text = (form.get('Body') ?? '').trim()
  // A message to oneself would be answered for ever.
  const is_ignored =
    from === `${service}${channel.address}` || (channel.status === 'disabled' && wordOf(text) === undefined)
  if (is_ignored) return undefined
  return { channel, carrier_id, from, text, attachments }
}

async function receiveAll(at: At, requests: Requests<{ channel_id: string }>): Promise<RawAnswer[]> {
  // What `readMessage` has returned.
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
  const { form } = await readSigned(at, { channel_id, url, raw })
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
  // What `readStatus` has returned.
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
