import * as clock from '../kit/clock.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { raw, type Sql, sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import { type Told, told_columns } from './deliveries.ts'
import type { Attempt, DeliveryStatus, Webhook } from './schema.ts'
import type { Sealed } from './store.ts'

/** How long others wait for a sender that is silent. */
export const lease_ms = 10_000
const attempts_kept = 20
const failed_at_once_max = 1_000

/** A delivery that is to be sent. While it is, `attempt` and `due_at` stay as they are. */
export interface Claimed extends Told, Sealed {
  workspace: string
  webhook_id: string
  attempt: number
  due_at: string
  url: string
  failing_since: string | null
}

/** How many of each endpoint may be on their way at once, and how many more in all. */
export interface Room {
  of_each: number
  in_all: number
  /** The same for endpoints that fail. */
  of_each_failing: number
  in_all_failing: number
}

/** Of one endpoint: how many are on their way, and which was the last that was claimed. */
export interface Progress {
  flying: number
  due_at: string
  id: string
}

/** Makes this sender the workspace's only one for a while: until when, or undefined as long as there is another. */
export async function hold(db: Db, workspace: string, lease_token: string, now: number): Promise<number | undefined> {
  const lease_until = now + lease_ms
  const held = await db.run(
    sql`insert into webhook_senders as sender (workspace_id, lease_token, lease_until)
      values (${workspace}, ${lease_token}, ${clock.iso(lease_until)})
      on conflict (workspace_id) do update
      set lease_token = excluded.lease_token, lease_until = excluded.lease_until
      where sender.lease_token = excluded.lease_token or sender.lease_until <= ${clock.iso(now)}`,
  )
  return held > 0 ? lease_until : undefined
}

/** Others may send at once. */
export async function release(db: Db, lease_token: string): Promise<void> {
  await db.run(sql`delete from webhook_senders where lease_token = ${lease_token}`)
}

/** Where this sender has something to do: to send, and to give up what waits for an endpoint that is disabled. */
export const workspacesDue = (
  db: Db,
  lease_token: string,
  now: number,
  only?: string,
): Promise<{ workspace_id: string; status: Webhook['status'] }[]> =>
  db.many(
    sql`select distinct workspace_id, status from webhooks
      where exists (select from webhook_deliveries as delivery
          where delivery.workspace_id = webhooks.workspace_id and webhook_id = webhooks.id
            and due_at <= case webhooks.status when 'active' then ${clock.iso(now)}::timestamptz else 'infinity' end)
        and not exists (select from webhook_senders as sender
          where sender.workspace_id = webhooks.workspace_id and lease_token <> ${lease_token}
            and lease_until > ${clock.iso(now)})
        ${only === undefined ? raw('') : sql`and workspace_id = ${only}`}`,
  )

/** None of these deliveries. */
const isNoneOf = (deliveries: Iterable<Claimed>): Sql => {
  const all = [...deliveries]
  return sql`(webhook_id, id) not in (
    select * from unnest(${toArrayLiteral(all.map(({ webhook_id }) => webhook_id))}::uuid[], ${toArrayLiteral(all.map(({ id }) => id))}::uuid[]))`
}

/**
 * What is due in the workspace, as far as there is room: of each endpoint the longest due, and the first of each first.
 * Either all but what is claimed already, or what comes after the last that was claimed, which is sooner found: what has
 * been sent still stands in the index, until it is cleaned. Not many more are looked at than there is room for.
 */
export async function claim(
  db: Db,
  workspace: string,
  room: Room,
  progress: Map<string, Progress>,
  claimed: Iterable<Claimed> | 'all before',
  now: number,
): Promise<Claimed[]> {
  const of = [...progress]
  const rest = claimed === 'all before' ? sql`(due_at, id) > (last_due_at, last_id)` : isNoneOf(claimed)
  const rows = await db.many<Omit<Claimed, 'workspace'>>(
    sql`with endpoint as (
        select webhooks.id, failing_since is not null as is_failing, count(*) over () as endpoints,
          case when failing_since is null then ${room.of_each}::integer else ${room.of_each_failing}::integer end
            - coalesce(flying, 0) as room,
          coalesce(due_at, '-infinity') as last_due_at, coalesce(last_id, webhooks.id) as last_id
        from webhooks
        left join unnest(${toArrayLiteral(of.map(([id]) => id))}::uuid[], ${toArrayLiteral(of.map(([, { flying }]) => flying))}::integer[],
          ${toArrayLiteral(of.map(([, { due_at }]) => due_at))}::timestamptz[], ${toArrayLiteral(of.map(([, { id }]) => id))}::uuid[])
          as progress (id, flying, due_at, last_id) on progress.id = webhooks.id
        where workspace_id = ${workspace} and status = 'active'),
      waiting as (
        select delivery.*, is_failing, row_number() over (partition by endpoint.id order by due_at, delivery.id) as place
        from endpoint cross join lateral (
          select webhook_id, id, attempt, due_at from webhook_deliveries
          where workspace_id = ${workspace} and webhook_id = endpoint.id and due_at <= ${clock.iso(now)}
            and ${rest}
          order by due_at, id limit greatest(0, least(room, greatest(1, ${2 * room.in_all} / endpoints)))) as delivery),
      queued as (
        select waiting.*, row_number() over (partition by is_failing order by place, due_at, id) as turn from waiting)
      select queued.webhook_id, queued.id, queued.attempt, queued.due_at, event.type, url, secret, previous_secret,
        previous_secret_until, failing_since, ${told_columns}
      from queued
      join webhooks on webhooks.workspace_id = ${workspace} and webhooks.id = queued.webhook_id
      join events as event on event.workspace_id = ${workspace} and event.id = queued.id
      where turn <= case when is_failing then ${room.in_all_failing}::integer else ${room.in_all}::integer end`,
  )
  return rows.map((row) => ({ ...row, workspace }))
}

