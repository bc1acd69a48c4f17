import { deploying } from '../agents/deployments.ts'
import * as agents from '../agents/store.ts'
import * as contacts from '../contacts/store.ts'
import { redacting, removed } from '../conversations/erase.ts'
import { on, type Reaction } from '../kit/at.ts'
import { eraseConversation } from './erase.ts'
import { findMissing } from './gate.ts'
import { forgetContacts, forgetConversations } from './replays.ts'
import { cancelOfAgent } from './runs.ts'
import { removeAll } from './store.ts'

export const reactions: Reaction[] = [
  on(deploying, findMissing),
  on(redacting, eraseConversation),
  on(agents.deleted, async (at, agent_id) => {
    await Promise.all([removeAll(at, agent_id), cancelOfAgent(at, agent_id)])
  }),
  on(redacting, (at, { id }) => forgetConversations(at, [id])),
  on(removed, forgetConversations),
  on(contacts.deleted, (at, deleted) =>
    forgetContacts(
      at,
      deleted.map(({ id }) => id),
    ),
  ),
]
