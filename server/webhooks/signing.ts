import { createHmac, randomBytes } from 'node:crypto'

/** Standard Webhooks, https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */

const prefix = 'whsec_'
const secret_bytes = 32

export const newSecret = (): string => prefix + randomBytes(secret_bytes).toString('base64')

/** One signature for each secret. */
export function signed(secrets: string[], id: string, time_ms: number, body: string): Record<string, string> {
  const timestamp = String(Math.floor(time_ms / 1000))
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => signatureOf(secret, id, timestamp, body)).join(' '),
  }
}

export function signatureOf(secret: string, id: string, timestamp: string, body: string): string {
  const key = Buffer.from(secret.slice(prefix.length), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}
