import * as agents from '../../agents/find.ts'
import * as versions from '../../agents/versions.ts'
import type { At } from '../../kit/at.ts'

export interface Answerer {
  agent_name: string
  /** Whether calls may be recorded: with the deployed version, or with the candidate that some callers get. */
  is_recorded: boolean
}

/**
 * Returns who answers calls from browsers, and whether they are recorded. Outside of trials a call is recorded only
 * with a notice.
 */
export async function findAnswerer(at: At, agent_id: string): Promise<Answerer> {
  const { name, deployed_version, candidate } = await agents.get(at, agent_id)
  const used = [deployed_version, ...(candidate ? [candidate.version] : [])]
  const found = await Promise.all(used.map(({ id: version_id }) => versions.get(at, { agent_id, version_id })))
  const is_recorded = found.some(({ configuration: { recording } }) => recording.is_on && recording.notice !== null)
  return { agent_name: name, is_recorded }
}
