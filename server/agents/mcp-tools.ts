import type { At, AtOutside } from '../kit/at.ts'
import { isId } from '../kit/id.ts'
import { ignoreProblem, invalidState } from '../kit/problem.ts'
import type { KeptMcpTool } from '../tools/mcp-schema.ts'
import { findNamed, readForVersion } from '../tools/mcp-tools.ts'
import { type Configuration, withMcpTools } from './configuration.ts'
import { get } from './find.ts'

/**
 * Asks the servers whose tools the draft names. Returns none if there is no such agent: the verb that follows says so.
 */
export async function readForDraft(at: AtOutside, agent_id: string): Promise<KeptMcpTool[]> {
  const agent = isId(agent_id) ? await get(at, agent_id).catch(ignoreProblem) : undefined
  return agent ? readForVersion(at, agent.draft.tools, 'draft.') : []
}

/** Adds the tools that were read before the transaction. Throws if the configuration names others now. */
export async function keepMcpTools(at: At, configuration: Configuration, read: KeptMcpTool[]): Promise<Configuration> {
  const named = await findNamed(at, configuration.tools)
  const kept = read.filter(({ name }) => named.get(name)?.kind === 'mcp')
  const known = new Set(kept.map(({ name }) => name))
  const has_changed = [...named].some(([name, { kind }]) => kind === 'mcp' && !known.has(name))
  if (has_changed) throw invalidState('The tools of the draft have changed since they were read. Try again.')
  return withMcpTools(configuration, kept)
}
