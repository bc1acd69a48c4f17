import { isObject } from '../kit/json.ts'
import { SetupError } from '../kit/postgres/embedded/embedded.ts'
import { type Code, errorCode, errorMessage, Problem } from '../kit/problem.ts'

const timeout_ms = 30_000
const health_timeout_ms = 5_000
const page_size = 100
/** No event is longer. */
const event_length_max = 16_000_000

export interface ServerEvent {
  /** Empty for a heartbeat. */
  name: string
  id: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: its type depends on the name
  data: any
}

/** Sends requests to the API of a running service, as any client does. */
export interface ApiClient {
  send: <Data>(method: string, path: string, body?: object) => Promise<Data>
  /** The items of all pages, up to this number. */
  list: <Item>(path: string, items_max: number) => Promise<Item[]>
  /** The bytes of a file, while they arrive. */
  file: (path: string, signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>
  /** Ends when the connection ends. */
  stream: (path: string, last_event_id: number, signal: AbortSignal) => AsyncGenerator<ServerEvent>
}

/** Throws a SetupError that says what to do if no service answers at the address. */
export async function assertRunning(address: string): Promise<void> {
  const { ok, status } = await send(address, '/health', { signal: AbortSignal.timeout(health_timeout_ms) })
  if (!ok) throw notThere(address, `status ${status}`)
}

export function openApiClient(address: string, key: string): ApiClient {
  const authorization = `Bearer ${key}`
  return {
    async send(method, path, body) {
      const headers = { authorization, ...(body && { 'content-type': 'application/json' }) }
      const response = await send(address, `/api/v1${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      })
      return (await read(address, response)).data
    },
    async list(path, items_max) {
      const items = []
      for (let next: string | null = ''; next !== null && items.length < items_max; ) {
        const cursor: string = next && `&cursor=${encodeURIComponent(next)}`
        const response = await send(address, `/api/v1${path}?limit=${page_size}${cursor}`, {
          headers: { authorization },
        })
        const { data, pagination } = await read(address, response)
        items.push(...data)
        next = pagination.next_cursor
      }
      return items
    },
    async file(path, signal) {
      const response = await send(address, `/api/v1${path}`, { headers: { authorization }, signal })
      return response.ok && response.body ? response.body : read(address, response)
    },
    async *stream(path, last_event_id, signal) {
      const headers = { authorization, 'last-event-id': String(last_event_id) }
      const response = await send(address, `/api/v1${path}`, { headers, signal })
      if (!response.ok) await read(address, response)
      if (response.body) yield* readEvents(response.body)
    },
  }
}

async function send(address: string, path: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(address + path, { signal: AbortSignal.timeout(timeout_ms), ...options })
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error
    throw notThere(address, errorCode(cause) ?? errorMessage(cause))
  }
}

const notThere = (address: string, reason: string) =>
  new SetupError(
    `the service doesn't answer at ${address} (${reason}): start it, or set HOST and PORT, or PUBLIC_URL, as for the service`,
  )

// biome-ignore lint/suspicious/noExplicitAny: its type depends on the request
async function read(address: string, response: Response): Promise<any> {
  const body = await response.json().catch(() => undefined)
  if (response.ok && body) return body
  const { code, message }: Record<string, unknown> = isObject(body) && isObject(body.error) ? body.error : {}
  if (code === 'UNAUTHORIZED') {
    const reason = 'it uses another database, or the key has expired'
    throw new Problem(code, `the service at ${address} doesn't accept the key of this command: ${reason}`)
  }
  // The codes of the API are those of problems.
  if (typeof message === 'string') throw new Problem(code as Code, message)
  throw notThere(address, `status ${response.status}`)
}

async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true })
    if (text.length > event_length_max) throw new Error('an event is too long')
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    yield* blocks.map(toEvent)
  }
}

function toEvent(block: string): ServerEvent {
  // A dot, and `$`, would also end at U+2028 and U+2029.
  const field = (name: string) => new RegExp(`(?:^|\\n)${name}: ([^\\n]*)`).exec(block)?.[1]
  return { name: field('event') ?? '', id: field('id'), data: JSON.parse(field('data') ?? 'null') }
}
