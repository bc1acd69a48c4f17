import type http from 'node:http'
import { type CallToolResult, createMcpHandler, Server } from '@modelcontextprotocol/server'
import { type Receiver, receiver } from './receivers.ts'

export interface McpTool {
  name: string
  description?: string
  inputSchema: { type: 'object'; [keyword: string]: unknown }
}

export interface McpServer extends Receiver {
  /** The tools can be changed between two calls. */
  tools: McpTool[]
  /** The tools that were called, with their arguments. */
  called: { name: string; arguments: unknown; key: string | undefined }[]
  answer: (name: string, values: unknown) => CallToolResult
}

interface Options {
  tools?: McpTool[]
  answer?: McpServer['answer']
  /** `modern` speaks the newest version of the protocol only, `legacy` only those before. By default it speaks both. */
  era?: 'legacy' | 'modern'
  page_size?: number
}

export const find_customer: McpTool = {
  name: 'find',
  description: 'Finds a customer.',
  inputSchema: { type: 'object', properties: { name: { type: 'string', pattern: '^[a-z]+$' } }, required: ['name'] },
}

/** Starts a server of tools that is made with the official package. */
export async function mcpServer(options: Options = {}): Promise<McpServer> {
  const { era, page_size = 100, tools = [find_customer] } = options
  const answer = options.answer ?? (() => ({ content: [{ type: 'text', text: 'Ada, since 2021' }] }))
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const server = new Server({ name: 'crm', version: '1' }, { capabilities: { tools: {} } })
      server.setRequestHandler('tools/list', ({ params }) => {
        const from = Number(params?.cursor ?? 0)
        const to = from + page_size
        const has_more = to < there.tools.length
        return { tools: there.tools.slice(from, to), ...(has_more && { nextCursor: String(to) }) }
      })
      server.setRequestHandler('tools/call', ({ params }) => {
        const key = requestInfo?.headers.get('idempotency-key') ?? undefined
        there.called.push({ name: params.name, arguments: params.arguments, key })
        return there.answer(params.name, params.arguments)
      })
      return server
    },
    { legacy: era === 'modern' ? 'reject' : 'stateless', responseMode: 'sse' },
  )
  const received = await receiver(async (response, request) => {
    const { body } = there.received.at(-1) ?? { body: '' }
    const is_probe = era === 'legacy' && body.includes('server/discover')
    if (is_probe) return void response.writeHead(400).end()
    await pass(await handler.fetch(toRequest(request, body)), response)
  })
  const there: McpServer = { ...received, tools, called: [], answer }
  return there
}

function toRequest({ method = 'POST', url = '/', headers }: http.IncomingMessage, body: string): Request {
  const given = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
  return new Request(new URL(url, 'http://localhost'), { method, headers: given, ...(body !== '' && { body }) })
}

async function pass(answer: Response, response: http.ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  for await (const chunk of answer.body ?? []) response.write(chunk)
  response.end()
}

type Asked = { id: number; method: string; params?: { cursor?: string } }

/** A server that answers each method as a test says, to show what others may do. */
export function rawMcpServer(
  answers: Record<string, (asked: Asked, response: http.ServerResponse) => unknown>,
): Promise<Receiver> {
  const greeting = {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'raw', version: '1' },
  }
  const there = receiver(async (response) => {
    const { received } = await there
    const asked: Asked = JSON.parse(received.at(-1)?.body || '{}')
    const answer = answers[asked.method]
    if (answer) return answer(asked, response)
    if (asked.method === 'initialize') return respond(response, asked, greeting)
    response.writeHead(asked.method === 'server/discover' ? 400 : 202).end()
  })
  return there
}

export const respond = (response: http.ServerResponse, { id }: Pick<Asked, 'id'>, result: object): void => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
}
