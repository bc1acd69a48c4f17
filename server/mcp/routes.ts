import type { McpHttpHandler } from '@modelcontextprotocol/server'
import { Type } from 'typebox'
import type { At } from '../kit/at.ts'
import { assertNotTooDeep, letOthersParse, parseJsonBody } from '../kit/http/body/read-json.ts'
import * as operation from '../kit/http/operation.ts'
import type { RawAnswer, RawRequest } from '../kit/http/raw.ts'
import { hasManyValues } from '../kit/outbound/json-limits.ts'
import { invalidJson, Problem, unsupportedMediaType } from '../kit/problem.ts'
import { traceHeaders } from '../kit/traces/span.ts'
import type { ApiRequest } from './input.ts'
import { type ApiAnswer, loadMcpServer, type McpSurface, newMcpServer, openSurface } from './server.ts'

export interface McpOptions {
  /** The operations that tools stand for. */
  operations: operation.Operation[]
  /** Sends a request to the API in this process, through the same admission as any other. */
  send: (request: ApiRequest & { ip: string; token: string }) => Promise<ApiAnswer>
  /** Pages of these origins may use the server, beside those of its own. */
  origins: string[]
}

/**
 * A message may have this many values. The library takes some 30 µs to check each, during which nobody else is served.
 */
const values_max = 1_000

/** Makes the operations of the server for assistants, which speaks the Model Context Protocol over HTTP. */
export function mcpOperations(options: McpOptions): operation.Operation[] {
  const surface = openSurface(options.operations)
  return [
    operation.raw({
      id: 'mcp.ask',
      path: '/mcp',
      summary: 'Ask the MCP server',
      description: 'Takes one message of the Model Context Protocol (Streamable HTTP).',
      responses: { 200: { description: 'The answer.', schema: Type.Object({}) } },
      run: (at, request, raw) => answer(at, { surface, options }, request, raw),
    }),
  ]
}

interface Parts {
  surface: McpSurface
  options: McpOptions
}

async function answer(
  at: At,
  { surface, options }: Parts,
  { caller, client }: operation.ValidRequest,
  raw: RawRequest,
): Promise<RawAnswer> {
  const headers = new Headers(Object.entries(raw.headers).map(([name, values = []]) => [name, values.join(', ')]))
  assertKnownOrigin(headers.get('origin'), [new URL(at.tools.address()).origin, ...options.origins])
  if ((headers.get('content-encoding') ?? 'identity') !== 'identity') throw unsupportedMediaType()
  await letOthersParse(raw.bytes)
  if (hasManyValues(raw.bytes, values_max)) throw invalidJson(`A message must have at most ${values_max} values.`)
  const message = parseJsonBody(raw.bytes)
  assertNotTooDeep(message)
  // A batch would count as one request for the rate limit.
  if (Array.isArray(message)) return no_batches
  const token = (headers.get('authorization') ?? '').replace(/^\S+ +/, '')
  const trace_headers = traceHeaders(undefined)
  const send = (request: ApiRequest) =>
    options.send({ ...request, headers: { ...request.headers, ...trace_headers }, ip: client.ip, token })
  const handler = await openHandler(surface, { scopes: caller.scopes, send })
  const request = new Request(new URL('/mcp', at.tools.address()), { method: 'POST', headers, body: new Uint8Array() })
  try {
    const response = await handler.fetch(request, { parsedBody: message })
    const content_type = response.headers.get('content-type') ?? 'text/plain'
    return { status: response.status, body: { content_type, text: await response.text() } }
  } finally {
    await handler.close()
  }
}

async function openHandler(surface: McpSurface, asking: Parameters<typeof newMcpServer>[1]): Promise<McpHttpHandler> {
  const { createMcpHandler } = await loadMcpServer()
  // The server keeps no sessions, so it sends nothing by itself.
  return createMcpHandler(() => newMcpServer(surface, asking), { maxSubscriptions: 0 })
}

/**
 * Refuses pages of unknown origins, which must not use a key that its user has given to this one. Programs send no
 * origin.
 */
function assertKnownOrigin(origin: string | null, known: string[]): void {
  if (origin === null || known.includes(origin) || known.includes('*')) return
  throw new Problem(
    'FORBIDDEN',
    'Pages of this origin may not use the MCP server. The operator can allow it with CORS_ORIGINS.',
  )
}

const no_batches: RawAnswer = {
  status: 400,
  body: {
    jsonrpc: '2.0',
    id: null,
    error: { code: -32_600, message: 'Batches are not supported. Send one message per request.' },
  },
}
