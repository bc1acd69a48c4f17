import { Type } from 'typebox'
import { openOwnerLookup } from '../channels/owners.ts'
import * as channels from '../channels/store.ts'
import { record } from '../conversations/message-reports.ts'
import { type Inbound, receive } from '../conversations/receive.ts'
import type { At } from '../kit/at.ts'
import { id } from '../kit/field.ts'
import type { RequestHead } from '../kit/http/door.ts'
import * as operation from '../kit/http/operation.ts'
import type { RawAnswer, RawRequest } from '../kit/http/raw.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { notFound, Problem } from '../kit/problem.ts'
import { inboundUrl, isSigned, statusOf, statusUrl } from './twilio.ts'

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

const ByChannel = Type.Object({ channel_id: id('The channel.') })
const ByMessage = Type.Object({ channel_id: id('The channel.'), message_id: id('The message.') })

const SignatureHeader = Type.Object({
  'x-twilio-signature': Type.String({ description: 'The signature of the URL and the parameters.' }),
})

/** No answer goes out with the response: agents answer in the background. */
const nothing_to_say = { status: 200, body: { content_type: 'text/xml', text: '<Response/>' } }

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
      'its sender. A message that comes again has no effect.',
    params: ByChannel,
    headers: SignatureHeader,
    errors: ['VALIDATION_ERROR', 'FORBIDDEN', 'NOT_FOUND', 'INVALID_STATE'],
    error_samples,
    responses,
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
    runMany: receiveStatuses,
  }),
]

type Calls<Params> = { call: operation.Call<Params>; request: RawRequest }[]

async function receiveAll(at: At, calls: Calls<{ channel_id: string }>): Promise<(RawAnswer | Problem)[]> {
  const parsed = await Promise.all(
    calls.map(async ({ call: { params }, request }) => {
      const url = inboundUrl(at.tools.address(), params.channel_id)
      const signed = await readSigned(at, { channel_id: params.channel_id, url, request })
      return signed instanceof Problem ? signed : toInbound(signed)
    }),
  )
  const messages = parsed.filter((one): one is Inbound => !(one instanceof Problem))
  if (messages.length > 0) await receive(at, messages)
  return parsed.map((one) => (one instanceof Problem ? one : nothing_to_say))
}

interface Signed {
  channel: channels.StoredChannel
  form: URLSearchParams
}

interface Unread {
  channel_id: string
  url: string
  request: RawRequest
}

async function readSigned(at: At, { channel_id, url, request: { headers, bytes } }: Unread): Promise<Signed | Problem> {
  const channel = await channels.find(at, channel_id)
  if (channel?.provider !== 'twilio') return notFound()
  const form = new URLSearchParams(bytes.toString('utf8'))
  const token = channels.openAuthToken(at, channel)
  const [signature = '', ...more] = headers['x-twilio-signature'] ?? []
  const is_valid = token !== undefined && more.length === 0 && isSigned(token, { url, form, signature })
  return is_valid ? { channel, form } : signatureInvalid()
}

function toInbound({ channel, form }: Signed): Inbound | Problem {
  const carrier_id = form.get('MessageSid') ?? ''
  const from = form.get('From') ?? ''
  if (carrier_id === '' || carrier_id.length > 100 || from === '' || from.length > 100)
    return new Problem('VALIDATION_ERROR', 'MessageSid and From are required.', { fields: [] })
  if (form.get('To') !== channel.address)
    return new Problem('VALIDATION_ERROR', 'To must be the number of the channel.', { fields: [] })
  const attachments = Number(form.get('NumMedia') ?? 0)
  const text = (form.get('Body') ?? '').trim()
  return { channel, carrier_id, from, text: text === '' && attachments > 0 ? '[attachment]' : text }
}

async function receiveStatuses(
  at: At,
  calls: Calls<{ channel_id: string; message_id: string }>,
): Promise<(RawAnswer | Problem)[]> {
  const parsed = await Promise.all(
    calls.map(async ({ call: { params }, request }) => {
      const { channel_id, message_id } = params
      const url = statusUrl(at.tools.address(), channel_id, message_id)
      const signed = await readSigned(at, { channel_id, url, request })
      return signed instanceof Problem ? signed : { id: message_id, ...toReport(signed) }
    }),
  )
  await record(
    at,
    parsed.filter((one) => !(one instanceof Problem)),
  )
  return parsed.map((one) => (one instanceof Problem ? one : nothing_to_say))
}

function toReport({ form }: Signed) {
  const code = form.get('ErrorCode')
  const carrier_id = form.get('MessageSid')?.slice(0, 100)
  return { carrier_id, ...statusOf(form.get('MessageStatus'), code ? `The carrier's error ${code}` : null) }
}
