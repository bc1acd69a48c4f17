import { createHash } from 'node:crypto'
import type { Agent, VersionReference } from './schema.ts'

type Choice = Pick<Agent, 'id' | 'deployed_version' | 'candidate'>

/**
 * Chooses the version that answers this counterpart. The choice depends only on the agent and the counterpart, so that
 * a person stays on one side, also when the percentage is raised.
 */
export const chooseVersion = ({ id, deployed_version, candidate }: Choice, counterpart: string): VersionReference =>
  candidate && percentileOf(id, counterpart) < candidate.percent ? candidate.version : deployed_version

/** Returns a number that is at least 0 and below 100. */
function percentileOf(agent_id: string, counterpart: string): number {
  const bytes = createHash('sha256').update(`${agent_id} ${counterpart}`).digest()
  return (bytes.readUIntBE(0, 6) / 2 ** 48) * 100
}
