import { type InWorkspace, inTransaction, type Unscoped } from '../kit/at.ts'
import { newId } from '../kit/id.ts'
import { selectRows } from '../kit/postgres/citus/tenants.ts'
import { type IsStopping, inBatches } from '../kit/postgres/in-batches.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'

/** Adding up this many rows of a webhook is fast enough. */
const rows_max = 100
const batch_rows = 5_000

/** Adds `each` to the delivery count of these webhooks. It inserts rows, so concurrent transactions don't wait for each other. */
export async function addToCounts(
  at: InWorkspace,
  { webhook_ids, each }: { webhook_ids: string[]; each: number },
): Promise<void> {
  if (webhook_ids.length === 0 || each === 0) return
  const selected = selectRows(at, {
    columns: sql`webhook_id, ${newId()}, ${each}`,
    from: sql`unnest(${webhook_ids}::uuid[]) as counted (webhook_id)`,
  })
  await at.db.run(sql`insert into webhook_delivery_counts (workspace_id, webhook_id, id, total) ${selected}`)
}

/** An SQL expression for the number of a webhook's deliveries. */
export const deliveryCount = (workspace: string, webhook_id: string): Sql =>
  sql`(select coalesce(sum(total), 0)::bigint from webhook_delivery_counts
    where workspace_id = ${workspace} and webhook_id = ${webhook_id})`

/** Replaces the rows of a webhook by their sum, for webhooks with many rows. */
export async function sumUpCounts(at: InWorkspace, isStopping: IsStopping): Promise<void> {
  const webhooks = await at.db.many<{ webhook_id: string }>(
    sql`select webhook_id from webhook_delivery_counts where workspace_id = ${at.workspace}
      group by webhook_id having count(*) > ${rows_max}`,
  )
  for (const { webhook_id } of webhooks)
    await inBatches(batch_rows, () => inTransaction(at, (at) => sumUpBatch(at, webhook_id)), isStopping)
}

/** Workspaces for which `sumUpCounts` has something to do. */
export const workspacesWithManyCounts = ({ db }: Pick<Unscoped, 'db'>): Promise<{ workspace_id: string }[]> =>
  db.many(
    sql`select distinct workspace_id from webhook_delivery_counts
      group by workspace_id, webhook_id having count(*) > ${rows_max}`,
  )

async function sumUpBatch(at: InWorkspace, webhook_id: string): Promise<number> {
  const { db, workspace } = at
  const of_webhook = sql`workspace_id = ${workspace} and webhook_id = ${webhook_id}`
  const rows = await db.many<{ id: string; total: number }>(
    sql`select id, total from webhook_delivery_counts where ${of_webhook}
      order by id limit ${raw(String(batch_rows))} for update skip locked`,
  )
  const ids = rows.map(({ id }) => id)
  await db.run(sql`delete from webhook_delivery_counts where ${of_webhook} and id = any(${ids}::uuid[])`)
  const sum = rows.reduce((sum, { total }) => sum + total, 0)
  await addToCounts(at, { webhook_ids: [webhook_id], each: sum })
  return rows.length
}
