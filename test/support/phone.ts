import { once } from 'node:events'
import { WebSocket } from 'ws'
import * as channels from '../../server/channels/store.ts'
import { inTransaction } from '../../server/kit/at.ts'
import { account_sid, auth_token } from '../peers/carrier.ts'
import type { PhoneNetwork } from '../peers/phone.ts'
import type { CallEnd, PhoneCall, PhonePerson } from '../peers/phone-call.ts'
import { loudnessOf, type Phrase } from './fake-speech.ts'
import type { Server, Tenant } from './harness.ts'
import { own_number } from './sms.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read any field
type Data = any

/** A telephone channel whose carrier is the peer. */
export const newPhoneChannel = (
  server: Server,
  tenant: Tenant,
  { network, ...fields }: { network: Pick<PhoneNetwork, 'url'>; agent_id: string } & Record<string, unknown>,
): Promise<Data> =>
  inTransaction(server.at(tenant.id), (at) =>
    channels.create(at, {
      name: 'Telephone',
      kind: 'voice',
      provider: 'twilio',
      address: own_number,
      account_sid,
      auth_token,
      api_url: network.url,
      is_api_url_trusted: true,
      ...fields,
    }),
  )

const phrase_ms = 500
const soft_samples = 200

/** Says a phrase that fake speech understands. It begins and ends softly: a sudden change would be louder at another sample rate. */
export function sayPhrase(person: Pick<PhonePerson, 'say' | 'sample_rate'>, phrase: Phrase, ms = phrase_ms) {
  const sound = new Int16Array((person.sample_rate * ms) / 1_000)
  return person.say(
    sound.map(
      (_, index) => Math.min(1, index / soft_samples, (sound.length - index) / soft_samples) * loudnessOf(phrase),
    ),
  )
}

/** Says a phrase again and again until the call ends: what is said before the service listens again is lost. */
export async function insist({ person, ended }: Pick<PhoneCall, 'person' | 'ended'>, phrase: Phrase): Promise<CallEnd> {
  while (!person.is_over) {
    await sayPhrase(person, phrase)
    const said_ms = person.now()
    // `until` rejects when the call ends.
    await person.until('a while has passed', () => person.now() > said_ms + 2_000).catch(() => {})
  }
  return ended
}

/** The calls of the workspace, the newest first. */
export const listCalls = async (tenant: Tenant, query = ''): Promise<Data[]> =>
  (await tenant.call('GET', `/calls?${query}`)).body.data

/** A stream without a person: what a token opens. */
export async function openBareStream(url: string, token: string) {
  const socket = new WebSocket(url)
  const closed = once(socket, 'close').then(([code]) => Number(code))
  const messages: { event: string }[] = []
  socket.on('message', (data) => messages.push(JSON.parse(String(data))))
  await once(socket, 'open')
  const send = (message: object) => socket.send(JSON.stringify(message))
  send({ event: 'connected', protocol: 'Call', version: '1.0.0' })
  const start = { streamSid: 'MZ1', callSid: 'CA1', customParameters: { token } }
  send({ event: 'start', streamSid: 'MZ1', start })
  return { socket, closed, messages, send }
}

export const tokenIn = (twiml: string): string => /name="token" value="([^"]+)"/.exec(twiml)?.[1] ?? ''
