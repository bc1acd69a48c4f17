import { Type } from 'typebox'
import { openOwnerLookup } from '../../channels/owners.ts'
import type { Kind } from '../../channels/schema.ts'
import * as channels from '../../channels/store.ts'
import { type At, system } from '../../kit/at.ts'
import type { RequestHead } from '../../kit/http/door.ts'
import type * as operation from '../../kit/http/operation.ts'
import type { RawAnswer, RawRequest } from '../../kit/http/raw.ts'
import { letOthersRun } from '../../kit/let-others-run.ts'
import type { Db } from '../../kit/postgres/pool.ts'
import { notFound, Problem } from '../../kit/problem.ts'
import { isSigned, signature_length } from './twilio.ts'

/** This file checks what Twilio sends: forms that it signs. */

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
      actor: system,
      is_test,
    }
  }
}

/** A message has a few thousand bytes, and about 30 parameters. */
const form_bytes_max = 64 * 1024
const form_parameters_max = 200

const SignatureHeader = Type.Object({
  'x-twilio-signature': Type.String({ description: 'The signature of the URL and the parameters.' }),
})

const signatureInvalid = () =>
  new Problem('FORBIDDEN', 'The signature is not valid. Check the auth token of the channel, and PUBLIC_URL.')

/** The parts of an operation that takes a signed form. */
export const signed_form = {
  headers: SignatureHeader,
  error_samples: { FORBIDDEN: signatureInvalid() },
  responses: { 200: { description: 'Received.', schema: Type.String() } },
}

export const xml = (text: string): RawAnswer => ({ status: 200, body: { content_type: 'text/xml', text } })

export interface SignedForm {
  channel: channels.StoredChannel
  form: URLSearchParams
}

interface UnreadForm {
  channel_id: string
  kind: Kind
  url: string
  raw: RawRequest
}

/** Returns the form of a request, if the carrier has signed it. */
export async function readSigned(at: At, unread: UnreadForm): Promise<SignedForm> {
  const { channel_id, kind, url, raw } = unread
  const { headers, bytes } = raw
  const channel = await channels.find(at, channel_id)
  if (channel?.provider !== 'twilio' || channel.kind !== kind) throw notFound()
  assertSmall(bytes)
  const token = channels.openAuthToken(at, channel)
  const [signature = '', ...more] = headers['x-twilio-signature'] ?? []
  if (token === undefined || more.length > 0 || signature.length !== signature_length) throw signatureInvalid()
  await letOthersRun({ is_urgent: true })
  const form = new URLSearchParams(bytes.toString('utf8'))
  if (!isSigned(token, { url, form, signature })) throw signatureInvalid()
  return { channel, form }
}

/**
 * Refuses large forms. A form must be parsed before its signature can be checked, so anyone can send one: parsing it
 * must not take long.
 */
function assertSmall(bytes: Buffer): void {
  if (bytes.length > form_bytes_max) throw new Problem('PAYLOAD_TOO_LARGE', 'The form is too large.')
  let parameters = 1
  for (let at = bytes.indexOf('&'); at >= 0 && parameters <= form_parameters_max; at = bytes.indexOf('&', at + 1))
    parameters += 1
  if (parameters > form_parameters_max)
    throw new Problem('PAYLOAD_TOO_LARGE', `The form must have at most ${form_parameters_max} parameters.`)
}
