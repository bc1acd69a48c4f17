import { table as conversations_topic } from '../conversations/store.ts'
import { type At, type InWorkspace, newTool, type Unscoped } from '../kit/at.ts'
import { isId } from '../kit/id.ts'
import { batchedGetById } from '../kit/postgres/get-by-id.ts'
import type { Pool } from '../kit/postgres/pool.ts'
import { openRowWatch, type RowWatch } from '../kit/postgres/row-watch.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import type { RowOf } from '../kit/postgres/table.ts'
import { notFound } from '../kit/problem.ts'
import { columns, joinConversation, select } from './rows.ts'
import type { Call } from './schema.ts'

/** Also the kind of due work, and the topic of notifications. */
export const table = 'calls'

const getById = batchedGetById<Call>(columns, raw(table), joinConversation)

export async function get({ db, workspace }: At, id: string): Promise<Call> {
  const found = isId(id) ? await getById(db, workspace, id) : undefined
  if (!found) throw notFound()
  return found
}

/** Calls in all workspaces that ring or are talked on, without simulated ones, for the operator. The index of calls in flight finds them. */
export async function countLive({ db }: Pick<Unscoped, 'db'>): Promise<number> {
  const { total } = await db.one<{ total: number }>(
    sql`select count(*) as total from calls where status in ('ringing', 'in_progress') and line is not null`,
  )
  return total
}

const asked = select(['request', 'facts'])

/** What someone wants of a call that this process drives, and what others have written of it. */
export async function readAsked({ db, workspace }: InWorkspace, id: string): Promise<RowOf<typeof asked>> {
  const found = await asked.maybe(db, sql`from calls where workspace_id = ${workspace} and id = ${id}`)
  return found ?? { request: null, facts: [] }
}

/** The topic of notifications that someone wants something of a call. */
export const requests = 'call_requests'

/** After the commit, the process that drives the call looks at it. */
export function announceRequest(at: At, call: Pick<Call, 'id' | 'conversation_id'>): void {
  at.db.notify({ topic: requests, workspace: at.workspace, id: call.id })
  announce(at, call)
}

/** After the commit, whoever follows or waits for the call looks at it, and a worker dials it if it is due. */
export function announce(
  { db, workspace }: At,
  { id, conversation_id }: Pick<Call, 'id' | 'conversation_id'>,
  is_due = true,
): void {
  db.notify({ topic: table, workspace, id, is_due })
  // The call drives its conversation.
  if (conversation_id !== null) db.notify({ topic: conversations_topic, workspace, id: conversation_id, is_due: false })
}

type Snapshot = Pick<Call, 'id' | 'updated_at'>

export const callWatch = newTool<RowWatch<Snapshot>>()

export const openCallWatch = (pool: Pool): RowWatch<Snapshot> =>
  openRowWatch(pool, { table: table, columns: raw('id, updated_at') })

/** The call of a campaign that this conversation belongs to. */
export async function findCallOf({ db, workspace }: At, conversation_id: string): Promise<string | undefined> {
  const call = await db.maybe<{ id: string }>(
    sql`select id from calls
      where workspace_id = ${workspace} and conversation_id = ${conversation_id} and campaign_id is not null`,
  )
  return call?.id
}
