import { patternsFor } from '../events/catalog.ts'
import type { Recorded } from '../events/store.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { copyLine } from '../kit/postgres/copy.ts'
import { type Sql, sql } from '../kit/postgres/sql.ts'
import { addToCounts } from './delivery-counts.ts'

/** From this many events on, deliveries are written by COPY. */
const copy_min = 100

/** Writes a delivery of each event for every webhook that subscribes to its type. */
export function enqueue(at: At, { type, ids }: Recorded): Promise<void> {
  const is_subscribed = sql`events && ${patternsFor(type.name)}::text[]`
  return ids.length < copy_min
    ? enqueueFor(at, { type, ids }, is_subscribed)
    : enqueueMany(at, { type, ids }, is_subscribed)
}

/** Writes a delivery of each event for the active webhooks that match. */
export async function enqueueFor(at: At, { type, ids }: Recorded, matches: Sql): Promise<void> {
  const { db, workspace, now } = at
  const inserted = await db.many<{ webhook_id: string }>(
    sql`insert into webhook_deliveries (workspace_id, webhook_id, id, type, created_at, due_at)
      select ${workspace}, webhooks.id, event.id, ${type.name}, ${clock.iso(now)}, ${clock.iso(now)}
      from webhooks cross join unnest(${ids}::uuid[]) as event (id)
      where workspace_id = ${workspace} and status = 'active' and ${matches}
      returning webhook_id`,
  )
  await finish(at, [...new Set(inserted.map(({ webhook_id }) => webhook_id))], ids.length)
}

async function enqueueMany(at: At, { type, ids }: Recorded, matches: Sql): Promise<void> {
  const { db, workspace, now } = at
  const subscribed = await db.many<{ id: string }>(
    sql`select id from webhooks where workspace_id = ${workspace} and status = 'active' and ${matches}`,
  )
  const columns = ['workspace_id', 'webhook_id', 'id', 'type', 'created_at', 'due_at']
  const created_at = clock.iso(now)
  // One webhook at a time: the rows of all of them may not fit into memory.
  for (const webhook of subscribed) {
    const lines = ids.map((id) => copyLine([workspace, webhook.id, id, type.name, created_at, created_at]))
    await db.copy('webhook_deliveries', columns, lines.join(''))
  }
  const webhook_ids = subscribed.map(({ id }) => id)
  await finish(at, webhook_ids, ids.length)
}

async function finish(at: At, webhook_ids: string[], each: number): Promise<void> {
  if (webhook_ids.length === 0) return
  await addToCounts(at, { webhook_ids, each })
  at.db.notify({ topic: 'deliveries', workspace: at.workspace })
}
