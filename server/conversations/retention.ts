import * as unanswered from '../documents/unanswered.ts'
import { type At, inTransaction, newHook } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { type IsStopping, inBatches } from '../kit/postgres/in-batches.ts'
import { sql } from '../kit/postgres/sql.ts'
import * as counts from './counts.ts'
import { deleteClosed, deleteOld } from './rows.ts'

/** Each conversation has up to 200 turns. */
const conversations_batch = 100
const runs_batch = 2_000
/** A day's tokens are needed on that day only. */
const token_days_kept = 7

/** Runs in the transaction that deletes conversations, with their ids. */
export const removed = newHook<string[]>('conversations.removed')

interface Keep {
  conversations_keep_days: number | null
  tool_runs_keep_days: number | null
}

/** Deletes closed conversations and tool runs that are old. Conversations of calls are deleted with their calls. */
export async function removeOld(at: At, keep: Keep, isStopping?: IsStopping): Promise<void> {
  const { db, workspace, now } = at
  const before = (days: number) => clock.iso(now - days * clock.day_ms)
  const { conversations_keep_days, tool_runs_keep_days } = keep
  if (conversations_keep_days !== null)
    await inBatches(conversations_batch, () => removeBatch(at, before(conversations_keep_days)), isStopping)
  if (tool_runs_keep_days !== null) {
    const removeRuns = () =>
      db.run(
        sql`delete from tool_runs where workspace_id = ${workspace} and (conversation_id, id) in (
          select conversation_id, id from tool_runs
          where workspace_id = ${workspace} and created_at < ${before(tool_runs_keep_days)}
          order by created_at limit ${runs_batch})`,
      )
    await inBatches(runs_batch, removeRuns, isStopping)
  }
  await db.run(
    sql`delete from token_days where workspace_id = ${workspace} and day < ${before(token_days_kept).slice(0, 10)}`,
  )
}

/** Their turns and tool runs are deleted with them. */
const removeBatch = (at: At, before: string): Promise<number> =>
  inTransaction(at, async (at) => {
    const old = await deleteOld(at, before, conversations_batch)
    await noteRemoved(at, old)
    return old.length
  })

/** Deletes closed conversations, in the transaction that deletes what they belong to. */
export async function removeMany(at: At, ids: string[]): Promise<void> {
  if (ids.length > 0) await noteRemoved(at, await deleteClosed(at, ids))
}

async function noteRemoved(at: At, conversations: { id: string; is_test: boolean }[]): Promise<void> {
  const ids = conversations.map(({ id }) => id)
  await Promise.all([
    counts.count(
      at,
      conversations.map(({ is_test }) => ({ from: 'closed', to: null, is_test })),
    ),
    unanswered.forget(at, ids),
    at.hooks.run(at, removed, ids),
  ])
}
