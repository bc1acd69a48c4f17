import type { CallToolResult, Client, PriorDiscovery } from '@modelcontextprotocol/client'
import { type At, type AtOutside, newTool } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { signedHeaders, signingSecrets, unreadable_secret } from '../kit/crypto/signing-secrets.ts'
import { newId } from '../kit/id.ts'
import { isObject } from '../kit/json.ts'
import { setBounded } from '../kit/limits/bounded-map.ts'
import { readEvents } from '../kit/outbound/events.ts'
import { fetchThrough } from '../kit/outbound/fetch.ts'
import { canceled, inSeconds, OutboundError, OutboundTimeout, ResponseTooLong } from '../kit/outbound/request.ts'
import { product, version } from '../product.ts'
import { openHeaders } from './headers.ts'
import { type McpMessages, openMessages } from './mcp-messages.ts'
import type { StoredTool } from './store.ts'

/** One response may have this many bytes. */
const answer_bytes_max = 1024 * 1024
const events_max = 1_000
/** A server that asks for something in its answers gets responses, so the requests are limited. */
const requests_max = 100
const pages_max = 50
/** More tools of a server are not read. */
const listed_max = 500
const list_bytes_max = 2 * 1024 * 1024
const close_timeout_ms = 2_000
const eras_max = 1_000
const era_length_max = 8_000

/** What servers of tools have said about the versions of the protocol that they speak, by workspace, tool and URL. */
const mcpEras = newTool(() => new Map<string, PriorDiscovery>())

/** An error that the server has answered with. `answer` is what it said. */
export class McpError extends OutboundError {
  readonly answer: string
  constructor(message: string, answer: string) {
    super(message)
    this.answer = answer
  }
}

/** A tool of a server, as the server describes it. */
export interface ServerTool {
  name: string
  description: string | null
  parameters: unknown
}

export interface McpServer {
  /** Returns at most `listed_max` tools. */
  list: () => Promise<{ tools: ServerTool[]; has_more: boolean }>
  /** Returns undefined if the server has no such tool among those that `list` returns. */
  find: (name: string) => Promise<ServerTool | undefined>
  call: (tool: ServerTool, values: Record<string, unknown>, headers: Record<string, string>) => Promise<McpResult>
}

/** The result of a tool. The data is as the server has sent it. */
export type McpResult = Pick<CallToolResult, 'content' | 'isError'> & { structuredContent: unknown }

interface Limits {
  /** The limit for everything: connecting, and what is asked. */
  timeout_ms: number
  signal?: AbortSignal | undefined
  trace_headers?: Record<string, string>
}

/**
 * Loads the library, which takes some 300 ms of the processor. Call it when a process starts, so that no request waits
 * for it. Later calls return at once.
 */
export async function loadMcpClient() {
  const library = await import('@modelcontextprotocol/client')
  library.preloadSchemas()
  return library
}

