import { removeMany } from '../conversations/erase.ts'
import { type At, inTransaction } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { type IsStopping, inBatches } from '../kit/postgres/in-batches.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { ofRun } from './runs.ts'

const conversations_kept_days = 30
const runs_kept_days = 90
/** A batch has this many conversations, each of up to some hundred turns. */
const conversations_batch = 100
/** A batch has this many runs, each of up to 500 results. */
const runs_batch = 10

/** Deletes conversations of runs, and later the runs with their results. Both go by wall time, as runs do. */
export async function removeOld(at: At, isStopping: IsStopping = () => false): Promise<void> {
  const { db, workspace, now } = at
  const before = (days: number) => clock.iso(now - days * clock.day_ms)
  await inBatches(1, () => removeConversations(at, before(conversations_kept_days), isStopping), isStopping)
  const removeRuns = () =>
    db.run(
      sql`delete from test_runs where workspace_id = ${workspace} and id = any(array(
        select id from test_runs
        where workspace_id = ${workspace} and created_at < ${before(runs_kept_days)} and not has_conversations
          and due_at is null
        order by created_at limit ${raw(String(runs_batch))}))`,
    )
  await inBatches(runs_batch, removeRuns, isStopping)
}

/** Deletes conversations of the oldest run that has some. Returns 0 if there is none. */
async function removeConversations(at: At, before: string, isStopping: IsStopping): Promise<number> {
  const { db, workspace } = at
  const run = await db.maybe<{ id: string }>(
    sql`select id from test_runs
      where workspace_id = ${workspace} and has_conversations and created_at < ${before} and due_at is null
      order by created_at, id limit 1`,
  )
  if (!run) return 0
  const results = await db.many<{ conversation_ids: string[] }>(
    sql`select conversation_ids from test_run_results where ${ofRun(at, run.id)} order by position`,
  )
  const ids = results.flatMap(({ conversation_ids }) => conversation_ids)
  for (let start = 0; start < ids.length; start += conversations_batch) {
    if (isStopping()) return 0
    await inTransaction(at, (at) => removeMany(at, ids.slice(start, start + conversations_batch)))
  }
  // The differences of a replay are words of the conversations, too.
  await db.run(
    sql`update test_run_results set differences = '[]', conversation_ids = '{}', conversation_id = null, source_contact_id = null
      where ${ofRun(at, run.id)} and source_conversation_id is not null`,
  )
  return db.run(
    sql`update test_runs set has_conversations = false where workspace_id = ${workspace} and id = ${run.id}`,
  )
}
