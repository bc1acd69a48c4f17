import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import twilio from 'twilio'
import * as channels from '../../server/channels/store.ts'
import { inTransaction } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { account_sid, auth_token, type FakeCarrier, openCarrier } from '../peers/carrier.ts'
import type { Server, Tenant } from './harness.ts'
import { newAgent as sampleAgent } from './samples.ts'

export const own_number = '+14155550100'

// biome-ignore lint/suspicious/noExplicitAny: tests read any field
type Data = any

/** A channel whose carrier is the fake one. */
export async function newSmsChannel(
  server: Server,
  tenant: Tenant,
  { carrier, agent_id, ...fields }: { carrier: FakeCarrier; agent_id?: string } & Record<string, unknown>,
): Promise<Data> {
  const answering = agent_id ?? (await tenant.call('POST', '/agents', sampleAgent())).body.data.id
  return inTransaction(server.at(tenant.id), (at) =>
    channels.create(at, {
      name: 'SMS',
      kind: 'sms',
      provider: 'twilio',
      address: own_number,
      agent_id: answering,
      account_sid,
      auth_token,
      api_url: carrier.url,
      is_api_url_trusted: true,
      ...fields,
    }),
  )
}

/** The parameters of a message from a telephone. */
export const inboundForm = (text: string, { from = '+14155550123', sid = newSid() } = {}): Record<string, string> => ({
  MessageSid: sid,
  SmsSid: sid,
  AccountSid: account_sid,
  From: from,
  To: own_number,
  Body: text,
  NumMedia: '0',
  NumSegments: '1',
  ApiVersion: '2010-04-01',
})

export const newSid = (): string => `SM${randomBytes(16).toString('hex')}`

/** Returns the signature that the official package makes. */
export const signatureOf = (url: string, form: Record<string, string>, token = auth_token): string =>
  twilio.getExpectedTwilioSignature(token, url, form)

/** Posts a form as a carrier does. */
export async function postSigned(
  tenant: Tenant,
  url: string,
  form: Record<string, string>,
  signature = signatureOf(url, form),
) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature }
  return tenant.send(url, new URLSearchParams(form).toString(), headers)
}

/** A message from a telephone to the channel. */
export async function text(tenant: Tenant, channel: Data, words: string, more: { from?: string; sid?: string } = {}) {
  const answer = await postSigned(tenant, channel.inbound_url, inboundForm(words, more))
  assert.equal(answer.status, 200, answer.text)
  return answer
}

/** Exchanges messages: one that arrives, one that is delivered, and one that fails. */
export async function exchangeMessages(server: Server, tenant: Tenant): Promise<void> {
  const carrier = await openCarrier({
    troubleFor: (form) => (form.get('To') === '+14155550199' ? { status: 400, code: 21211 } : undefined),
  })
  const agent_id = (await tenant.call('POST', '/agents', { name: 'Texts', greeting: 'Hello' })).body.data.id
  const channel = await newSmsChannel(server, tenant, { carrier, agent_id })
  await text(tenant, channel, 'Hi')
  await text(tenant, channel, 'Hi', { from: '+14155550199' })
  await tenant.work(clock.wall() + 3_000)
  const [sent] = carrier.messages
  const form = { MessageSid: sent?.sid ?? '', MessageStatus: 'delivered' }
  await postSigned(tenant, sent?.status_callback ?? '', form)
  await carrier.close()
}
