import * as agents from '../agents/store.ts'
import * as contacts from '../contacts/store.ts'
import { type At, on, type Reaction } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { sql } from '../kit/postgres/sql.ts'
import { laterUpdate, table } from './store.ts'

export const reactions: Reaction[] = [on(contacts.deleted, unlinkContacts), on(agents.deleted, closeSoon)]

/** Conversations stay when their contacts are deleted, without a link and without the number. */
async function unlinkContacts({ db, workspace, now }: At, contact_ids: string[]): Promise<void> {
  await db.run(
    sql`update conversations set contact_id = null, counterpart = null, updated_at = ${laterUpdate(now)}
      where workspace_id = ${workspace} and contact_id = any(${contact_ids}::uuid[])`,
  )
}

/** There may be many, so they are closed in the background. */
async function closeSoon({ db, workspace, now }: At, agent_id: string): Promise<void> {
  await db.run(
    sql`update conversations set close_reason = 'agent_deleted', due_at = ${clock.iso(now)}
      where workspace_id = ${workspace} and agent_id = ${agent_id} and status <> 'closed'`,
  )
  db.notify({ topic: table, workspace })
}
