import { deploying } from '../agents/deployments.ts'
import * as agents from '../agents/store.ts'
import { redacting } from '../conversations/redact.ts'
import { on, type Reaction } from '../kit/at.ts'
import { eraseConversation } from './erase.ts'
import { findMissing } from './gate.ts'
import { cancelOfAgent } from './runs.ts'
import { removeAll } from './store.ts'

export const reactions: Reaction[] = [
  on(deploying, findMissing),
  on(redacting, eraseConversation),
  on(agents.deleted, async (at, agent_id) => {
    await Promise.all([removeAll(at, agent_id), cancelOfAgent(at, agent_id)])
  }),
]
