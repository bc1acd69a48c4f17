import { deploying } from '../agents/deployments.ts'
import * as agents from '../agents/store.ts'
import * as contacts from '../contacts/store.ts'
import { redacting } from '../conversations/redact.ts'
import { removed } from '../conversations/retention.ts'
import { on, type Reaction } from '../kit/at.ts'
import { named, namesIn } from '../kit/postgres/names.ts'
import { raw } from '../kit/postgres/sql.ts'
import { eraseConversation } from './erase.ts'
import { findMissing } from './gate.ts'
import { forgetContacts, forgetConversations } from './replays.ts'
import { cancelOfAgent } from './runs.ts'
import { removeAll, table } from './store.ts'

export const reactions: Reaction[] = [
  named('agent_test', namesIn(raw(table), raw('name'))),
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
