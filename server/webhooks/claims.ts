import * as events from '../events/store.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import type { SealedSecrets } from '../kit/crypto/signing-secrets.ts'
import type { Metric } from '../kit/metrics.ts'
import { raw, type Sql, sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import { laterUpdate } from '../kit/postgres/table.ts'
import type { DueKind } from '../kit/work/due.ts'
import type { KeyState } from '../kit/work/state.ts'
import type { ClaimRequest, DueItem } from '../kit/work/work.ts'
import type { Attempt, DeliveryStatus } from './schema.ts'

/** The latest attempts of a delivery that are stored. */
const attempts_max = 20
const fail_batch_rows = 1_000
/** Deliveries to one endpoint that are sent at the same time. */
const at_once = {
  max: 10,
  /**
   * The limit until the first delivery has ended or turned slow: a burst to many slow endpoints would take all slots.
   */
  new_max: 2,
  failing_max: 1,
}

/** Returns how many deliveries may be sent at the same time to an endpoint that doesn't fail. */
export const maxOf = (endpoint: KeyState | undefined): number =>
  endpoint?.is_slow === undefined ? at_once.new_max : at_once.max

/** A delivery to send. Its result is recorded only if `attempt` and `due_at` are unchanged. */
export interface ClaimedDelivery extends events.EventText, SealedSecrets {
  workspace: string
  webhook_id: string
  attempt: number
  due_at: string
  url: string
  failing_since: string | null
}

/** Pending deliveries of disabled webhooks count too: they are to be failed. */
export const due_deliveries: DueKind = {
  kind: 'deliveries',
  nextDue: (workspace) =>
    sql`select min(next.due_at) from webhooks
      cross join lateral (
        select due_at from webhook_deliveries
        where workspace_id = ${workspace} and webhook_id = webhooks.id and due_at is not null order by due_at limit 1
      ) as next
      where webhooks.workspace_id = ${workspace}`,
  // Deliveries to an endpoint that fails wait for the endpoint.
  selectWaiting: ({ workspace, now, limit }) =>
    sql`select next.due_at from webhooks
      cross join lateral (
        select due_at from webhook_deliveries
        where workspace_id = ${workspace} and webhook_id = webhooks.id and due_at <= ${clock.iso(now)}
        order by due_at limit ${limit}
      ) as next
      where webhooks.workspace_id = ${workspace} and status = 'active' and failing_since is null`,
}

/** What to claim. `by_key` has the endpoints by webhook. */
export interface DeliveryClaim extends Omit<ClaimRequest<ClaimedDelivery>, 'is_polled'> {
  /** The last delivery that was claimed, by webhook. */
  last: Map<string, DueItem>
  /** Whether to start after `last`. Such a claim is faster, and misses late deliveries. */
  skips_to_last: boolean
}

/** Claims due deliveries. If it finds none, it fails pending deliveries of disabled webhooks. */
export async function claim(at: At, wanted: DeliveryClaim): Promise<ClaimedDelivery[]> {
  const found = await claimDue(at, wanted)
  if (found.length === 0) await failPending(at, wanted.claimed)
  return found
}

/**
 * Reads due deliveries of the workspace within the limits: the longest due of each endpoint, endpoints in turn. It reads at
 * most twice the even share of each endpoint. With `skips_to_last` it is faster, because it skips index entries of
 * deliveries already sent, which stay until the next vacuum. It writes nothing: the caller has the workspace's lease.
 * @internal
 */
export async function claimDue(
  { db, workspace, now }: At,
  { slots, slow_slots, by_key, claimed, last, skips_to_last }: DeliveryClaim,
): Promise<ClaimedDelivery[]> {
  const ids = [...by_key.keys()]
  const known = [...by_key.values()]
  const running = toArrayLiteral(known.map(({ running }) => running))
  const max = toArrayLiteral(known.map(maxOf))
  const slow = toArrayLiteral(known.map(({ is_slow }) => is_slow === true))
  const last_due_at = toArrayLiteral(ids.map((id) => last.get(id)?.due_at ?? null))
  const last_ids = toArrayLiteral(ids.map((id) => last.get(id)?.id ?? null))
  const is_unclaimed = skips_to_last ? sql`(due_at, id) > (last_due_at, last_id)` : isNoneOf(claimed)
  const rows = await db.many<Omit<ClaimedDelivery, 'workspace'>>(
    sql`with endpoint as (
        select webhooks.id, failing_since is not null or coalesce(is_slow, false) as is_slow, count(*) over () as endpoints,
          case when failing_since is null then coalesce(max, ${at_once.new_max}::integer)
            else ${at_once.failing_max}::integer end - coalesce(running, 0) as room,
          coalesce(due_at, '-infinity') as last_due_at, coalesce(last_id, webhooks.id) as last_id
        from webhooks
        left join unnest(${toArrayLiteral(ids)}::uuid[], ${running}::integer[], ${max}::integer[], ${slow}::boolean[],
            ${last_due_at}::timestamptz[], ${last_ids}::uuid[])
          as known (id, running, max, is_slow, due_at, last_id) on known.id = webhooks.id
        where workspace_id = ${workspace} and status = 'active'),
      due as (
        select delivery.*, is_slow, row_number() over (partition by endpoint.id order by due_at, delivery.id) as nth
        from endpoint cross join lateral (
          select webhook_id, id, attempt, due_at from webhook_deliveries
          where workspace_id = ${workspace} and webhook_id = endpoint.id and due_at <= ${clock.iso(now)}
            and ${is_unclaimed}
          order by due_at, id limit greatest(0, least(room, greatest(1, ${2 * slots} / endpoints)))) as delivery),
      queued as (
        select due.*, row_number() over (partition by is_slow order by nth, due_at, id) as turn from due)
      select queued.webhook_id, queued.id, queued.attempt, queued.due_at, event.type, url, secret, previous_secret,
        previous_secret_until, failing_since, ${events.text_columns}
      from queued
      join webhooks on webhooks.workspace_id = ${workspace} and webhooks.id = queued.webhook_id
      ${events.joinEvent(workspace, raw('queued.id'))}
      where turn <= case when is_slow then ${slow_slots}::integer else ${slots}::integer end`,
  )
  return rows.map((row) => ({ ...row, workspace }))
}

const isNoneOf = (deliveries: Iterable<ClaimedDelivery>): Sql => {
  const all = [...deliveries]
  const webhook_ids = toArrayLiteral(all.map(({ webhook_id }) => webhook_id))
  const ids = toArrayLiteral(all.map(({ id }) => id))
  return sql`(webhook_id, id) not in (select * from unnest(${webhook_ids}::uuid[], ${ids}::uuid[]))`
}

const result_of: Record<DeliveryStatus, string> = { succeeded: 'succeeded', pending: 'retried', failed: 'failed' }

export const deliveries_total: Metric = {
  name: 'deliveries_total',
  help: 'Attempts to deliver webhooks: succeeded, to be retried, or failed for the last time.',
  type: 'counter',
  labels: ['result'],
  series: Object.values(result_of).map((result) => [result]),
}

/** The result of an attempt, and the delivery's next status and due time. */
export interface Result {
  delivery: ClaimedDelivery
  status: DeliveryStatus
  due_at: string | null
  attempt: Attempt
}

/**
 * Records results, except those of deliveries that changed since they were claimed. Updates how long the webhook has been
 * failing, and counts its failed attempts since the last success. Attempts at a previous URL of the webhook don't count.
 */
export async function recordResults({ db, workspace, now, tools }: At, results: Result[]): Promise<void> {
  const claimed = results.map(({ delivery }) => delivery)
  const recorded = await db.many<RecordedAttempt>(
    sql`update webhook_deliveries as delivery
      set status = result.status, due_at = result.due_at, attempt = delivery.attempt + 1,
        attempts = case when jsonb_array_length(attempts) < ${attempts_max} then attempts else attempts - 0 end
          || result.attempt
      from rows from (unnest(${toArrayLiteral(claimed.map(({ webhook_id }) => webhook_id))}::uuid[]),
          unnest(${toArrayLiteral(claimed.map(({ id }) => id))}::uuid[]),
          unnest(${toArrayLiteral(claimed.map(({ attempt }) => attempt))}::integer[]),
          unnest(${toArrayLiteral(claimed.map(({ due_at }) => due_at))}::timestamptz[]),
          unnest(${toArrayLiteral(results.map(({ status }) => status))}::text[]),
          unnest(${toArrayLiteral(results.map(({ due_at }) => due_at))}::timestamptz[]),
          jsonb_array_elements(${JSON.stringify(results.map(({ attempt }) => attempt))}))
          as result (webhook_id, id, attempt_before, due_before, status, due_at, attempt)
        left join webhooks on webhooks.workspace_id = ${workspace} and webhooks.id = result.webhook_id
      where delivery.workspace_id = ${workspace} and delivery.webhook_id = result.webhook_id
        and delivery.id = result.id and delivery.attempt = attempt_before and delivery.due_at = due_before
      returning delivery.webhook_id, delivery.status, result.attempt ->> 'url' as url,
        result.attempt ->> 'created_at' as created_at, failing_since`,
  )
  db.afterCommit(() => {
    for (const { status } of recorded) tools.metrics.add(deliveries_total, 1, result_of[status])
  })
  // Most endpoints neither fail nor have failed before: nothing changes for them.
  const changing = recorded.filter(({ status, failing_since }) => status !== 'succeeded' || failing_since !== null)
  if (changing.length === 0) return
  const endpoints = [...Map.groupBy(recorded, ({ webhook_id, url }) => `${webhook_id} ${url}`).values()].map(toEndpoint)
  await db.run(
    sql`update webhooks
      set failing_since = case when has_succeeded then null else coalesce(failing_since, began_at) end,
        failed_attempts = case when has_succeeded then 0 else failed_attempts + attempts end,
        updated_at = case when (failing_since is not null) = has_succeeded then ${laterUpdate(now)} else updated_at end
      from unnest(${endpoints.map(({ webhook_id }) => webhook_id)}::uuid[], ${endpoints.map(({ url }) => url)}::text[],
          ${endpoints.map(({ attempts }) => attempts)}::integer[],
          ${endpoints.map(({ has_succeeded }) => has_succeeded)}::boolean[],
          ${endpoints.map(({ began_at }) => began_at)}::timestamptz[])
        as endpoint (webhook_id, url, attempts, has_succeeded, began_at)
      where workspace_id = ${workspace} and id = webhook_id and webhooks.url = endpoint.url
        and (failing_since is not null or not has_succeeded)`,
  )
}

interface RecordedAttempt {
  webhook_id: string
  status: DeliveryStatus
  url: string
  created_at: string
  failing_since: string | null
}

/** Sums up the attempts at one URL of a webhook. */
function toEndpoint(attempts: RecordedAttempt[]) {
  const [{ webhook_id, url } = { webhook_id: '', url: '' }] = attempts
  const has_succeeded = attempts.some(({ status }) => status === 'succeeded')
  const began_at = attempts.map(({ created_at }) => created_at).sort()[0]
  return { webhook_id, url, attempts: attempts.length, has_succeeded, began_at }
}

/** Fails pending deliveries of disabled webhooks, one batch of each. @internal */
export async function failPending({ db, workspace }: At, claimed: Iterable<ClaimedDelivery>): Promise<void> {
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
          limit ${fail_batch_rows})`,
    )
  }
}
