import { type Answer, ApiList, ApiPromise, type Envelope, type ListEnvelope } from './answers.ts'
import { toError } from './errors.ts'
import { retrying, withTimeout } from './retries.ts'
import { followStream, type ServerEvent } from './streams.ts'
import { toForm, type Upload } from './uploads.ts'

export interface ClientOptions {
  /** Omit it only where something else authenticates, such as a cookie. */
  apiKey?: string | undefined
  /** For `Parley` the address of the service, such as `https://parley.example.com`, with or without `/api/v1`. */
  baseUrl: string
  /** Limits each attempt. 60 seconds by default, and ten minutes for files that are sent. */
  timeoutMs?: number
  /** How often a request is repeated. 2 by default. */
  maxRetries?: number
  /** When the service asks for a wait of more seconds, the error is thrown at once. 60 by default. */
  maxRetryAfter?: number
  /** These headers are sent with every request. */
  headers?: Record<string, string>
  /** Is used instead of the global `fetch`. */
  fetch?: typeof fetch
}

export interface RequestOptions {
  signal?: AbortSignal | undefined
  timeoutMs?: number
  maxRetries?: number
  headers?: Record<string, string>
  /** Only change the resource if this is still its ETag. Otherwise the request fails with `PRECONDITION_FAILED`. */
  ifMatch?: string | null | undefined
  /** Replaces the key that each POST gets by default. Two requests with the same key do the work once. */
  idempotencyKey?: string | undefined
}

export interface StreamOptions {
  /** Continue after the event with this id. */
  lastEventId?: string | number | undefined
}

interface Request {
  query?: object | undefined
  body?: string | FormData
  headers?: Record<string, string>
}

const timeout_ms = 60_000
const upload_timeout_ms = 600_000
const retries_max = 2

/** Sends requests: with a key, retries and time-outs. Paths are appended to `baseUrl`. */
export class Client {
  readonly #options: ClientOptions
  readonly #baseUrl: string

