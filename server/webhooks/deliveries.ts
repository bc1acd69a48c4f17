import * as events from '../events/store.ts'
import * as clock from '../kit/clock.ts'
import * as page from '../kit/postgres/page.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'
import { invalidState, notFound } from '../kit/problem.ts'
import type { Attempt, Delivery, DeliveryQuery, DeliveryStatus, DeliveryWithAttempts, Webhook } from './schema.ts'
import * as webhooks from './store.ts'

const columns = raw('webhook_id, id, type, status, attempt, created_at, due_at')

/** An event as it was written down: its texts are sent as they are, so that each attempt sends the same bytes. */
export interface Told {
  id: string
  type: string
  timestamp: string
  data: string
  previous: string | null
}

export const told_columns = raw('event.created_at as timestamp, event.data::text, event.previous::text')

/** What is sent. */
export const bodyOf = (workspace: string, { id, type, timestamp, data, previous }: Told): string =>
  `{"id":"${id}","type":"${type}","timestamp":"${timestamp}","workspace_id":"${workspace}","data":${data}` +
  `${previous === null ? '' : `,"previous":${previous}`}}`

export async function list(
  db: Db,
  workspace: string,
  webhook_id: string,
  query: DeliveryQuery,
): Promise<page.Page<Delivery>> {
  await webhooks.get(db, workspace, webhook_id)
  const all = sql`webhook_deliveries where workspace_id = ${workspace} and webhook_id = ${webhook_id}`
  const having = (status: DeliveryStatus) => sql`${all} and ${conditions[status]}`
  const countOf = (status: DeliveryStatus) => sql`(select count(*) from ${having(status)})`
  const counted = events.deliveryCountOf(workspace, webhook_id)
  const totals = {
    all: counted,
    pending: countOf('pending'),
    failed: countOf('failed'),
    // The rest, so that it needs no index of its own: each costs every delivery.
    succeeded: sql`${counted} - ${countOf('pending')} - ${countOf('failed')}`,
  }
  return page.read(query, page.newest_id_first, async (cut) => {
    const [rows, { total }] = await Promise.all([
      db.many<Delivery>(cut.rows(sql`select ${columns} from ${query.status ? having(query.status) : all}`)),
      db.one<{ total: number }>(sql`select ${totals[query.status ?? 'all']} as total`),
    ])
    return { rows, total }
  })
}

/** In the words of the indexes that there are. */
const conditions: Record<DeliveryStatus, Sql> = {
  pending: raw('due_at is not null'),
  succeeded: raw("status = 'succeeded'"),
  failed: raw("status = 'failed'"),
}

export async function get(db: Db, workspace: string, webhook_id: string, id: string): Promise<DeliveryWithAttempts> {
  const found = await db.maybe<Delivery & Told & { attempts: Attempt[] }>(
    sql`select delivery.*, ${told_columns}
      from (select ${columns}, attempts from webhook_deliveries
        where workspace_id = ${workspace} and webhook_id = ${webhook_id} and id = ${id}) as delivery
      join webhooks on webhooks.workspace_id = ${workspace} and webhooks.id = webhook_id
      join events as event on event.workspace_id = ${workspace} and event.id = delivery.id`,
  )
  if (!found) throw notFound()
  return { ...found, body: bodyOf(workspace, found) }
}

/** Made up, and sent to this one alone. */
export async function test(db: Db, workspace: string, webhook_id: string, now: number): Promise<Delivery> {
  const webhook = assertActive(await webhooks.lock(db, workspace, webhook_id, () => true))
  const data = webhooks.summaryOf(webhook)
  await events.record(db, workspace, 'webhook.test', [{ data }], now, sql`webhooks.id = ${webhook_id}`)
  return db.one<Delivery>(
    sql`select ${columns} from webhook_deliveries where workspace_id = ${workspace} and webhook_id = ${webhook_id}
      and type = 'webhook.test' order by id desc limit 1`,
  )
}

/** From the first attempt on, whatever became of it before. */
export async function resend(
  db: Db,
  workspace: string,
  { webhook_id, id }: { webhook_id: string; id: string },
  now: number,
): Promise<Delivery> {
  assertActive(await webhooks.get(db, workspace, webhook_id))
  const sent = await db.maybe<Delivery>(
    sql`update webhook_deliveries set ${again(now)}
      where workspace_id = ${workspace} and webhook_id = ${webhook_id} and id = ${id} returning ${columns}`,
  )
  if (!sent) throw notFound()
  db.notify({ topic: 'deliveries', workspace })
  return sent
}

export async function recover(
  db: Db,
  workspace: string,
  { webhook_id, since }: { webhook_id: string; since: string },
  now: number,
): Promise<{ recovered: number }> {
  const webhook = assertActive(await webhooks.get(db, workspace, webhook_id))
  const failed = await db.run(
    sql`update webhook_deliveries set ${again(now)}
      where workspace_id = ${workspace} and webhook_id = ${webhook_id} and status = 'failed'
        and created_at >= ${clock.iso(clock.parse(since))}`,
  )
  const recovered = failed + (await events.tellMissed(db, workspace, webhook, since, now))
  if (recovered > 0) db.notify({ topic: 'deliveries', workspace })
  return { recovered }
}

/** An attempt that is under way no longer counts. */
const again = (now: number): Sql => sql`status = 'pending', attempt = 0, due_at = ${clock.iso(now)}`

/** Should it be disabled at this moment, what is sent again fails as all that waits. */
function assertActive(webhook: Webhook): Webhook {
  if (webhook.status === 'active') return webhook
  throw invalidState('This webhook is disabled: make it active first.')
}
