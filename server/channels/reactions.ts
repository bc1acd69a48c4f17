import * as agents from '../agents/store.ts'
import * as clocks from '../clocks/store.ts'
import { type At, on, type Reaction } from '../kit/at.ts'
import { named, namesIn } from '../kit/postgres/names.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import type { Use } from '../kit/problem.ts'
import * as channels from './store.ts'

export const reactions: Reaction[] = [
  named('channel', namesIn(raw('channels'), raw('name'))),
  on(agents.findingUses, (at, { agent_id }) => findUsing(at, agent_id)),
  on(clocks.created, addSimulators),
]

/**
 * Finds the channels of an agent. A write of an agent's id into a channel locks the workspace, as the agent's deletion
 * does.
 */
const findUsing = ({ db, workspace }: At, agent_id: string): Promise<Use[]> =>
  db.many<Use>(
    sql`select 'channel' as kind, id from channels where workspace_id = ${workspace} and agent_id = ${agent_id} order by id`,
  )

/** Adds simulators, so that a test workspace can call and write to simulated people from its creation. */
async function addSimulators(at: At): Promise<void> {
  const provider = 'simulator'
  await channels.create(at, { name: 'SMS simulator', kind: 'sms', provider, address: '+15550100100' })
  await channels.create(at, { name: 'Voice simulator', kind: 'voice', provider, address: '+15550100101' })
}
