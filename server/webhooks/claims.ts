import * as events from '../events/store.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { raw, type Sql, sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import type { Attempt, DeliveryStatus, Webhook } from './schema.ts'
import type { SealedSecrets } from './store.ts'

/** Wall time. Another process takes over a workspace when its lease is not renewed for this long. */
export const lease_ms = 10_000
const attempts_kept = 20
const failed_max = 1_000

/** A delivery to send. Its result is recorded only if `attempt` and `due_at` are unchanged. */
export interface Claimed extends events.EventText, SealedSecrets {
  workspace: string
  webhook_id: string
  attempt: number
  due_at: string
  url: string
  failing_since: string | null
}

/** How many deliveries may be claimed: in flight to each endpoint, and more in total. */
export interface Capacity {
  per_endpoint: number
  total: number
  per_failing_endpoint: number
  total_failing: number
}

/** The deliveries in flight to one endpoint, and the last one claimed. */
export interface Progress {
  in_flight: number
  due_at: string
  id: string
}

/** Takes or renews the lease of a workspace. Returns until when, or undefined when another process has it. */
export async function takeLease({ db, workspace, now }: At, lease_token: string): Promise<number | undefined> {
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

/** Gives up all leases of this sender, so that other processes can send at once. */
export async function releaseLeases(db: Db, lease_token: string): Promise<void> {
  await db.run(sql`delete from webhook_senders where lease_token = ${lease_token}`)
}

/** Workspaces with due deliveries, or with pending deliveries of disabled webhooks, that no other process leases. */
export const dueWorkspaces = (
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

/** Excludes these deliveries. */
const isNoneOf = (deliveries: Iterable<Claimed>): Sql => {
  const all = [...deliveries]
  return sql`(webhook_id, id) not in (
    select * from unnest(${toArrayLiteral(all.map(({ webhook_id }) => webhook_id))}::uuid[], ${toArrayLiteral(all.map(({ id }) => id))}::uuid[]))`
}

export interface ClaimOptions {
  capacity: Capacity
  /** By webhook. */
  progress: Map<string, Progress>
  /** Deliveries to leave out, or `all_before`: all up to the last one claimed. */
  claimed: Iterable<Claimed> | 'all_before'
}

/**
 * Reads due deliveries of the workspace within the capacity: the longest due of each endpoint, endpoints in turn. Starting
 * after the last one claimed is faster, because deliveries already sent stay in the index until the next vacuum.
 */
export async function claimDue(
  { db, workspace, now }: At,
  { capacity, progress, claimed }: ClaimOptions,
): Promise<Claimed[]> {
  const of = [...progress]
  const rest = claimed === 'all_before' ? sql`(due_at, id) > (last_due_at, last_id)` : isNoneOf(claimed)
  const rows = await db.many<Omit<Claimed, 'workspace'>>(
    sql`with endpoint as (
        select webhooks.id, failing_since is not null as is_failing, count(*) over () as endpoints,
          case when failing_since is null then ${capacity.per_endpoint}::integer else ${capacity.per_failing_endpoint}::integer end
            - coalesce(in_flight, 0) as room,
          coalesce(due_at, '-infinity') as last_due_at, coalesce(last_id, webhooks.id) as last_id
        from webhooks
        left join unnest(${toArrayLiteral(of.map(([id]) => id))}::uuid[], ${toArrayLiteral(of.map(([, { in_flight }]) => in_flight))}::integer[],
          ${toArrayLiteral(of.map(([, { due_at }]) => due_at))}::timestamptz[], ${toArrayLiteral(of.map(([, { id }]) => id))}::uuid[])
          as progress (id, in_flight, due_at, last_id) on progress.id = webhooks.id
        where workspace_id = ${workspace} and status = 'active'),
      waiting as (
        select delivery.*, is_failing, row_number() over (partition by endpoint.id order by due_at, delivery.id) as place
        from endpoint cross join lateral (
          select webhook_id, id, attempt, due_at from webhook_deliveries
          where workspace_id = ${workspace} and webhook_id = endpoint.id and due_at <= ${clock.iso(now)}
            and ${rest}
          order by due_at, id limit greatest(0, least(room, greatest(1, ${2 * capacity.total} / endpoints)))) as delivery),
      queued as (
        select waiting.*, row_number() over (partition by is_failing order by place, due_at, id) as turn from waiting)
      select queued.webhook_id, queued.id, queued.attempt, queued.due_at, event.type, url, secret, previous_secret,
        previous_secret_until, failing_since, ${events.text_columns}
      from queued
      join webhooks on webhooks.workspace_id = ${workspace} and webhooks.id = queued.webhook_id
      ${events.joinEvent(workspace, raw('queued.id'))}
      where turn <= case when is_failing then ${capacity.total_failing}::integer else ${capacity.total}::integer end`,
  )
  return rows.map((row) => ({ ...row, workspace }))
}

/** The result of an attempt. */
export interface Result {
  delivery: Claimed
  status: DeliveryStatus
  due_at: string | null
  attempt: Attempt
}

/**
 * Records results, except of deliveries that changed since they were claimed. A failure at a previous URL doesn't count
 * against the webhook. Failed attempts are counted until one succeeds.
 */
export async function recordResults({ db, workspace, now }: At, results: Result[]): Promise<void> {
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

/** Fails pending deliveries of disabled webhooks, a batch for each. */
export async function failPending({ db, workspace }: At, claimed: Iterable<Claimed>): Promise<void> {
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
          limit ${failed_max})`,
    )
  }
}