/** What became of an attempt. */
export interface Result {
  delivery: Claimed
  status: DeliveryStatus
  due_at: string | null
  attempt: Attempt
}

/**
 * What was noted or changed by others since the claim stays as it is. An endpoint that has another address by now has not
 * failed there. Failed attempts are counted until one succeeds; nothing that clients see changes by the count.
 */
export async function record(db: Db, workspace: string, results: Result[], now: number): Promise<void> {
  const claimed = results.map(({ delivery }) => delivery)
  await db.run(
    sql`with result as (
        select * from rows from (unnest(${toArrayLiteral(claimed.map(({ webhook_id }) => webhook_id))}::uuid[]),
          unnest(${toArrayLiteral(claimed.map(({ id }) => id))}::uuid[]),
          unnest(${toArrayLiteral(claimed.map(({ attempt }) => attempt))}::integer[]),
          unnest(${toArrayLiteral(claimed.map(({ due_at }) => due_at))}::timestamptz[]),
          unnest(${toArrayLiteral(results.map(({ status }) => status))}::text[]),
          unnest(${toArrayLiteral(results.map(({ due_at }) => due_at))}::timestamptz[]),
          jsonb_array_elements(${JSON.stringify(results.map(({ attempt }) => attempt))}))
          as result (webhook_id, id, attempt_before, due_before, status, due_at, attempt)),
      held as (
        update webhook_deliveries as delivery
        set status = result.status, due_at = result.due_at, attempt = delivery.attempt + 1,
          attempts = case when jsonb_array_length(attempts) < ${attempts_kept} then attempts else attempts - 0 end
            || result.attempt
        from result
        where delivery.workspace_id = ${workspace} and delivery.webhook_id = result.webhook_id
          and delivery.id = result.id and delivery.attempt = attempt_before and delivery.due_at = due_before
        returning delivery.webhook_id, delivery.status, result.attempt ->> 'url' as url,
          result.attempt ->> 'created_at' as created_at)
      update webhooks
      set failing_since = case when has_succeeded then null else coalesce(failing_since, began_at::timestamptz) end,
        failed_attempts = case when has_succeeded then 0 else failed_attempts + seen.attempts end,
        updated_at = case when (failing_since is not null) = has_succeeded
          then greatest(${clock.iso(now)}::timestamptz, updated_at + interval '1 millisecond') else updated_at end
      from (select webhook_id, url, count(*) as attempts, bool_or(held.status = 'succeeded') as has_succeeded,
          min(held.created_at) as began_at
        from held group by webhook_id, url) as seen
      where workspace_id = ${workspace} and id = webhook_id and webhooks.url = seen.url
        and (failing_since is not null or not has_succeeded)`,
  )
}

/** What was still to be sent to endpoints that are disabled now; some of it at a time, so that nothing waits for it. */
export async function failWaiting(db: Db, workspace: string, claimed: Iterable<Claimed>): Promise<void> {
  const disabled = await db.many<{ id: string }>(
    sql`select id from webhooks
      where workspace_id = ${workspace} and status = 'disabled' and exists (select from webhook_deliveries as delivery
        where delivery.workspace_id = ${workspace} and webhook_id = webhooks.id and due_at is not null)`,
  )
  for (const { id } of disabled) {
    await db.run(
      sql`with endpoint as (
          select id from webhooks where workspace_id = ${workspace} and id = ${id} and status = 'disabled' for share)
        update webhook_deliveries set status = 'failed', due_at = null
        where workspace_id = ${workspace} and webhook_id in (select id from endpoint) and id in (
          select id from webhook_deliveries
          where workspace_id = ${workspace} and webhook_id = ${id} and due_at is not null and ${isNoneOf(claimed)}
          limit ${failed_at_once_max})`,
    )
  }
}
