import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import { copyLine } from '../kit/postgres/copy.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { type Sql, sql } from '../kit/postgres/sql.ts'
import { type EventType, patternsOf, readableTypes, typesOf } from './catalog.ts'
import { countDeliveries } from './delivery-counts.ts'

export { countDeliveries, deliveryCountOf, sumUpDeliveryCounts } from './delivery-counts.ts'
export { type EventType, readableTypes }

/** So that a reader of rare types doesn't have the whole log read. */
const looked_at_max = 1_000

/** What happened to a resource: what it is now, and of an update what it was before where that is different. */
export interface Happening {
  data: { id: string }
  previous?: object
}

/** Writes down what happened, in the transaction in which it happened, and to which webhooks it is to be told. */
export async function record(
  db: Db,
  workspace: string,
  type: EventType,
  happenings: Happening[],
  now: number,
  hearers = listeningTo(type),
): Promise<void> {
  if (happenings.length === 0) return
  const at = clock.iso(now)
  const subscribers = await db.run(
    sql`with event as (
        insert into events (workspace_id, id, type, resource_id, data, previous, created_at)
        select ${workspace}, id, ${type}, resource_id, data, previous, ${at}
        from unnest(${happenings.map(() => newId())}::uuid[], ${happenings.map(({ data }) => data.id)}::uuid[],
          ${happenings.map(({ data }) => JSON.stringify(data))}::json[],
          ${happenings.map(({ previous }) => previous && JSON.stringify(previous))}::json[])
          as event (id, resource_id, data, previous)
        returning id),
      delivery as (
        insert into webhook_deliveries (workspace_id, webhook_id, id, type, created_at, due_at)
        select ${workspace}, webhooks.id, event.id, ${type}, ${at}, ${at} from webhooks cross join event
        where webhooks.workspace_id = ${workspace} and status = 'active' and ${hearers}
        returning webhook_id)
      insert into webhook_delivery_counts (workspace_id, webhook_id, id, total)
      select ${workspace}, webhook_id, ${newId()}, count(*) from delivery group by webhook_id`,
  )
  if (subscribers > 0) db.notify({ topic: 'deliveries', workspace })
}

/** Which of a workspace's webhooks are told of such an event. */
const listeningTo = (type: EventType): Sql => sql`webhooks.events && ${patternsOf(type)}::text[]`

/** To tell a webhook what it listens to and was never told of, since it was disabled then. How many there are. */
export async function tellMissed(
  db: Db,
  workspace: string,
  webhook: { id: string; events: string[]; created_at: string },
  since: string,
  now: number,
): Promise<number> {
  const types = webhook.events.flatMap(typesOf).filter((type) => type !== 'webhook.test')
  const missed = await db.run(
    sql`insert into webhook_deliveries (workspace_id, webhook_id, id, type, created_at, due_at)
      select ${workspace}, ${webhook.id}, id, type, created_at, ${clock.iso(now)} from events
      where workspace_id = ${workspace} and type = any(${types}::text[])
        and created_at >= ${clock.iso(Math.max(clock.parse(since), clock.parse(webhook.created_at)))}
      on conflict do nothing`,
  )
  await countDeliveries(db, workspace, [webhook.id], missed)
  return missed
}

/** The same for very many at once. */
export async function recordMany(
  db: Db,
  workspace: string,
  type: EventType,
  happenings: Omit<Happening, 'previous'>[],
  now: number,
): Promise<void> {
  const at = clock.iso(now)
  const ids = happenings.map(() => newId())
  const lines = happenings.map(({ data }, index) =>
    copyLine([workspace, ids[index] ?? '', type, data.id, JSON.stringify(data), at]),
  )
  const [hearers] = await Promise.all([
    db.many<{ id: string }>(
      sql`select id from webhooks
        where workspace_id = ${workspace} and status = 'active' and ${listeningTo(type)}`,
    ),
    db.copy('events', ['workspace_id', 'id', 'type', 'resource_id', 'data', 'created_at'], lines.join('')),
  ])
  if (hearers.length === 0 || ids.length === 0) return
  const columns = ['workspace_id', 'webhook_id', 'id', 'type', 'created_at', 'due_at']
  // One by one: for all of them at once they may be more than memory holds.
  for (const hearer of hearers) {
    const deliveries = ids.map((id) => copyLine([workspace, hearer.id, id, type, at, at]))
    await db.copy('webhook_deliveries', columns, deliveries.join(''))
  }
  await countDeliveries(
    db,
    workspace,
    hearers.map(({ id }) => id),
    ids.length,
  )
  db.notify({ topic: 'deliveries', workspace })
}

/**
 * What the log holds of deleted resources is reduced to their ids, and with it what is still to be sent. What the
 * receivers have answered may repeat it, and goes too. Who is sending it right now must not note the answer: it is due at
 * another time than at the claim, and is sent again as it is then.
 */
export async function forget(db: Db, workspace: string, resource_ids: string[]): Promise<void> {
  await db.run(
    sql`with reduced as (
        update events set data = json_build_object('id', resource_id), previous = null
        where workspace_id = ${workspace} and resource_id = any(${resource_ids}::uuid[])
        returning id),
      emptied as (
        delete from inbox_requests
        where workspace_id = ${workspace} and event_id in (select id from reduced))
      update webhook_deliveries as delivery
      set due_at = due_at + interval '1 millisecond',
        attempts = coalesce((select jsonb_agg(attempt || '{"answer": null}' order by place)
          from jsonb_array_elements(attempts) with ordinality as made (attempt, place)), '[]')
      from webhooks cross join reduced
      where webhooks.workspace_id = ${workspace} and delivery.workspace_id = ${workspace}
        and delivery.webhook_id = webhooks.id and delivery.id = reduced.id`,
  )
}

export interface Told {
  id: string
  type: string
  resource_id: string
  created_at: string
}

/** The newest of these types first, among the last `looked_at_max` of all. */
export const last = (db: Db, workspace: string, types: EventType[], limit: number): Promise<Told[]> =>
  db.many<Told>(
    sql`select * from (
        select id, type, resource_id, created_at from events where workspace_id = ${workspace}
        order by id desc limit ${looked_at_max}
      ) as newest
      where type = any(${types}::text[]) order by id desc limit ${limit}`,
  )
