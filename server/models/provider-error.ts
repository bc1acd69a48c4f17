import * as clock from '../kit/clock.ts'
import { membersOf } from '../kit/json.ts'
import { withoutSecrets } from './without-secrets.ts'

/** The provider has answered with an error, or with something that its API doesn't define. */
export class ProviderError extends Error {
  /**
   * The status of the response, or the one that it would have if the error had not come in the middle of an answer.
   */
  readonly status: number
  /** What the provider says about the error, as one line without keys. */
  readonly said: string | null
  /** The provider's name for the error, such as `insufficient_quota`. */
  readonly code: string | null
  /** After how long the request may be repeated, if the provider says so. */
  readonly retry_after_ms: number | null
  /** The part of the request that is wrong, if the provider names it apart. */
  readonly param: string | null
  /** The setting of the request that the provider refuses. */
  refused_setting: string | null = null

  constructor({ status, said, code, retry_after_ms, param }: Omit<ProviderError, keyof Error | 'refused_setting'>) {
    super(`the provider answered with the status ${status}`)
    this.name = 'ProviderError'
    this.status = status
    this.said = said
    this.code = code
    this.retry_after_ms = retry_after_ms
    this.param = param
  }
}

interface ErrorResponse {
  status: number
  /** The parsed body, or what a stream has sent instead of a part of the answer. */
  value: unknown
  retry_after?: string | undefined
  api_key: string
}

export function toProviderError({ status, value, retry_after, api_key }: ErrorResponse): ProviderError {
  const retry_after_ms = retry_after === undefined ? null : waitOf(retry_after)
  const body = membersOf(Array.isArray(value) ? value[0] : value)
  // Deepgram calls the message `err_msg`, and ElevenLabs has an object `detail`.
  const { error, message, detail, err_msg, err_code } = body
  const members = membersOf(error)
  const details = membersOf(detail)
  const texts = [members.message, error, message, detail, details.message, err_msg]
  const text = texts.find((one) => typeof one === 'string')
  const said = text === undefined ? '' : withoutSecrets(text, api_key)
  return new ProviderError({
    status: status < 300 ? (statusOf(members) ?? statusOf(body) ?? status) : status,
    said: said === '' ? null : said,
    code:
      codeOf(members, api_key) ??
      codeOf(body, api_key) ??
      codeOf({ code: details.status, type: err_code }, api_key) ??
      null,
    retry_after_ms,
    param: typeof members.param === 'string' ? members.param.slice(0, param_length_max) : null,
  })
}

/** Returns undefined if it is no JSON: a provider may answer with anything. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the wait that a header asks for. It has seconds or a date. */
function waitOf(retry_after: string): number | null {
  const wait_ms = /^\d{1,9}$/.test(retry_after) ? Number(retry_after) * 1_000 : Date.parse(retry_after) - clock.wall()
  return Number.isNaN(wait_ms) ? null : Math.max(0, wait_ms)
}

/** The status of an error by its name, as OpenAI, Anthropic and servers like theirs use it. */
const statuses: [RegExp, number][] = [
  [/rate_?limit|quota|too_many_requests|resource_exhausted/i, 429],
  [/api_key|authentication|unauthorized|unauthenticated/i, 401],
  [/permission|forbidden/i, 403],
  [/not_found/i, 404],
  [/overloaded|unavailable/i, 503],
  [/context_length|invalid|too_large|bad_request/i, 400],
  [/server|api_error|internal|timeout/i, 500],
]

function statusOf({ status, status_code, code, type }: Record<string, unknown>): number | undefined {
  const given = [status, status_code, code, type].filter((one) => typeof one === 'number' || typeof one === 'string')
  const number = given.map(Number).find((one) => Number.isInteger(one) && one >= 400 && one <= 599)
  const name = given.map((one) => String(one).slice(0, 100)).join(' ')
  return number ?? statuses.find(([pattern]) => pattern.test(name))?.[1]
}

const param_length_max = 100
const code_pattern = /^[a-z][\w.-]{1,59}$/i

/** Returns one word without keys and numbers, or undefined. */
function codeOf({ code, type }: Record<string, unknown>, api_key: string): string | undefined {
  const found = [code, type].find((one) => typeof one === 'string' && code_pattern.test(one))
  return typeof found === 'string' && withoutSecrets(found, api_key) === found ? found : undefined
}
