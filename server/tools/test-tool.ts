import type { AtOutside } from '../kit/at.ts'
import type { TestResult } from '../kit/field.ts'
import { newId } from '../kit/id.ts'
import { callTool } from './run.ts'
import type { StoredTool } from './store.ts'

export async function testTool(
  at: AtOutside,
  { tool, arguments: values }: { tool: StoredTool; arguments: Record<string, unknown> },
): Promise<TestResult> {
  const call = { run_id: newId(), arguments: values, conversation_id: null, contact_id: null, agent_id: null }
  const { status, http_status, duration_ms, error } = await callTool(at, tool, call)
  return { is_ok: status === 'succeeded', status: http_status, duration_ms, error }
}