/** Connects to the server of a tool. Fails with an OutboundError. */
export async function withMcpServer<T>(
  at: AtOutside,
  tool: StoredTool,
  limits: Limits,
  use: (server: McpServer) => Promise<T>,
): Promise<T> {
  const { Client, ProtocolError, SdkHttpError, StreamableHTTPClientTransport } = await loadMcpClient()
  const ending = new AbortController()
  const signal = limits.signal ? AbortSignal.any([ending.signal, limits.signal]) : ending.signal
  /** Rejects when something has failed of which no waiting request is told. */
  const broken = Promise.withResolvers<never>()
  const messages = openMessages()
  const { send, failure } = newFetch(at, tool, { ...limits, signal, messages, onBroken: broken.reject })
  const url = new URL(tool.url)
  const reconnectionOptions = {
    maxRetries: 0,
    initialReconnectionDelay: 1_000,
    maxReconnectionDelay: 1_000,
    reconnectionDelayGrowFactor: 1,
  }
  const transport = new StreamableHTTPClientTransport(url, { fetch: send, reconnectionOptions })
  const client = new Client(
    { name: product.short_name, version },
    {
      versionNegotiation: { mode: 'auto' },
      inputRequired: { autoFulfill: false },
      // Results are for the model, so they are not validated: a schema of the server must not cost us time.
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
    },
  )
  client.onerror = broken.reject
  const mcp_eras = mcpEras.of(at)
  const key = `${at.workspace} ${tool.id} ${tool.url}`
  const options = { timeout: limits.timeout_ms, signal }
  const run = async (): Promise<T> => {
    const prior = mcp_eras.get(key)
    await client.connect(transport, { ...options, ...(prior && { prior }) })
    const era = eraOf(client)
    if (!prior && JSON.stringify(era).length <= era_length_max) setBounded(mcp_eras, key, era, eras_max)
    return use(mcpServer(client, messages, options))
  }
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timedOut(limits)), limits.timeout_ms)
  })
  try {
    return await Promise.race([run(), late, broken.promise])
  } catch (error) {
    // The server may speak another version of the protocol now.
    mcp_eras.delete(key)
    if (error instanceof OutboundError) throw error
    const outbound = failure()
    if (outbound) throw outbound
    if (limits.signal?.aborted) throw new OutboundError(canceled)
    if (error instanceof SdkHttpError) throw ofStatus(error.status, String(error.data.text ?? ''))
    if (error instanceof ProtocolError)
      throw new McpError(`The server answered with the error ${error.code}.`, error.message)
    throw new OutboundError("The server's answer is not valid in the Model Context Protocol.")
  } finally {
    clearTimeout(timer)
    closeLater(client, transport.sessionId === undefined ? undefined : () => transport.terminateSession(), ending)
  }
}

function eraOf(client: Client): PriorDiscovery {
  const discover = client.getDiscoverResult()
  return discover ? { kind: 'modern', discover } : { kind: 'legacy' }
}

const timedOut = ({ timeout_ms }: Limits) =>
  new OutboundTimeout(`There was no response within ${inSeconds(timeout_ms)}.`)

function ofStatus(status: number, answer: string): McpError {
  const error = new McpError(`The server answered with the status ${status}.`, answer)
  error.status = status
  return error
}

/** Closes a session of the server in the background, so that nobody waits for it. */
function closeLater(client: Client, endSession: (() => Promise<void>) | undefined, ending: AbortController): void {
  const timer = setTimeout(() => ending.abort(), close_timeout_ms)
  const close = async () => {
    await endSession?.().catch(() => {})
    clearTimeout(timer)
    ending.abort()
    await client.close()
  }
  close().catch(() => {})
}

interface RequestOptions {
  timeout: number
  signal: AbortSignal
}

function mcpServer(client: Client, messages: McpMessages, options: RequestOptions): McpServer {
  /** Reads the tools page by page. Returns early when `isEnough` says so. */
  async function read(isEnough: (tools: ServerTool[]) => boolean) {
    const tools: ServerTool[] = []
    let cursor: string | undefined
    let length = 0
    for (let page = 0; page < pages_max; page += 1) {
      const params = cursor === undefined ? {} : { cursor }
      const found = await client.request({ method: 'tools/list', params }, options)
      const listed = found.tools.map(({ name, description = null, inputSchema }) => {
        return { name, description, parameters: messages.schemaOf(inputSchema) }
      })
      tools.push(...listed)
      length += JSON.stringify(listed).length
      if (length > list_bytes_max) throw new ResponseTooLong(`The list of tools has more than ${list_bytes_max} bytes.`)
      cursor = found.nextCursor
      if (isEnough(tools) || cursor === undefined) break
    }
    return {
      tools: tools.slice(0, listed_max),
      has_more: messages.isCut() || tools.length > listed_max || cursor !== undefined,
    }
  }
  return {
    list: () => read((tools) => tools.length >= listed_max),
    async find(name) {
      const isIt = (tool: ServerTool) => tool.name === name
      const { tools } = await read((tools) => tools.length >= listed_max || tools.some(isIt))
      return tools.find(isIt)
    },
    async call({ name, parameters }, values, headers): Promise<McpResult> {
      // The cast is true because `read` has taken the parameters from a tool of the server.
      const toolDefinition = { name, inputSchema: parameters as { type: 'object' } }
      const result = await client.callTool({ name, arguments: values }, { ...options, headers, toolDefinition })
      return { ...result, structuredContent: messages.data() }
    },
  }
}

