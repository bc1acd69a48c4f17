import { type At, inTransaction } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { type IsStopping, inBatches } from '../kit/postgres/in-batches.ts'
import { type Sql, sql } from '../kit/postgres/sql.ts'
import { removeLater } from './recording-files.ts'
import { select, setRecordingsDeleted } from './rows.ts'

const recordings_batch = 1_000

/** Erases the audio of a call, if it has some. The file is removed in the background. */
export async function eraseRecording(at: At, { id, by }: { id: string; by: string }): Promise<void> {
  await eraseSome(at, {
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
  // Those that are just being changed follow the next time.
  const locking = sql`for update skip locked`
  const removeBatch = () => inTransaction(at, (at) => eraseSome(at, { where, locking, by: 'retention' }))
  await inBatches(recordings_batch, removeBatch, isStopping)
}

async function eraseSome(at: At, { where, locking, by }: { where: Sql; locking: Sql; by: string }): Promise<number> {
  const { db, workspace } = at
  const recorded = await select(['id', 'created_at']).many(
    db,
    sql`from calls where workspace_id = ${workspace} and ${where}
      order by created_at limit ${recordings_batch} ${locking}`,
  )
  if (recorded.length === 0) return 0
  await removeLater(at, recorded)
  return setRecordingsDeleted(
    at,
    recorded.map(({ id }) => id),
    by,
  )
}