  constructor(options: ClientOptions) {
    if (/[?#]/.test(options.baseUrl)) throw new TypeError('baseUrl must have no query and no fragment.')
    this.#options = options
    this.#baseUrl = options.baseUrl.replace(/\/+$/, '')
  }

  get<Data>(path: string, query?: object, options?: RequestOptions): ApiPromise<Data> {
    return begin(() => this.#request('GET', path, { query }, options, readEnvelope<Envelope<Data>>))
  }

  /** Sends a change. `body` becomes JSON. */
  send<Data>(method: string, path: string, body?: object, options?: RequestOptions): ApiPromise<Data> {
    const json = body === undefined ? {} : { body: JSON.stringify(body), headers: json_headers }
    return begin(() => this.#request(method, path, json, options, readEnvelope<Envelope<Data>>))
  }

  list<Item>(path: string, query: object = {}, options?: RequestOptions): ApiList<Item> {
    const send = (query: object) => this.#request('GET', path, { query }, options, readList<Item>)
    return new ApiList(send, { ...query })
  }

  /** Returns the response, whose body is yet to be read. */
  file(path: string, query?: object, options?: RequestOptions): Promise<Response> {
    return this.#request('GET', path, { query }, options, async (response) => response)
  }

  /** Returns the response that `file` would have, without its body. */
  head(path: string, query?: object, options?: RequestOptions): Promise<Response> {
    return this.#request('HEAD', path, { query }, options, async (response) => response)
  }

  /** Sends `body` as a form if it has a file, and else as JSON. */
  upload<Data>(path: string, body: object | Upload<object>, options?: RequestOptions): ApiPromise<Data> {
    if (!('file' in body)) return this.send('POST', path, body, options)
    const { file, options: fields } = body as Upload<object>
    const patient = { timeoutMs: Math.max(this.#options.timeoutMs ?? 0, upload_timeout_ms), ...options }
    return begin(async () =>
      this.#request('POST', path, { body: await toForm(file, fields) }, patient, readEnvelope<Envelope<Data>>),
    )
  }

  /** Yields server-sent events. When the connection is lost, it reconnects and goes on after the last one. */
  stream<Event extends ServerEvent>(
    path: string,
    { lastEventId, ...query }: StreamOptions = {},
    options: RequestOptions = {},
  ): AsyncGenerator<Event, void, undefined> {
    const open = (last_id: string | undefined, signal: AbortSignal, is_first: boolean) => {
      const headers = { ...options.headers, ...(last_id !== undefined && { 'last-event-id': last_id }) }
      return this.file(path, query, { ...options, headers, signal, ...(!is_first && { maxRetries: 0 }) })
    }
    return followStream<Event>(open, lastEventId === undefined ? undefined : String(lastEventId), options.signal)
  }

  async #request<Result>(
    method: string,
    path: string,
    { query, body, headers }: Request,
    options: RequestOptions = {},
    read: (response: Response) => Promise<Result>,
  ): Promise<Result> {
    const { apiKey, maxRetries = retries_max, maxRetryAfter, timeoutMs = timeout_ms } = this.#options
    const { signal, ifMatch, idempotencyKey = method === 'POST' ? newKey() : undefined } = options
    const request = {
      method,
      body: body ?? null,
      headers: {
        accept: 'application/json, */*',
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        ...(typeof ifMatch === 'string' && { 'if-match': ifMatch }),
        ...headers,
        ...this.#options.headers,
        ...options.headers,
      },
    }
    const attempt = () =>
      withTimeout(options.timeoutMs ?? timeoutMs, signal, async (signal) => {
        const response = await (this.#options.fetch ?? fetch)(this.#baseUrl + path + toSearch(query), {
          ...request,
          // Redirects are not followed: another server must not get the key, and browsers hide where a redirect leads.
          redirect: 'manual',
          signal,
        })
        if (response.ok) return read(response)
        throw toError(response, await response.json().catch(() => undefined))
      })
    return retrying(attempt, {
      retries_max: options.maxRetries ?? maxRetries,
      retry_after_max_s: maxRetryAfter,
      signal,
    })
  }
}

const json_headers = { 'content-type': 'application/json' }

/** Sends the request at once, unlike the request for a list, which is sent when it is awaited. */
function begin<Data>(send: () => Promise<Answer<Envelope<Data>>>): ApiPromise<Data> {
  const sent = send()
  return new ApiPromise(
    () => sent,
    ({ data }) => data,
  )
}

/** Makes an idempotency key. Unlike `randomUUID`, it works in pages without HTTPS, too. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** Reads an answer. Texts, such as subtitles, have no envelope; a page of HTML is not from the API. */
async function readEnvelope<Whole>(response: Response): Promise<Answer<Whole>> {
  const type = response.headers.get('content-type') ?? ''
  const is_json = type.startsWith('application/json')
  const envelope: { data?: unknown } = is_json
    ? Object(await response.json())
    : { success: true, data: await response.text() }
  if (envelope.data === undefined || envelope.data === null || type.startsWith('text/html'))
    throw toError(response, undefined)
  // The service answers as its document says.
  return { ...(envelope as Whole), response }
}

async function readList<Item>(response: Response): Promise<Answer<ListEnvelope<Item>>> {
  const answer = await readEnvelope<ListEnvelope<Item>>(response)
  if (!Array.isArray(answer.data) || !answer.pagination) throw toError(response, undefined)
  return answer
}

/** Makes a query string. `undefined` and `null` are left out, and lists become several parameters. */
function toSearch(query: object = {}): string {
  const search = new URLSearchParams()
  for (const [name, values] of Object.entries(query))
    for (const value of [values].flat()) if (value !== undefined && value !== null) search.append(name, String(value))
  return search.size > 0 ? `?${search}` : ''
}

/** Returns the address of the API for that of a service. */
export function toApiUrl(address: string): string {
  const trimmed = address.replace(/\/+$/, '')
  return /\/v1$/.test(trimmed) ? trimmed : `${trimmed}/api/v1`
}

/** Puts ids into a path. */
export const path = (parts: TemplateStringsArray, ...ids: string[]): string =>
  String.raw({ raw: parts }, ...ids.map(toSegment))

/** Escapes an id. Refuses empty ids and dots: `get('')` would be the list, and `..` another path. */
function toSegment(id: string): string {
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) throw new TypeError(`An id is missing: ${JSON.stringify(id)}`)
  return encodeURIComponent(id)
}
