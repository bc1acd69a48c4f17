import type { Configuration } from '../agents/configuration.ts'
import type { AgentWithDraft } from '../agents/schema.ts'
import type { StoredCampaign } from './stored-campaign.ts'

/** The versions that may speak in a campaign. */
export const versionIds = (
  agent: AgentWithDraft,
  { agent_version }: Pick<StoredCampaign, 'agent_version'>,
): string[] =>
  agent_version
    ? [agent_version.id]
    : [agent.deployed_version.id, ...(agent.candidate ? [agent.candidate.version.id] : [])]

/** Whether an agent needs nothing but what is in memory: it has a script, and the script calls no tools. */
export const hasNoTools = ({ script, tools }: Configuration): boolean =>
  script !== null && tools.length === 0 && Object.values(script.nodes).every((node) => !('tool' in node))