interface FetchOptions extends Limits {
  signal: AbortSignal
  messages: McpMessages
  onBroken: (error: OutboundError) => void
}

/**
 * Makes the function that sends requests. It also notes which one has failed first, because the library doesn't pass on
 * every error.
 */
function newFetch(
  at: AtOutside,
  tool: StoredTool,
  { timeout_ms, signal, trace_headers, messages, onBroken }: FetchOptions,
) {
  const sign = signerFor(at, tool)
  const until = clock.ticks() + timeout_ms
  let requests = 0
  let failed: OutboundError | undefined
  const send: typeof fetch = async (input, init = {}) => {
    // Some servers would answer with a stream of news that never ends.
    if (init.method === 'GET') return new Response(null, { status: 405 })
    try {
      requests += 1
      if (requests > requests_max) throw new OutboundError('The server asks for too much.')
      // The session ends in time, with its own error. Requests that end it may take a little longer.
      const rest_ms = Math.max(0, until - clock.ticks()) + close_timeout_ms
      const body = typeof init.body === 'string' ? init.body : ''
      const fetchOnce = fetchThrough(at.tools.outbound, {
        origin: new URL(tool.url).origin,
        is_trusted: false,
        head_timeout_ms: rest_ms,
        timeout_ms: rest_ms,
        bytes_max: answer_bytes_max,
        whole_bytes_max: answer_bytes_max,
        is_checked: true,
        changeBody: messages.shorten,
        stream_type: 'text/event-stream',
        readStream: (stream) =>
          ReadableStream.from(readMessages(stream, { request_id: idOf(body), messages, onBroken })),
      })
      const headers = { ...Object.fromEntries(new Headers(init.headers)), ...trace_headers }
      const response = await fetchOnce(input, {
        ...init,
        signal: init.signal ? AbortSignal.any([init.signal, signal]) : signal,
        headers: { ...sign(body), ...headers },
      })
      if (response.status >= 300 && response.status < 400)
        throw new OutboundError('The server redirects to another URL, which is not followed.')
      return response
    } catch (error) {
      throw fail(error)
    }
  }
  function fail(error: unknown): unknown {
    if (error instanceof OutboundError && !signal.aborted) failed ??= error
    return error
  }
  return { send, failure: () => failed }
}

/** Returns the id in a body that the library has made. */
function idOf(body: string): unknown {
  const message: unknown = body === '' ? undefined : JSON.parse(body)
  return isObject(message) ? message.id : undefined
}

interface ReadOptions extends Pick<FetchOptions, 'messages' | 'onBroken'> {
  request_id: unknown
}

/** Passes on messages that belong to the request and nothing else, such as what asks to connect again. */
async function* readMessages(
  body: ReadableStream<Uint8Array>,
  { request_id, messages, onBroken }: ReadOptions,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  let has_answer = false
  try {
    for await (const { name, data } of readEvents(body, { events_max, event_length_max: answer_bytes_max })) {
      if (name !== '' && name !== 'message') continue
      const message = messages.shortenEvent(data, request_id)
      if (message === undefined) continue
      has_answer = has_answer || /"(result|error)"\s*:/.test(message)
      yield encoder.encode(`data: ${message.replaceAll('\n', ' ')}\n\n`)
    }
    if (!has_answer) throw new OutboundError('The connection was closed before the whole response arrived.')
  } catch (error) {
    if (error instanceof OutboundError) onBroken(error)
    throw error
  }
}

/** Returns the headers of a request: the tool's own, and a signature as requests of other tools have it. */
function signerFor(at: At, tool: StoredTool): (body: string) => Record<string, string> {
  const own = openHeaders(at, tool)
  if (!own) throw new OutboundError('The headers were encrypted with another SECRETS_KEY. Set them again.')
  const secrets = signingSecrets(tool, at.tools.seal.open, at.now)
  if (secrets.length === 0) throw new OutboundError(unreadable_secret)
  return (body) => ({ ...own, 'user-agent': product.name, ...signedHeaders(secrets, newId(), body) })
}
