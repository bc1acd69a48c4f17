import type {
  ChatConversation,
  ChatMessage,
  ChatSession,
  ChatTurn,
  NewChatSession,
} from '../../server/lines/web-chat/schema.ts'

export type { ChatConversation, ChatMessage, ChatSession, ChatTurn, NewChatSession }

/** An error response. A request that got no response fails with another error. */
export class Refusal extends Error {
  readonly status: number
  readonly retry_after_ms: number
  /** The value that the server suggests instead of one that is not valid. */
  readonly suggestion: string | undefined

  constructor(response: Response, error: { message?: string; details?: { fields?: { suggestion?: string }[] } }) {
    super(error.message ?? 'Something went wrong.')
    this.status = response.status
    this.retry_after_ms = Number(response.headers.get('retry-after') ?? 0) * 1_000
    this.suggestion = error.details?.fields?.[0]?.suggestion
  }
}

export type ChatEvent =
  | { type: 'turn.started'; data: { seq: number; role: ChatTurn['role'] } }
  | { type: 'turn.delta'; data: { seq: number; text: string } }
  | { type: 'turn.finished'; data: { turn: ChatTurn } }
  | { type: 'conversation.updated'; data: { conversation: ChatConversation } }

const request_timeout_ms = 20_000
/** A stream that is silent for longer is lost: the server sends something every 15 seconds. */
const silence_max_ms = 45_000

/** The page's own address, below which all requests go. */
const address = location.pathname.replace(/\/$/, '')

async function send(path: string, token: string | undefined, init: RequestInit): Promise<Response> {
  const headers = { ...init.headers, ...(token && { authorization: `Bearer ${token}` }) }
  const response = await fetch(`${address}/${path}`, { ...init, headers, credentials: 'omit', cache: 'no-store' })
  if (response.ok) return response
  const body = await response.json().catch(() => ({}))
  throw new Refusal(response, body.error ?? {})
}

async function readData<T>(response: Response): Promise<T> {
  return (await response.json()).data
}

export async function get<T>(path: string, token: string): Promise<T> {
  return readData(await send(path, token, { signal: AbortSignal.timeout(request_timeout_ms) }))
}

export async function post<T>(path: string, token: string | undefined, body: object): Promise<T> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(request_timeout_ms),
  }
  return readData(await send(path, token, init))
}

interface StreamOptions {
  token: string
  /** The last finished turn that the page has. */
  position: string
  signal: AbortSignal
  onOpen: () => void
  onEvent: (event: ChatEvent) => void
}

/** Reads server-sent events until the stream ends. EventSource can't do this, because it can't send the token. */
export async function readStream({ token, position, signal, onOpen, onEvent }: StreamOptions): Promise<void> {
  const ended = new AbortController()
  const end = () => ended.abort()
  let timer = setTimeout(end, silence_max_ms)
  signal.addEventListener('abort', end)
  try {
    const { body } = await send('stream', token, { headers: { 'last-event-id': position }, signal: ended.signal })
    if (!body) return
    onOpen()
    const reader = body.pipeThrough(new TextDecoderStream()).getReader()
    let rest = ''
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      clearTimeout(timer)
      timer = setTimeout(end, silence_max_ms)
      const blocks = (rest + piece.value).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const event = parseEvent(block)
        if (event) onEvent(event)
      }
    }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}

function parseEvent(block: string): ChatEvent | undefined {
  // `[^\n]*` instead of `.*`, which would end at U+2028 and U+2029, too.
  const type = /(?:^|\n)event: ([^\n]*)/.exec(block)?.[1]
  const data = /(?:^|\n)data: ([^\n]*)/.exec(block)?.[1]
  // The server sends these four types only.
  return type && data ? ({ type, data: JSON.parse(data) } as ChatEvent) : undefined
}
