import type { Configuration } from '../../agents/configuration.ts'
import { findConfiguration } from '../../agents/find-version.ts'
import { sound } from '../../audio/sound.ts'
import { lineOf } from '../../calls/queue.ts'
import { type At, type AtOutside, inTransaction, simulatesPeople } from '../../kit/at.ts'
import { sql } from '../../kit/postgres/sql.ts'
import { ignoreProblem } from '../../kit/problem.ts'
import { readCampaign } from '../stored-campaign.ts'
import { findSender } from './dispatch.ts'
import { versionIds } from './versions.ts'

/**
 * Whether the agent can hear and speak in the calls that a campaign makes by telephone. It is asked before the
 * transaction.
 */
export async function canSpeak(at: AtOutside, id: string): Promise<boolean> {
  if (simulatesPeople(at)) return true
  for (const configuration of await inTransaction(at, (at) => findSpoken(at, id))) {
    const speech = await sound.of(at).find(at, configuration).catch(ignoreProblem)
    if (!speech) return false
  }
  return true
}

/** Finds the versions that may speak by telephone in a campaign that runs. */
async function findSpoken(at: At, id: string): Promise<Configuration[]> {
  const campaign = await readCampaign(
    at,
    sql`workspace_id = ${at.workspace} and id = ${id} and kind = 'voice' and status = 'running'`,
  )
  const sender = campaign && (await findSender(at, campaign))
  const is_by_phone = sender?.channels.some((channel) => lineOf(at, channel) === 'phone')
  if (!campaign || !sender || !is_by_phone) return []
  const { agent } = sender
  const found = await Promise.all(
    versionIds(agent, campaign).map((version_id) => findConfiguration(at, { agent_id: agent.id, version_id })),
  )
  return found.flatMap((configuration) => configuration ?? [])
}
