import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Standard Webhooks, https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */

const prefix = 'whsec_'
const secret_bytes = 32
const tolerance_ms = 5 * 60 * 1000
const signatures_max = 20

export const newSecret = (): string => prefix + randomBytes(secret_bytes).toString('base64')

/** 24 to 64 bytes in base64. */
export const secret_pattern = '^whsec_([A-Za-z0-9+/]{4}){8,21}([A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?$'
const secret_form = new RegExp(secret_pattern)

export const isSecret = (text: string): boolean => secret_form.test(text)

/** One signature for each secret. */
export function signed(secrets: string[], id: string, time_ms: number, body: string): Record<string, string> {
  const timestamp = String(Math.floor(time_ms / 1000))
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => signatureOf(secret, id, timestamp, body)).join(' '),
  }
}

export function signatureOf(secret: string, id: string, timestamp: string, body: string | Buffer): string {
  const key = Buffer.from(secret.slice(prefix.length), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`
}

/** What came, as its headers say. */
export interface Signed {
  id: string
  timestamp: string
  signatures: string
  body: Buffer
}

/** Why it is not what the sender has sent just now; undefined when it is. */
export function signatureFault(secret: string, said: Signed, now: number): string | undefined {
  const { id, timestamp, signatures, body } = said
  const sent_at = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) * 1000 : Number.NaN
  if (id === '') return 'The header webhook-id is missing.'
  if (Number.isNaN(sent_at)) return 'The header webhook-timestamp is missing, or no number of seconds.'
  if (signatures === '') return 'The header webhook-signature is missing.'
  if (Math.abs(now - sent_at) > tolerance_ms) return 'webhook-timestamp is more than five minutes away from now.'
  const expected = signatureOf(secret, id, timestamp, body)
  const is_signed = signatures.split(' ', signatures_max).some((given) => isSame(given, expected))
  return is_signed ? undefined : 'No signature in webhook-signature fits the secret and the body.'
}

/** In the same time wherever they differ. */
export function isSame(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)]
  return one.length === other.length && timingSafeEqual(one, other)
}
