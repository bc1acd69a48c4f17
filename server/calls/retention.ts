import { removeMany as removeConversations } from '../conversations/retention.ts'
import type { At } from '../kit/at.ts'
import { inTransaction } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { type IsStopping, inBatches } from '../kit/postgres/in-batches.ts'
import { sql } from '../kit/postgres/sql.ts'
import * as counts from './counts.ts'
import { eraseRecording } from './erase-recording.ts'
import { deleteRows, select } from './rows.ts'

/** Each has up to 200 turns. */
const calls_batch = 100

/** Deletes calls that are old and over, with their conversations and recordings. */
export async function removeOld(
  at: At,
  { calls_keep_days }: { calls_keep_days: number | null },
  isStopping?: IsStopping,
): Promise<void> {
  if (calls_keep_days === null) return
  const before = clock.iso(at.now - calls_keep_days * clock.day_ms)
  await inBatches(calls_batch, () => removeBatch(at, before), isStopping)
}

const removeBatch = (at: At, before: string): Promise<number> =>
  inTransaction(at, async (at) => {
    const { db, workspace } = at
    const old = await select(['id', 'status', 'conversation_id']).many(
      db,
      sql`from calls
        where workspace_id = ${workspace} and created_at < ${before} and status in ('completed', 'failed', 'canceled')
        order by created_at, id limit ${calls_batch} for update skip locked`,
    )
    for (const { id } of old) await eraseRecording(at, { id, by: 'system' })
    await removeConversations(
      at,
      old.flatMap(({ conversation_id }) => conversation_id ?? []),
    )
    await deleteRows(
      at,
      old.map(({ id }) => id),
    )
    await counts.count(
      at,
      old.map(({ status }) => ({ from: status, to: null })),
    )
    return old.length
  })
