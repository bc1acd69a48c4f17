import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { type IsStopping, inBatches } from '../kit/postgres/in-batches.ts'
import { sql } from '../kit/postgres/sql.ts'

/** Limits look back eight days. The explanation of an enrollment needs older attempts, too. */
const attempts_kept_ms = 90 * clock.day_ms
const batch_rows = 5_000

/** Deletes old attempts. Campaigns and enrollments stay until they are deleted. */
export function removeOld({ db, workspace, now }: At, isStopping?: IsStopping): Promise<number> {
  const before = clock.iso(now - attempts_kept_ms)
  const removeBatch = () =>
    db.run(
      sql`delete from campaign_attempts where workspace_id = ${workspace} and id = any(array(
        select id from campaign_attempts where workspace_id = ${workspace} and at < ${before} order by at
        limit ${batch_rows}))`,
    )
  return inBatches(batch_rows, removeBatch, isStopping)
}
