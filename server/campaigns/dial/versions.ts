import type { FoundAgent } from '../../agents/schema.ts'
import type { StoredCampaign } from '../stored-campaign.ts'

/** Returns the ids of the versions that may speak in a campaign. */
export const versionIds = (agent: FoundAgent, { agent_version }: Pick<StoredCampaign, 'agent_version'>): string[] =>
  agent_version
    ? [agent_version.id]
    : [agent.deployed_version.id, ...(agent.candidate ? [agent.candidate.version.id] : [])]
