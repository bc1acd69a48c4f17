import twilio from 'twilio'

/** A request to the service, as it was sent and answered. */
export interface Webhook {
  kind: 'twiml' | 'status' | 'machine'
  /** As it was signed. */
  url: string
  form: Record<string, string>
  /** Wall time. */
  at: number
  /** Undefined if there was no answer. */
  status: number | undefined
  body: string
}

/** `no_connection`: nobody has accepted it. `no_answer`: it was lost, or took too long. `status`: it is not one of success. */
export type Failure = 'no_connection' | 'no_answer' | 'status'

export interface WebhookOptions {
  auth_token: string
  /** Where a URL is really reached, such as a process behind it. It is signed as it was given. */
  route?: ((url: string) => string) | undefined
  /** What is tried once more. Twilio's default is `no_connection`. */
  isTriedAgain?: ((failure: Failure) => boolean) | undefined
}

/** As Twilio. */
const timeout_ms = 15_000
const without_connection = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT']

/** Posts a form that the official package has signed. Returns undefined if it has failed for good. Each try is a line of `sent`. */
export async function postWebhook(
  { kind, url, form }: Pick<Webhook, 'kind' | 'url' | 'form'>,
  { auth_token, route, isTriedAgain }: WebhookOptions,
  sent: Webhook[],
): Promise<{ body: string; content_type: string } | undefined> {
  for (let tries = 1; ; tries += 1) {
    const webhook: Webhook = { kind, url, form, at: Date.now(), status: undefined, body: '' }
    sent.push(webhook)
    const failure = await post(route?.(url) ?? url, signUrl(auth_token, url, form), webhook)
    if (typeof failure === 'object') return failure
    const may_try = isTriedAgain ? isTriedAgain(failure) : failure === 'no_connection'
    if (tries === 2 || !may_try) return undefined
  }
}

async function post(
  url: string,
  signature: string,
  webhook: Webhook,
): Promise<Failure | { body: string; content_type: string }> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
        'x-twilio-signature': signature,
        'user-agent': 'TwilioProxy/1.1',
        accept: '*/*',
      },
      body: new URLSearchParams(webhook.form).toString(),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeout_ms),
    })
    webhook.body = await response.text()
    webhook.status = response.status
    return response.ok
      ? { body: webhook.body, content_type: response.headers.get('content-type') ?? '' }
      : ('status' as const)
  } catch (error) {
    const { code } = Object(Object(error).cause)
    return without_connection.includes(code) ? 'no_connection' : 'no_answer'
  }
}

export const signUrl = (auth_token: string, url: string, form: Record<string, string> = {}): string =>
  twilio.getExpectedTwilioSignature(auth_token, url, form)
