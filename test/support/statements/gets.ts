import * as agents from '../../../server/agents/find.ts'
import * as calls from '../../../server/calls/store.ts'
import { callWatch } from '../../../server/calls/store.ts'
import * as enrollments from '../../../server/campaigns/enrollments.ts'
import * as campaigns from '../../../server/campaigns/store.ts'
import * as channels from '../../../server/channels/store.ts'
import * as contacts from '../../../server/contacts/store.ts'
import * as conversations from '../../../server/conversations/store.ts'
import { conversationWatch } from '../../../server/conversations/stream.ts'
import * as feed from '../../../server/events/feed.ts'
import type { AtOutside } from '../../../server/kit/at.ts'
import { newId } from '../../../server/kit/id.ts'
import { Problem } from '../../../server/kit/problem.ts'
import type { Server } from '../harness.ts'

const gets: ((at: AtOutside, id: string) => Promise<unknown>)[] = [
  agents.get,
  calls.get,
  campaigns.get,
  channels.get,
  contacts.get,
  conversations.get,
  enrollments.get,
  (at, id) => feed.get(at, { id, names: [], hides_contacts: false }),
  (at, id) => conversationWatch.of(at).readSnapshot(at, id),
  (at, id) => callWatch.of(at).readSnapshot(at, id),
]

/** Sends each get that is batched, in two workspaces at once. */
export async function getInTwoWorkspaces(server: Server): Promise<void> {
  const ats = [server.at((await server.workspace()).id), server.at((await server.workspace()).id)]
  const unlessNotFound = (error: unknown) => {
    if (!(error instanceof Problem)) throw error
  }
  for (const get of gets) await Promise.all(ats.map((at) => get(at, newId()).catch(unlessNotFound)))
}
