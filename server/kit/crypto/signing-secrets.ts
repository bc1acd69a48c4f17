import * as clock from '../clock.ts'
import { type Message, sign } from './signing.ts'

/** How long the previous secret still signs after a rotation. */
export const overlap_ms = 24 * 60 * 60 * 1000

/** The encrypted secrets that sign requests to one URL. */
export interface SealedSecrets {
  secret: string
  previous_secret: string | null
  previous_secret_until: string | null
}

/** Decrypts the current secret, and for a day after a rotation the previous one. Skips those encrypted with another SECRETS_KEY. */
export function signingSecrets(sealed: SealedSecrets, open: (text: string) => string, now: number): string[] {
  const { secret, previous_secret, previous_secret_until } = sealed
  const is_overlap = previous_secret && previous_secret_until && clock.parse(previous_secret_until) > now
  return [secret, ...(is_overlap ? [previous_secret] : [])].flatMap((one) => {
    try {
      return open(one)
    } catch {
      return []
    }
  })
}

/** The headers of Standard Webhooks, with a signature for each secret. */
export function signedHeaders(secrets: string[], id: string, body: string): Record<string, string> {
  const message: Message = { id, timestamp: String(Math.floor(clock.wall() / 1000)), body }
  return {
    'webhook-id': message.id,
    'webhook-timestamp': message.timestamp,
    'webhook-signature': secrets.map((secret) => sign(secret, message)).join(' '),
  }
}

export const unreadable_secret =
  'The secret was encrypted with another SECRETS_KEY. Set that key as SECRETS_KEY_PREVIOUS, or rotate the secret.'
