import { type At, inTransaction, type Unscoped } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { firstIdOf } from '../kit/id.ts'
import { type IsStopping, inBatches } from '../kit/postgres/in-batches.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { addToCounts } from './delivery-counts.ts'

const batch_rows = 2_000
const webhooks_max = 1_000
/** A transaction that began before a webhook was deleted may add deliveries later. No transaction takes this long. */
const late_writes_ms = 60 * 60 * 1000

/** Deletes the deliveries and inbox requests of events before this time, and recoveries that ran before it. */
export async function removeOld(at: At, before: number, isStopping?: IsStopping): Promise<void> {
  const { db, workspace } = at
  // These rows are few: at most 50 for each webhook.
  await db.run(sql`delete from inbox_requests where workspace_id = ${workspace} and created_at < ${clock.iso(before)}`)
  const webhooks = await db.many<{ id: string }>(sql`select id from webhooks where workspace_id = ${workspace}`)
  for (const { id } of webhooks) await removeDeliveries(at, id, before, isStopping)
  await inBatches(batch_rows, () => removeRecoveries(at, before), isStopping)
}

/** Deletes a batch of recoveries, the oldest first, by primary key: ids begin with the time. */
const removeRecoveries = ({ db, workspace }: At, before: number): Promise<number> =>
  db.run(
    sql`delete from webhook_recoveries where workspace_id = ${workspace} and id in (
      select id from (
        select id, created_at, finished_at from webhook_recoveries where workspace_id = ${workspace}
        order by id limit ${raw(String(batch_rows))}) as oldest
      where created_at < ${clock.iso(before)} and finished_at is not null)`,
  )

/** Deletes the deliveries of deleted webhooks: at once, and again after `late_writes_ms`. `now` is wall time. */
export async function removeDeleted(at: At, isStopping?: IsStopping): Promise<void> {
  const { db, workspace, now } = at
  const deleted = await db.many<{ webhook_id: string; deleted_at: string }>(
    sql`select webhook_id, deleted_at from deleted_webhooks
      where workspace_id = ${workspace} and due_at <= ${clock.iso(now)} order by due_at limit ${webhooks_max}`,
  )
  for (const { webhook_id, deleted_at } of deleted) {
    await removeDeliveries(at, webhook_id, clock.time_max_ms, isStopping)
    if (isStopping?.()) return
    const last_due = clock.parse(deleted_at) + late_writes_ms
    const of_webhook = sql`workspace_id = ${workspace} and webhook_id = ${webhook_id}`
    if (now < last_due) {
      await db.run(sql`update deleted_webhooks set due_at = ${clock.iso(last_due)} where ${of_webhook}`)
    } else {
      await db.run(sql`delete from webhook_delivery_counts where ${of_webhook}`)
      await db.run(sql`delete from deleted_webhooks where ${of_webhook}`)
    }
  }
}

/** Workspaces for which `removeDeleted` has something to do. */
export const workspacesWithDeleted = ({ db, now }: Unscoped): Promise<{ workspace_id: string }[]> =>
  db.many(sql`select distinct workspace_id from deleted_webhooks where due_at <= ${clock.iso(now)}`)

/** Deletes deliveries of a webhook, the oldest first, by primary key: ids begin with the time. */
async function removeDeliveries(at: At, webhook_id: string, before: number, isStopping?: IsStopping): Promise<void> {
  const of_webhook = sql`workspace_id = ${at.workspace} and webhook_id = ${webhook_id}`
  // Deleted rows stay in the index until the next vacuum, so each batch starts where the last one ended.
  let last = firstIdOf(0)
  const removeBatch = async (at: At): Promise<number> => {
    const { db } = at
    const old = await db.many<{ id: string }>(
      sql`select id from (
          select id, created_at from webhook_deliveries where ${of_webhook} and id > ${last}
          order by id limit ${raw(String(batch_rows))}) as oldest
        where created_at < ${clock.iso(before)} order by id`,
    )
    const ids = old.map(({ id }) => id)
    const removed = await db.run(sql`delete from webhook_deliveries where ${of_webhook} and id = any(${ids}::uuid[])`)
    await addToCounts(at, { webhook_ids: [webhook_id], each: -removed })
    last = ids.at(-1) ?? last
    return ids.length
  }
  await inBatches(batch_rows, () => inTransaction(at, removeBatch), isStopping)
}
