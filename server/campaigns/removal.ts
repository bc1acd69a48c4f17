import { type At, inTransaction } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import type { IsCurrent } from '../kit/http/operation.ts'
import { sql } from '../kit/postgres/sql.ts'
import { invalidState, preconditionFailed } from '../kit/problem.ts'
import { announce, assertHeld, isHeld, type Lease, type RowWork } from '../kit/work/rows.ts'
import { deleteSome } from './enrollment-rows.ts'
import { deleteRow } from './rows.ts'
import { type Campaign, final_statuses, open_enrollment_statuses } from './schema.ts'
import { lock } from './store.ts'

const batch_rows = 5_000

/**
 * Removes a campaign. A million enrollments are too many for one transaction, so they are deleted in the background.
 * Attempts stay, because they count for the limits of people.
 */
export async function remove(
  at: At,
  { id, isCurrent }: { id: string; isCurrent: IsCurrent },
): Promise<{ deleted: true }> {
  const { db, workspace, now } = at
  const campaign = await lock(at, id)
  if (!isCurrent(campaign)) throw preconditionFailed()
  assertRemovable(campaign)
  await Promise.all([
    deleteRow(at, id),
    db.run(
      sql`insert into deleted_campaigns (workspace_id, id, due_at) values (${workspace}, ${id}, ${clock.iso(now)})`,
    ),
  ])
  announce(at, work)
  return { deleted: true }
}

function assertRemovable({ status, counts }: Campaign): void {
  if (status === 'draft') return
  if (!final_statuses.includes(status))
    throw invalidState(`A campaign that is ${status} can't be deleted. Cancel it first.`, { status })
  if (open_enrollment_statuses.some((one) => (counts.by_status[one] ?? 0) > 0))
    throw invalidState('Attempts of this campaign are still in progress. Try again when they have ended.', { status })
}

export const work: RowWork = {
  table: 'deleted_campaigns',
  begin: async (at, lease) => () => inTransaction(at, (at) => removeBatch(at, lease)),
}

/** Deletes some enrollments, and what is left of the campaign after the last one. */
async function removeBatch(at: At, lease: Lease): Promise<boolean> {
  const { db, workspace } = at
  const removed = await deleteSome(at, lease.id, batch_rows)
  // A short batch is no sign of the end, because contacts are deleted at the same time.
  const is_last = removed === 0
  if (is_last)
    await db.run(sql`delete from campaign_counts where workspace_id = ${workspace} and campaign_id = ${lease.id}`)
  const changed = await db.run(
    is_last
      ? sql`delete from deleted_campaigns where ${isHeld(lease)}`
      : sql`update deleted_campaigns set attempt = 0 where ${isHeld(lease)}`,
  )
  assertHeld(changed)
  return !is_last
}
