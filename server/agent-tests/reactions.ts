import { deploying } from '../agents/deployments.ts'
import * as agents from '../agents/store.ts'
import { on, type Reaction } from '../kit/at.ts'
import { named, namesIn } from '../kit/postgres/names.ts'
import { raw } from '../kit/postgres/sql.ts'
import { findMissing } from './gate.ts'
import { cancelOfAgent } from './runs.ts'
import { removeAll, table } from './store.ts'

export const reactions: Reaction[] = [
  named('agent_test', namesIn(raw(table), raw('name'))),
  on(deploying, findMissing),
  on(agents.deleted, async (at, agent_id) => {
    await Promise.all([removeAll(at, agent_id), cancelOfAgent(at, agent_id)])
  }),
]
