import type { At, AtOutside } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { signedHeaders, signingSecrets, unreadable_secret } from '../kit/crypto/signing-secrets.ts'
import type { TestResult } from '../kit/field.ts'
import { assertNotTooDeep } from '../kit/http/body/read-json.ts'
import { newId } from '../kit/id.ts'
import type { Metric } from '../kit/metrics.ts'
import { OutboundError, type OutboundRequest, type OutboundResponse, OutboundTimeout } from '../kit/outbound/request.ts'
import { printable, printableJson, truncateBytes } from '../kit/text.ts'
import { currentSpan, traceHeaders } from '../kit/traces/span.ts'
import { product } from '../product.ts'
import { argumentFault } from './arguments.ts'
import { openHeaders } from './headers.ts'
import { McpError } from './mcp-client.ts'
import { callMcpTool } from './mcp-run.ts'
import { checkedSchema, listFrom, type OfferedTool } from './mcp-tools.ts'
import type { StoredTool } from './store.ts'
import { answer_bytes_max, type Outcome, type ToolCall, type ToolResult } from './tool-call.ts'

const arguments_length_max = 32_000
/** Many servers refuse longer URLs. */
const url_length_max = 8_000
/** Statuses of a server that was not available for a moment, or of a proxy before it. */
const repeated_statuses = [502, 503, 504]

export const tool_duration: Metric = {
  name: 'tool_duration_seconds',
  help: 'How long requests to the servers of tools take.',
  type: 'histogram',
  labels: ['result'],
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
}

/** Calls a tool. Never throws because of the tool: a failure is a result, which the model is told. */
export async function callTool(at: AtOutside, tool: OfferedTool, call: ToolCall): Promise<ToolResult> {
  const began_ticks = clock.ticks()
  const elapsed = () => Math.round(clock.ticks() - began_ticks)
  const span = currentSpan()?.child({
    name: `execute_tool ${tool.name}`,
    kind: 'internal',
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool.name,
      'gen_ai.tool.call.id': call.run_id,
      'server.address': new URL(tool.url).hostname,
    },
  })
  const outcome = await run(at, tool, call, {
    remaining: () => tool.timeout_ms - elapsed(),
    trace_headers: traceHeaders(span),
  })
  const { status, http_status } = outcome
  at.tools.metrics.observe(tool_duration, elapsed(), status)
  span?.end({
    attributes: { 'http.response.status_code': http_status ?? undefined },
    error: status === 'succeeded' ? undefined : status,
  })
  return { ...outcome, duration_ms: elapsed() }
}

interface RunOptions {
  /** How much of the tool's time is left. */
  remaining: () => number
  trace_headers: Record<string, string>
}

async function run(at: AtOutside, tool: OfferedTool, call: ToolCall, options: RunOptions): Promise<Outcome> {
  const { remaining, trace_headers } = options
  if (JSON.stringify(call.arguments).length > arguments_length_max)
    return invalidArguments('The arguments are too long.')
  const fault = argumentFault(checkedSchema(tool), call.arguments)
  if (fault !== undefined) return invalidArguments(fault)
  const url = urlFor(tool, call.arguments)
  if (url.length > url_length_max) return invalidArguments('The arguments are too long for a query.')
  const may_repeat = () => !tool.has_side_effects && remaining() > 0 && !call.signal?.aborted
  const { kept } = tool
  try {
    if (kept) {
      const ask = () => callMcpTool(at, { tool, kept, call, timeout_ms: Math.max(1, remaining()), trace_headers })
      return await repeated(ask, may_repeat)
    }
    const request = requestFor(at, tool, call, trace_headers)
    const send = () => at.tools.outbound.send(url, { ...request, timeout_ms: Math.max(1, remaining()) })
    const response = await repeated(send, may_repeat, ({ status }) => repeated_statuses.includes(status))
    return toOutcome(response)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    const is_timeout = error instanceof OutboundTimeout || remaining() <= 0
    // A repeated request had less time than the whole call.
    if (is_timeout) return failed('timeout', `There was no response within ${tool.timeout_ms / 1000} seconds.`)
    if (error instanceof McpError) {
      const answer = printable(truncateBytes(Buffer.from(error.answer), answer_bytes_max))
      return { ...failed('failed', error.message), result: { error: error.message, answer }, http_status: error.status }
    }
    return failed('failed', error.message)
  }
}

