import * as events from '../events/store.ts'
import { type At, on, type Reaction } from '../kit/at.ts'
import { named, namesIn } from '../kit/postgres/names.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { enqueue } from './enqueue.ts'

/** The name of a webhook. It has only the host, because a URL may contain a token. */
const shown_name = raw("coalesce(description, case when url like '/%' then 'Inbox' else split_part(url, '/', 3) end)")

export const reactions: Reaction[] = [
  named('webhook', namesIn(raw('webhooks'), shown_name)),
  on(events.recorded, enqueue),
  on(events.redacted, redactDeliveries),
]

/**
 * Removes redacted events from inboxes and from stored answers, which may repeat them. The answer to an attempt in flight
 * must not be recorded either: a result counts only while `due_at` is unchanged, so this makes it earlier. The delivery is
 * then sent again, redacted.
 */
async function redactDeliveries({ db, workspace }: At, event_ids: string[]): Promise<void> {
  await Promise.all([
    db.run(sql`delete from inbox_requests where workspace_id = ${workspace} and event_id = any(${event_ids}::uuid[])`),
    db.run(
      sql`update webhook_deliveries as delivery
        set due_at = (due_at at time zone 'UTC' - interval '1 millisecond') at time zone 'UTC',
          attempts = coalesce((select jsonb_agg(attempt || '{"answer": null}' order by nth)
            from jsonb_array_elements(attempts) with ordinality as made (attempt, nth)), '[]')
        from webhooks cross join unnest(${event_ids}::uuid[]) as redacted (id)
        where webhooks.workspace_id = ${workspace} and delivery.workspace_id = ${workspace}
          and delivery.webhook_id = webhooks.id and delivery.id = redacted.id`,
    ),
  ])
}
