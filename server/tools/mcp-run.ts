import type { AtOutside } from '../kit/at.ts'
import { assertNotTooDeep } from '../kit/http/body/read-json.ts'
import { printable, printableJson, truncateBytes } from '../kit/text.ts'
import { type McpResult, type McpServer, withMcpServer } from './mcp-client.ts'
import type { KeptMcpTool } from './mcp-schema.ts'
import { hasChanged } from './mcp-tools.ts'
import type { StoredTool } from './store.ts'
import { answer_bytes_max, type Outcome, type ToolCall } from './tool-call.ts'

interface McpCall {
  tool: StoredTool
  kept: KeptMcpTool
  call: ToolCall
  timeout_ms: number
  trace_headers: Record<string, string>
}

/** Calls a tool of a server, if it is still as the version has kept it. Fails with an OutboundError. */
export const callMcpTool = (at: AtOutside, { tool, kept, call, ...limits }: McpCall): Promise<Outcome> =>
  withMcpServer(at, tool, { ...limits, signal: call.signal }, async (server: McpServer): Promise<Outcome> => {
    const found = await server.find(kept.server_name)
    if (!found || hasChanged(kept, found)) {
      const error = found
        ? 'The tool has changed since it was published. Publish the agent again to use it as it is now.'
        : 'The server no longer has this tool: it has changed since it was published.'
      return { status: 'failed', result: { error }, http_status: null, error }
    }
    const result = await server.call(found, call.arguments, { 'idempotency-key': call.run_id })
    return toOutcome(result)
  })

function toOutcome(result: McpResult): Outcome {
  const answer = readResult(result)
  if (!result.isError) return { status: 'succeeded', result: answer, http_status: 200, error: null }
  const error = 'The tool answered with an error.'
  return { status: 'failed', result: { error, answer }, http_status: 200, error }
}

/** Returns the data of the result if it has some, else its texts, cut at the limit as answers of other tools are. */
function readResult({ structuredContent, content }: McpResult): unknown {
  const data = structuredContent === undefined ? '' : JSON.stringify(structuredContent)
  if (data !== '' && Buffer.byteLength(data) <= answer_bytes_max) {
    try {
      assertNotTooDeep(structuredContent)
      return printableJson(structuredContent)
    } catch {
      return printable(data)
    }
  }
  const bytes = Buffer.from(data || content.map(textOf).join('\n'))
  const text = printable(truncateBytes(bytes, answer_bytes_max))
  return bytes.length > answer_bytes_max ? `${text}\n[cut: the answer is longer]` : text
}

/** Returns a part as text. Models get no pictures and sounds of tools. */
function textOf(part: McpResult['content'][number]): string {
  if (part.type === 'text') return part.text
  if (part.type === 'resource') return 'text' in part.resource ? part.resource.text : `[${part.resource.uri}]`
  return part.type === 'resource_link' ? `[${part.uri}]` : `[${part.type}]`
}
