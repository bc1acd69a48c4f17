import { isSubscribed } from '../events/catalog.ts'
import { referencesOf } from '../events/named.ts'
import * as events from '../events/store.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import * as page from '../kit/postgres/page.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'
import { invalidState, notFound } from '../kit/problem.ts'
import { deliveryCount } from './delivery-counts.ts'
import { enqueueFor } from './enqueue.ts'
import { event_types } from './event-types.ts'
import type {
  Attempt,
  Delivery,
  DeliveryCounts,
  DeliveryQuery,
  DeliveryStatus,
  DeliveryWithAttempts,
  Webhook,
} from './schema.ts'
import * as webhooks from './store.ts'

const own_columns = raw('webhook_id, id, type, status, attempt, created_at, due_at')
const columns = sql`${own_columns}, attempts -> -1 as last_attempt`

/** Counts stop here, so that counting costs the same however many deliveries there are. */
const counted_max = 10_000
const hours_counted = 24
const hour_ms = 60 * 60 * 1000

interface DeliveryId {
  webhook_id: string
  id: string
}

/**
 * Returns the body of a delivery, the same bytes for each attempt: without names, which change, and without members
 * that events from before don't have.
 */
export function toRequestBody(workspace: string, event: events.EventText): string {
  const { id, type, timestamp, data, previous } = event
  const references = referencesOf(event)
  const start = JSON.stringify({ id, type, timestamp, workspace_id: workspace, ...references }).slice(0, -1)
  return `${start},"data":${data}${previous === null ? '' : `,"previous":${previous}`}}`
}

export async function list(
  at: At,
  { webhook_id, query }: { webhook_id: string; query: DeliveryQuery },
): Promise<page.Page<Delivery>> {
  const { db, workspace } = at
  await webhooks.get(at, webhook_id)
  const all = sql`webhook_deliveries where workspace_id = ${workspace} and webhook_id = ${webhook_id}`
  const withStatus = (status: DeliveryStatus) => sql`${all} and ${conditions[status]}`
  const countWith = (status: DeliveryStatus) => sql`(select count(*) from ${withStatus(status)})`
  const count = deliveryCount(workspace, webhook_id)
  const totals = {
    all: count,
    pending: countWith('pending'),
    failed: countWith('failed'),
    // This count is calculated, because an index on this status would slow down every delivery.
    succeeded: sql`${count} - ${countWith('pending')} - ${countWith('failed')}`,
  }
  return page.read(query, page.newest_id_first, async (cut) => {
    const [rows, { total }] = await Promise.all([
      db.many<Delivery>(cut.rows(sql`select ${columns} from ${query.status ? withStatus(query.status) : all}`)),
      db.one<{ total: number }>(sql`select ${totals[query.status ?? 'all']} as total`),
    ])
    return { rows, total }
  })
}

/** Conditions that are the same as in the partial indexes, so that the planner uses them. */
const conditions: Record<DeliveryStatus, Sql> = {
  pending: raw('due_at is not null'),
  succeeded: raw("status = 'succeeded'"),
  failed: raw("status = 'failed'"),
}

/**
 * Counts deliveries by the time of their events, in whole hours, so that the answer stays the same until a delivery
 * changes or an hour begins.
 */
export async function countByHour(at: At, webhook_id: string): Promise<DeliveryCounts> {
  const { db, workspace, now } = at
  await webhooks.get(at, webhook_id)
  const since = now - (now % hour_ms) - (hours_counted - 1) * hour_ms
  const rows = await db.many<{ hour: number; status: DeliveryStatus; total: number }>(
    sql`select least(greatest(floor(date_part('epoch', created_at - ${clock.iso(since)}::timestamptz) / 3600), -1),
        ${hours_counted - 1})::int as hour, status, count(*) as total
      from (select created_at, status from webhook_deliveries
        where workspace_id = ${workspace} and webhook_id = ${webhook_id} order by id desc limit ${counted_max}) as latest
      group by 1, 2`,
  )
  const hours = Array.from({ length: hours_counted }, (_, hour) => {
    const totalOf = (status: DeliveryStatus) =>
      rows.find((row) => row.hour === hour && row.status === status)?.total ?? 0
    return {
      start: clock.iso(since + hour * hour_ms),
      succeeded: totalOf('succeeded'),
      failed: totalOf('failed'),
      pending: totalOf('pending'),
    }
  })
  const counted = rows.reduce((sum, { total }) => sum + total, 0)
  return { hours, is_complete: counted < counted_max || rows.some(({ hour }) => hour < 0) }
}

