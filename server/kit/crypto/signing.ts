import { createHmac, type Hmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Standard Webhooks: https://www.standardwebhooks.com */
export interface Message {
  id: string
  /** Seconds since 1970, as text. */
  timestamp: string
  body: string | Buffer
}

const secret_prefix = 'whsec_'
const secret_bytes = 32
export const tolerance_ms = 5 * 60 * 1000
const signatures_max = 20

export const newSigningSecret = (): string => secret_prefix + randomBytes(secret_bytes).toString('base64')

/** `whsec_` and 24 to 64 bytes in base64. */
export const signing_secret_pattern = '^whsec_([A-Za-z0-9+/]{4}){8,21}([A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?$'
const secret_form = new RegExp(signing_secret_pattern)

export const isSigningSecret = (text: string): boolean => secret_form.test(text)

/** What `webhook-signature` holds for one secret. */
export const sign = (secret: string, message: Message): string => `v1,${hmacOf(secret, message).digest('base64')}`

function hmacOf(secret: string, { id, timestamp, body }: Message): Hmac {
  const key = Buffer.from(secret.slice(secret_prefix.length), 'base64')
  return createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body)
}

/** Why the message is not the sender's own, or too old to count; undefined when it is fine. */
export function signatureFault(
  secret: string,
  { signatures, ...message }: Message & { signatures: string },
  now: number,
): string | undefined {
  const sent_at = /^\d{1,12}$/.test(message.timestamp) ? Number(message.timestamp) * 1000 : Number.NaN
  if (message.id === '') return 'The header webhook-id is missing.'
  if (Number.isNaN(sent_at)) return 'The header webhook-timestamp is missing, or no number of seconds.'
  if (signatures === '') return 'The header webhook-signature is missing.'
  if (Math.abs(now - sent_at) > tolerance_ms) return 'webhook-timestamp is more than five minutes away from now.'
  if (isSigned(secret, message, signatures)) return undefined
  return 'No signature in webhook-signature fits the secret and the body.'
}

/** Whether one of the signatures, which blanks separate, is made with the secret. */
export function isSigned(secret: string, message: Message, signatures: string): boolean {
  const expected = hmacOf(secret, message).digest()
  return signatures
    .split(' ', signatures_max)
    .filter((one) => one.startsWith('v1,'))
    .map((one) => Buffer.from(one.slice(3), 'base64'))
    .some((mac) => mac.length === expected.length && timingSafeEqual(mac, expected))
}
