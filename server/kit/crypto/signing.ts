import { createHmac, type Hmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Standard Webhooks: https://www.standardwebhooks.com */
export interface Message {
  id: string
  /** Unix time in seconds, as text. */
  timestamp: string
  body: string | Buffer
}

const secret_prefix = 'whsec_'
const secret_bytes = 32
export const tolerance_ms = 5 * 60 * 1000
const signatures_max = 20

export const newSigningSecret = (): string => secret_prefix + randomBytes(secret_bytes).toString('base64')

/** `whsec_`, then 24 to 64 bytes in base64. */
export const signing_secret_pattern = '^whsec_([A-Za-z0-9+/]{4}){8,21}([A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?$'
const secret_format = new RegExp(signing_secret_pattern)

export const isSigningSecret = (text: string): boolean => secret_format.test(text)

/** Makes one signature of the `webhook-signature` header. */
export const sign = (secret: string, message: Message): string =>
  `v1,${createMessageHmac(secret, message).digest('base64')}`

function createMessageHmac(secret: string, { id, timestamp, body }: Message): Hmac {
  const key = Buffer.from(secret.slice(secret_prefix.length), 'base64')
  return createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body)
}

/** Why the message is rejected: not signed by the sender, or too old. Undefined when it is valid. */
export function signatureFault(
  secret: string,
  { signatures, ...message }: Message & { signatures: string },
  now: number,
): string | undefined {
  const sent_at = /^\d{1,12}$/.test(message.timestamp) ? Number(message.timestamp) * 1000 : Number.NaN
  if (message.id === '') return 'The header webhook-id is missing.'
  if (Number.isNaN(sent_at)) return 'The header webhook-timestamp is missing or not a number of seconds.'
  if (signatures === '') return 'The header webhook-signature is missing.'
  if (Math.abs(now - sent_at) > tolerance_ms)
    return 'webhook-timestamp is more than five minutes before or after the current time.'
  if (isSigned(secret, message, signatures)) return undefined
  return 'No signature in webhook-signature matches the secret and the body.'
}

/** Whether one of the space-separated signatures was made with the secret. */
export function isSigned(secret: string, message: Message, signatures: string): boolean {
  const expected = createMessageHmac(secret, message).digest()
  return signatures
    .split(' ', signatures_max)
    .filter((one) => one.startsWith('v1,'))
    .map((one) => Buffer.from(one.slice(3), 'base64'))
    .some((mac) => mac.length === expected.length && timingSafeEqual(mac, expected))
}
