import { SignatureError } from './errors.ts'
import type { WebhookEvent } from './types.ts'

const secret_prefix = 'whsec_'
const tolerance_ms = 5 * 60_000
const signatures_max = 20

/** The headers of a request: of `fetch`, or as Node and its frameworks have them, with names in lower case. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>

/**
 * Checks that the service has sent this request, and returns its event. `body` must be what was received, before it is parsed.
 * Rejects with a SignatureError if no signature matches or the request is more than five minutes old.
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string,
): Promise<WebhookEvent> {
  if (typeof body !== 'string' && !(body instanceof ArrayBuffer) && !ArrayBuffer.isView(body))
    throw new TypeError('The body has been parsed. Pass the raw body, as it was received.')
  const header = (name: string) => String((headers instanceof Headers ? headers.get(name) : headers[name]) ?? '')
  const id = header('webhook-id')
  const timestamp = header('webhook-timestamp')
  const signatures = header('webhook-signature')
  if (!id || !timestamp || !signatures)
    throw new SignatureError('The headers webhook-id, webhook-timestamp and webhook-signature are needed.')
  // A comparison with NaN is false, so a timestamp that is no number is refused, too.
  if (!(Math.abs(Date.now() - Number(timestamp) * 1_000) <= tolerance_ms))
    throw new SignatureError('webhook-timestamp is more than five minutes before or after the current time.')
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body)
  const signed = await new Blob([`${id}.${timestamp}.`, bytes]).arrayBuffer()
  const key = await toKey(secret)
  for (const signature of signatures.split(' ', signatures_max)) {
    if (!signature.startsWith('v1,')) continue
    const mac = fromBase64(signature.slice(3))
    // `verify` takes the same time for every wrong signature.
    if (mac && (await crypto.subtle.verify('HMAC', key, mac, signed)))
      return JSON.parse(new TextDecoder().decode(bytes))
  }
  throw new SignatureError('No signature in webhook-signature matches the secret and the body.')
}

function toKey(secret: string): Promise<CryptoKey> {
  const bytes = secret.startsWith(secret_prefix) ? fromBase64(secret.slice(secret_prefix.length)) : undefined
  if (!bytes) throw new TypeError('The secret must be the one of the webhook, whsec_...')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

/** Decodes Base64. Returns undefined for other text. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
