import * as events from '../events/store.ts'
import * as clock from '../kit/clock.ts'
import { firstIdOf } from '../kit/id.ts'
import { type IsStopping, inBatches } from '../kit/postgres/in-batches.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { raw, sql } from '../kit/postgres/sql.ts'

const removed_at_once_max = 2_000
const deleted_at_once_max = 1_000
/** No transaction that has still seen a webhook, and writes a delivery for it, takes so long. */
const late_ms = 60 * 60 * 1000

/** Deliveries go when their events do, and so does what came to inboxes. */
export async function removeOld(db: Db, workspace: string, before: number, isStopping?: IsStopping): Promise<void> {
  // At most 50 for each webhook.
  await db.run(sql`delete from inbox_requests where workspace_id = ${workspace} and created_at < ${clock.iso(before)}`)
  const webhooks = await db.many<{ id: string }>(sql`select id from webhooks where workspace_id = ${workspace}`)
  for (const { id } of webhooks) await removeDeliveries(db, workspace, id, before, isStopping)
}

/** Removes the deliveries of webhooks that were deleted: at once, and once more for those that were written meanwhile. */
export async function removeDeleted(db: Db, workspace: string, now: number, isStopping?: IsStopping): Promise<void> {
  const deleted = await db.many<{ webhook_id: string; deleted_at: string }>(
    sql`select webhook_id, deleted_at from deleted_webhooks
      where workspace_id = ${workspace} and due_at <= ${clock.iso(now)} order by due_at limit ${deleted_at_once_max}`,
  )
  for (const { webhook_id, deleted_at } of deleted) {
    await removeDeliveries(db, workspace, webhook_id, clock.time_max_ms, isStopping)
    if (isStopping?.()) return
    const last_due = clock.parse(deleted_at) + late_ms
    const of_webhook = sql`workspace_id = ${workspace} and webhook_id = ${webhook_id}`
    if (now < last_due) {
      await db.run(sql`update deleted_webhooks set due_at = ${clock.iso(last_due)} where ${of_webhook}`)
    } else {
      await db.run(sql`delete from webhook_delivery_counts where ${of_webhook}`)
      await db.run(sql`delete from deleted_webhooks where ${of_webhook}`)
    }
  }
}

/** Where there are deliveries of deleted webhooks to look for. */
export const workspacesWithDeleted = (db: Db, now: number): Promise<{ workspace_id: string }[]> =>
  db.many(sql`select distinct workspace_id from deleted_webhooks where due_at <= ${clock.iso(now)}`)

/** From the oldest on, along the primary key: ids begin with the time. */
async function removeDeliveries(
  db: Db,
  workspace: string,
  webhook_id: string,
  before: number,
  isStopping?: IsStopping,
): Promise<void> {
  const of_webhook = sql`workspace_id = ${workspace} and webhook_id = ${webhook_id}`
  // What was removed stays in the index until the next vacuum, so that each batch goes on where the last one ended.
  let last = firstIdOf(0)
  const removeSome = async (db: Db): Promise<number> => {
    const old = await db.many<{ id: string }>(
      sql`select id from (
          select id, created_at from webhook_deliveries where ${of_webhook} and id > ${last}
          order by id limit ${raw(String(removed_at_once_max))}) as oldest
        where created_at < ${clock.iso(before)} order by id`,
    )
    const ids = old.map(({ id }) => id)
    const removed = await db.run(sql`delete from webhook_deliveries where ${of_webhook} and id = any(${ids}::uuid[])`)
    await events.countDeliveries(db, workspace, [webhook_id], -removed)
    last = ids.at(-1) ?? last
    return ids.length
  }
  await inBatches(removed_at_once_max, () => db.tx(removeSome), isStopping)
}
