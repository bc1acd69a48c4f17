/** The model gets this much of an answer, in bytes. */
export const answer_bytes_max = 32 * 1024

export interface ToolCall {
  /** The request sends this as its `Idempotency-Key`. */
  run_id: string
  arguments: Record<string, unknown>
  conversation_id: string | null
  contact_id: string | null
  agent_id: string | null
  signal?: AbortSignal
}

export interface ToolResult {
  status: 'succeeded' | 'failed' | 'timeout' | 'invalid_arguments'
  /** What the model gets: the server's answer as JSON or text, or why there is no answer. */
  result: unknown
  duration_ms: number
  /** The status code of the response, if there was one. */
  http_status: number | null
  /** Why the tool did not succeed, without anything that the server answered. */
  error: string | null
}

export type Outcome = Omit<ToolResult, 'duration_ms'>
