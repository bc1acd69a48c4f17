import { subscriptionsTo } from '../events/catalog.ts'
import type { Recorded } from '../events/store.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import { copyLine } from '../kit/postgres/copy.ts'
import { type Sql, sql } from '../kit/postgres/sql.ts'
import { addToCounts } from './delivery-counts.ts'

/** From this many events on, deliveries are written by COPY. */
const copy_min = 100

/** Adds a delivery of each event for every active webhook that subscribes to its type. */
export function enqueue(at: At, { type, ids }: Recorded): Promise<void> {
  const is_subscribed = sql`webhooks.events && ${subscriptionsTo(type.name)}::text[]`
  return ids.length < copy_min
    ? enqueueFor(at, { type, ids, webhook_condition: is_subscribed })
    : copyDeliveries(at, { type, ids, webhook_condition: is_subscribed })
}

interface NewDeliveries extends Recorded {
  /** A condition on `webhooks`. */
  webhook_condition: Sql
}

/** Adds a delivery of each event for the active webhooks that match. The statements are sent together. */
export async function enqueueFor(
  { db, workspace, now }: At,
  { type, ids, webhook_condition }: NewDeliveries,
): Promise<void> {
  const [added] = await Promise.all([
    db.run(
      sql`insert into webhook_deliveries (workspace_id, webhook_id, id, type, created_at, due_at)
        select webhooks.workspace_id, webhooks.id, event.id, ${type.name}, ${clock.iso(now)}, ${clock.iso(now)}
        from webhooks cross join unnest(${ids}::uuid[]) as event (id)
        where webhooks.workspace_id = ${workspace} and status = 'active' and ${webhook_condition}`,
    ),
    // This statement counts the rows themselves, because the matching webhooks may have changed since the statement
    // before.
    db.run(
      sql`insert into webhook_delivery_counts (workspace_id, webhook_id, id, total)
        select webhooks.workspace_id, webhooks.id, ${newId()}, count(*)
        from webhooks cross join unnest(${ids}::uuid[]) as event (id)
        join webhook_deliveries as delivery on delivery.workspace_id = ${workspace}
          and delivery.webhook_id = webhooks.id and delivery.id = event.id
        where webhooks.workspace_id = ${workspace}
        group by webhooks.workspace_id, webhooks.id`,
    ),
  ])
  if (added > 0) db.notify({ topic: 'deliveries', workspace })
}

async function copyDeliveries(at: At, { type, ids, webhook_condition }: NewDeliveries): Promise<void> {
  const { db, workspace, now } = at
  const webhooks = await db.many<{ id: string }>(
    sql`select id from webhooks where workspace_id = ${workspace} and status = 'active' and ${webhook_condition}`,
  )
  if (webhooks.length === 0) return
  const columns = ['workspace_id', 'webhook_id', 'id', 'type', 'created_at', 'due_at']
  const created_at = clock.iso(now)
  // Deliveries are copied for one webhook at a time, because the rows for all of them may not fit into memory.
  for (const webhook of webhooks) {
    const lines = ids.map((id) => copyLine([workspace, webhook.id, id, type.name, created_at, created_at]))
    await db.copy('webhook_deliveries', columns, lines.join(''))
  }
  const webhook_ids = webhooks.map(({ id }) => id)
  await addToCounts(at, { webhook_ids, each: ids.length })
  db.notify({ topic: 'deliveries', workspace })
}
