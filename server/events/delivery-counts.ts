import { newId } from '../kit/id.ts'
import { type IsStopping, inBatches } from '../kit/postgres/in-batches.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'

/** Until a webhook has more rows than this, reading them all costs next to nothing. */
const rows_max = 100
const summed_at_once_max = 5_000

/** Adds to the number of a webhook's deliveries, in the transaction that adds or removes them. Locks nothing. */
export async function countDeliveries(db: Db, workspace: string, webhook_ids: string[], each: number): Promise<void> {
  if (webhook_ids.length === 0 || each === 0) return
  await db.run(
    sql`insert into webhook_delivery_counts (workspace_id, webhook_id, id, total)
      select ${workspace}, webhook_id, ${newId()}, ${each} from unnest(${webhook_ids}::uuid[]) as counted (webhook_id)`,
  )
}

/** How many deliveries a webhook has, as a value within a statement. */
export const deliveryCountOf = (workspace: string, webhook_id: string): Sql =>
  sql`(select coalesce(sum(total), 0)::bigint from webhook_delivery_counts
    where workspace_id = ${workspace} and webhook_id = ${webhook_id})`

/** Replaces the rows of each webhook that has many by one with their sum. */
export async function sumUpDeliveryCounts(db: Db, isStopping: IsStopping): Promise<void> {
  const webhooks = await db.many<{ workspace_id: string; webhook_id: string }>(
    sql`select workspace_id, webhook_id from webhook_delivery_counts
      group by workspace_id, webhook_id having count(*) > ${rows_max}`,
  )
  for (const { workspace_id, webhook_id } of webhooks) {
    await inBatches(summed_at_once_max, () => db.tx((db) => sumUpSome(db, workspace_id, webhook_id)), isStopping)
  }
}

async function sumUpSome(db: Db, workspace: string, webhook_id: string): Promise<number> {
  const of_webhook = sql`workspace_id = ${workspace} and webhook_id = ${webhook_id}`
  const rows = await db.many<{ id: string; total: number }>(
    sql`select id, total from webhook_delivery_counts where ${of_webhook}
      order by id limit ${raw(String(summed_at_once_max))} for update skip locked`,
  )
  const ids = rows.map(({ id }) => id)
  await db.run(sql`delete from webhook_delivery_counts where ${of_webhook} and id = any(${ids}::uuid[])`)
  const sum = rows.reduce((sum, { total }) => sum + total, 0)
  await countDeliveries(db, workspace, [webhook_id], sum)
  return rows.length
}