export async function get({ db, workspace }: At, { webhook_id, id }: DeliveryId): Promise<DeliveryWithAttempts> {
  const found = await db.maybe<Omit<Delivery, 'last_attempt'> & events.EventText & { attempts: Attempt[] }>(
    sql`select delivery.*, ${events.text_columns}
      from (select ${own_columns}, attempts from webhook_deliveries
        where workspace_id = ${workspace} and webhook_id = ${webhook_id} and id = ${id}) as delivery
      join webhooks on webhooks.workspace_id = ${workspace} and webhooks.id = webhook_id
      ${events.joinEvent(workspace, raw('delivery.id'))}`,
  )
  if (!found) throw notFound()
  return { ...found, body: toRequestBody(workspace, found) }
}

/** Records a test event and sends it to this webhook only, also if the webhook doesn't subscribe to it. */
export async function test(at: At, webhook_id: string): Promise<Delivery> {
  const webhook = assertActive(await webhooks.lock(at, { id: webhook_id }))
  const type = event_types.test
  const id = await events.recordOnly(at, type, { data: webhooks.toSummary(webhook) })
  await enqueueFor(at, { type, ids: [id], webhook_condition: sql`webhooks.id = ${webhook_id}` })
  return at.db.one<Delivery>(
    sql`select ${columns} from webhook_deliveries
      where workspace_id = ${at.workspace} and webhook_id = ${webhook_id} and id = ${id}`,
  )
}

/**
 * Sends a delivery again, from the first attempt on. It may have any status. The answer is stored with its idempotency
 * key, so it doesn't have what the receiver has said.
 */
export async function resend(
  at: At,
  { webhook_id, id, assertReadable }: DeliveryId & { assertReadable: webhooks.AssertReadable },
): Promise<Delivery> {
  const { db, workspace, now } = at
  const webhook = assertActive(await webhooks.get(at, webhook_id))
  const sent = await db.maybe<Delivery>(
    sql`update webhook_deliveries set ${asPending(now)}
      where workspace_id = ${workspace} and webhook_id = ${webhook_id} and id = ${id}
      returning ${own_columns}, null::jsonb as last_attempt`,
  )
  if (!sent) throw notFound()
  // The URL may have changed since the webhook subscribed to this type.
  if (!isFor(webhook, sent.type)) assertReadable([sent.type])
  db.notify({ topic: 'deliveries', workspace })
  return sent
}

/** Whether the webhook gets events of this type now. */
export const isFor = (webhook: Webhook, type: string): boolean =>
  type === event_types.test.name || isSubscribed(type, webhook.events)

/**
 * Makes a delivery pending. The result of an attempt in flight is not recorded, because `attempt` or `due_at` changes.
 */
export const asPending = (now: number): Sql =>
  // The time is always another one, also by a clock that stands still: the result of an attempt in flight must not
  // count.
  sql`status = 'pending', attempt = 0, due_at = least(${clock.iso(now)}::timestamptz,
    (due_at at time zone 'UTC' - interval '1 millisecond') at time zone 'UTC')`

/**
 * Throws if the webhook is disabled. It takes no lock: if the webhook is disabled at the same time, its pending
 * deliveries fail soon.
 */
export function assertActive(webhook: Webhook): Webhook {
  if (webhook.status === 'active') return webhook
  throw invalidState('This webhook is disabled: set its status to active first.')
}
