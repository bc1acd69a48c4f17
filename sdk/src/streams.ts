import { ConnectionError, ParleyError } from './errors.ts'
import { jitter, sleep } from './retries.ts'

/** One server-sent event. */
export interface ServerEvent {
  type: string
  /** Pass it as `lastEventId` to continue after this event. */
  id?: string | undefined
  data: unknown
}

/** The first wait before reconnecting. It doubles with each failure. */
const reconnect_after_ms = 1_000
const reconnect_after_max_ms = 30_000
/** Limits the wait that the service asks for. */
const retry_after_max_ms = 3_600_000
/** A connection that is silent for longer is lost: the service sends something every 15 seconds. */
const silence_max_ms = 60_000
/** The service sends no event that is longer, in characters. */
const event_length_max = 16_000_000

type OpenStream = (last_id: string | undefined, signal: AbortSignal, is_first: boolean) => Promise<Response>

/**
 * Yields events, and goes on after the last one when the connection is lost: a turn that was not finished then begins again
 * with `turn.started`. After the first connection it reconnects until the signal is aborted or the service refuses it. Ends when
 * the call or the conversation is over, and its last turn was received.
 */
export async function* followStream<Event extends ServerEvent>(
  open: OpenStream,
  last_id: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Event, void, undefined> {
  let thread: Thread | undefined
  let is_first = true
  for (let failures = 0; ; failures += 1) {
    let retry_after_s = 0
    try {
      for await (const { type, id = last_id, data } of connect(open, last_id, signal, is_first)) {
        is_first = false
        last_id = id
        if (type !== 'opened') failures = 0
        if (type === 'opened' || type === '') continue
        if (data === null) throw unexpected('An event of the stream has no data.')
        // The service sends what its document says.
        yield { type, id, data } as Event
        thread = threadAfter(thread, data)
        if (thread && isOver(thread, last_id)) return
      }
    } catch (error) {
      if (is_first || !isOutage(error)) throw error
      retry_after_s = error.retryAfter ?? 0
    }
    const wait_ms = Math.min(reconnect_after_ms * 2 ** failures, reconnect_after_max_ms)
    await sleep(Math.max(Math.min(retry_after_s * 1_000, retry_after_max_ms), jitter(wait_ms)), signal)
  }
}

/** Whether the error comes from a service that restarts, or from a proxy before it. */
const isOutage = (error: unknown): error is ParleyError =>
  error instanceof ConnectionError || (error instanceof ParleyError && (error.status >= 500 || error.status === 429))

/** Yields the events of one connection, until it ends or is lost. */
async function* connect(
  open: OpenStream,
  last_id: string | undefined,
  signal: AbortSignal | undefined,
  is_first: boolean,
) {
  const lost = new AbortController()
  const response = await open(last_id, signal ? AbortSignal.any([signal, lost.signal]) : lost.signal, is_first)
  const waitFor = () => setTimeout(() => lost.abort(), silence_max_ms)
  let timer = waitFor()
  try {
    yield { type: 'opened', id: undefined, data: undefined }
    for await (const event of readEvents(response.body)) {
      clearTimeout(timer)
      yield event
      timer = waitFor()
    }
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof ParleyError) throw error
  } finally {
    clearTimeout(timer)
  }
}

/** Yields the events of a body while they arrive. The type of a heartbeat is empty. @internal */
export async function* readEvents(body: ReadableStream<Uint8Array> | null): AsyncGenerator<ServerEvent> {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  // The parts of an event that has not ended. Each chunk is searched once, also if a long event comes in many.
  let pieces: string[] = []
  let length = 0
  // A line break is kept back, because the two that end an event may come in two chunks.
  let line_break = ''
  // A carriage return is kept back, because a line feed may follow.
  let carriage_return = ''
  try {
    for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) {
      const text = carriage_return + decoder.decode(chunk.value, { stream: true })
      carriage_return = text.endsWith('\r') ? '\r' : ''
      const lines = (carriage_return ? text.slice(0, -1) : text).replace(/\r\n?/g, '\n')
      const blocks = (line_break + lines).split('\n\n')
      const rest = blocks.pop() ?? ''
      const [first, ...others] = blocks
      if (first !== undefined) {
        yield* [pieces.join('') + first, ...others].map(parseEvent)
        pieces = []
        length = 0
      }
      line_break = rest.endsWith('\n') ? '\n' : ''
      pieces.push(line_break ? rest.slice(0, -1) : rest)
      length += rest.length
      if (length > event_length_max) throw unexpected('An event of the stream is too long.')
    }
  } finally {
    // Canceling fails if the connection was lost.
    await reader?.cancel().catch(() => {})
  }
}

/** Parses the lines of an event into its fields. Several lines of data are joined by line breaks. */
function parseEvent(block: string): ServerEvent {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^([^:\n]*):? ?([^\n]*)$/.exec(line) ?? []
    const before = name === 'data' ? fields.get(name) : undefined
    fields.set(name, before === undefined ? value : `${before}\n${value}`)
  }
  try {
    return { type: fields.get('event') ?? '', id: fields.get('id'), data: JSON.parse(fields.get('data') ?? 'null') }
  } catch {
    throw unexpected('An event of the stream is not JSON.')
  }
}

const unexpected = (message: string) => new ParleyError({ code: 'UNEXPECTED_ANSWER', message })

/** The call or conversation that a stream is about. */
interface Thread {
  kind: 'call' | 'conversation'
  status: string
  turn_count: number
}

/** The stream of a call has events of its conversation too, which may end before it. */
function threadAfter(known: Thread | undefined, data: unknown): Thread | undefined {
  const { call, conversation } = data as { call?: Thread; conversation?: Thread }
  if (call) return { ...call, kind: 'call' }
  return conversation && known?.kind !== 'call' ? { ...conversation, kind: 'conversation' } : known
}

const isOver = ({ status, turn_count }: Thread, last_id = '0'): boolean =>
  ['completed', 'failed', 'canceled', 'closed'].includes(status) && Number(last_id) >= turn_count
