import { laterUpdate } from '../conversations/store.ts'
import { type At, inTransaction } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { type IsStopping, inBatches } from '../kit/postgres/in-batches.ts'
import { type Sql, sql } from '../kit/postgres/sql.ts'
import type { Call } from './schema.ts'

/** Each needs a request to the bucket, while a transaction is open. */
const recordings_batch = 50

type Recorded = Pick<Call, 'id' | 'created_at'>

/** Where the audio of a call is kept. */
export const keyOf = (workspace: string, { id, created_at }: Recorded): string =>
  `${workspace}/${created_at.slice(0, 4)}/${created_at.slice(5, 7)}/${id}.wav`

/** Erases the audio of a call, if it has some. */
export async function eraseRecording(at: At, { id, by }: { id: string; by: string }): Promise<void> {
  await erase(at, {
    where: sql`id = ${id} and recording_status not in ('none', 'deleted')`,
    locking: sql`for update`,
    by,
  })
}

/** Erases the audio of old calls. */
export async function removeOldRecordings(
  at: At,
  { recordings_keep_days }: { recordings_keep_days: number | null },
  isStopping?: IsStopping,
): Promise<void> {
  if (recordings_keep_days === null) return
  const before = clock.iso(at.now - recordings_keep_days * clock.day_ms)
  const where = sql`recording_status = 'ready' and created_at < ${before}`
  // Those that are just being rendered follow the next time.
  const locking = sql`for update skip locked`
  const removeBatch = () => inTransaction(at, (at) => erase(at, { where, locking, by: 'retention' }))
  await inBatches(recordings_batch, removeBatch, isStopping)
}

/** Deletes the files before the rows say so: a file that is missing is rendered again, but one that is left would never be deleted. */
async function erase(
  { db, workspace, now, tools }: At,
  { where, locking, by }: { where: Sql; locking: Sql; by: string },
): Promise<number> {
  const recorded = await db.many<Recorded>(
    sql`select id, created_at from calls where workspace_id = ${workspace} and ${where}
      order by created_at limit ${recordings_batch} ${locking}`,
  )
  if (recorded.length === 0) return 0
  await Promise.all(recorded.map((call) => tools.blobs.remove(keyOf(workspace, call))))
  return db.run(
    sql`update calls set recording_status = 'deleted', recording_format = null, recording_deleted_at = ${clock.iso(now)},
        recording_deleted_by = ${by}, updated_at = ${laterUpdate(now)}
      where workspace_id = ${workspace} and id = any(${recorded.map(({ id }) => id)}::uuid[])`,
  )
}
