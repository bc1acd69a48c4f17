import * as events from '../events/store.ts'
import { type At, on, type Reaction } from '../kit/at.ts'
import { sql } from '../kit/postgres/sql.ts'
import { enqueue } from './enqueue.ts'

export const reactions: Reaction[] = [on(events.recorded, enqueue), on(events.redacted, redactDeliveries)]

/**
 * Removes redacted events from inboxes and from stored responses, which may repeat them. A delivery in flight must not
 * record its response: changing `due_at` makes it another delivery than the one claimed, and it is sent again, redacted.
 */
async function redactDeliveries({ db, workspace }: At, event_ids: string[]): Promise<void> {
  if (event_ids.length === 0) return
  await Promise.all([
    db.run(sql`delete from inbox_requests where workspace_id = ${workspace} and event_id = any(${event_ids}::uuid[])`),
    db.run(
      sql`update webhook_deliveries as delivery
        set due_at = due_at + interval '1 millisecond',
          attempts = coalesce((select jsonb_agg(attempt || '{"answer": null}' order by place)
            from jsonb_array_elements(attempts) with ordinality as made (attempt, place)), '[]')
        from webhooks cross join unnest(${event_ids}::uuid[]) as redacted (id)
        where webhooks.workspace_id = ${workspace} and delivery.workspace_id = ${workspace}
          and delivery.webhook_id = webhooks.id and delivery.id = redacted.id`,
    ),
  ])
}