/** Sends a request once more after a failure of a moment. */
async function repeated<T>(
  send: () => Promise<T>,
  mayRepeat: () => boolean,
  isFailure: (answer: T) => boolean = () => false,
): Promise<T> {
  const first = await send().then(
    (answer) => ({ answer }),
    (error: unknown) => {
      if (error instanceof OutboundError && !(error instanceof OutboundTimeout) && mayRepeat()) return undefined
      throw error
    },
  )
  return first && !(isFailure(first.answer) && mayRepeat()) ? first.answer : send()
}

const hasQuery = ({ method }: StoredTool): boolean => method === 'GET' || method === 'DELETE'

function urlFor(tool: StoredTool, values: Record<string, unknown>): string {
  const url = new URL(tool.url)
  if (!hasQuery(tool)) return url.href
  for (const [name, value] of Object.entries(values)) {
    if (value === null) continue
    url.searchParams.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  }
  return url.href
}

function requestFor(
  at: At,
  tool: StoredTool,
  call: ToolCall,
  trace_headers: Record<string, string>,
): Omit<OutboundRequest, 'timeout_ms'> {
  const { run_id, conversation_id, contact_id, agent_id, signal } = call
  const own = openHeaders(at, tool)
  if (!own) throw new OutboundError('The headers were encrypted with another SECRETS_KEY. Set them again.')
  const secrets = signingSecrets(tool, at.tools.seal.open, at.now)
  if (secrets.length === 0) throw new OutboundError(unreadable_secret)
  const content = { id: run_id, tool: tool.name, arguments: call.arguments, conversation_id, contact_id, agent_id }
  const body = hasQuery(tool) ? '' : JSON.stringify(content)
  return {
    method: tool.method,
    headers: {
      ...own,
      'user-agent': product.name,
      'idempotency-key': run_id,
      ...signedHeaders(secrets, run_id, body),
      ...(body !== '' && { 'content-type': 'application/json' }),
      ...trace_headers,
    },
    ...(body !== '' && { body }),
    signal,
    // One byte more than the limit shows that there is more.
    bytes_max: answer_bytes_max + 1,
  }
}

function toOutcome({ status, headers, body }: OutboundResponse): Outcome {
  const is_ok = status >= 200 && status < 300
  const error = is_ok ? null : `The server answered with the status ${status}.`
  const result = readAnswer(String(headers['content-type'] ?? ''), body)
  return {
    status: is_ok ? 'succeeded' : 'failed',
    result: is_ok ? result : { error, answer: result },
    http_status: status,
    error,
  }
}

/** Returns the answer as JSON if it is JSON, else as text, cut at the limit. */
function readAnswer(content_type: string, body: Buffer): unknown {
  const text = printable(truncateBytes(body, answer_bytes_max))
  if (body.length > answer_bytes_max) return `${text}\n[cut: the answer is longer]`
  if (!/\bjson\b/i.test(content_type)) return text
  try {
    const answer: unknown = JSON.parse(text)
    assertNotTooDeep(answer)
    return printableJson(answer)
  } catch {
    return text
  }
}

const failed = (status: 'failed' | 'timeout', error: string): Outcome => {
  return { status, result: { error }, http_status: null, error }
}

const invalidArguments = (error: string): Outcome => {
  return { status: 'invalid_arguments', result: { error }, http_status: null, error }
}

/**
 * Sends a request to the tool that belongs to no conversation. The server of a tool of kind `mcp` is asked for its
 * tools.
 */
export async function testTool(
  at: AtOutside,
  { tool, arguments: values }: { tool: StoredTool; arguments: Record<string, unknown> },
): Promise<TestResult> {
  if (tool.kind === 'mcp') return testMcpServer(at, tool)
  const call = { run_id: newId(), arguments: values, conversation_id: null, contact_id: null, agent_id: null }
  const { status, http_status, duration_ms, error } = await callTool(at, tool, call)
  return { is_ok: status === 'succeeded', status: http_status, duration_ms, error }
}

async function testMcpServer(at: AtOutside, tool: StoredTool): Promise<TestResult> {
  const began_ticks = clock.ticks()
  const elapsed = () => Math.round(clock.ticks() - began_ticks)
  try {
    await listFrom(at, tool)
    return { is_ok: true, status: 200, duration_ms: elapsed(), error: null }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return { is_ok: false, status: error.status, duration_ms: elapsed(), error: error.message }
  }
}
