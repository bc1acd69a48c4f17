import { randomUUID } from 'node:crypto'
import * as clock from '../kit/clock.ts'
import type { Db } from '../kit/db.ts'
import { raw, type Sql, sql } from '../kit/sql.ts'
import { type Told, told_columns } from './deliveries.ts'
import type { Attempt, DeliveryStatus } from './schema.ts'
import type { Sealed } from './store.ts'

/** Longer than any attempt takes, and short enough that a killed process's are taken up within a minute. */
const lease_ms = 30_000
const attempts_kept = 20
const failed_at_once_max = 1_000
const removed_at_once_max = 10_000

/** A delivery that is ours to send until the lease ends. */
export interface Claimed extends Told, Sealed {
  workspace: string
  webhook_id: string
  lease_token: string
  attempt: number
  url: string
  failing_since: string | null
}

/** How many of each endpoint may be on their way at once, how many more in all, and how many are, by endpoint. */
export interface Room {
  of_each: number
  in_all: number
  /** The same for endpoints that fail. */
  of_each_failing: number
  in_all_failing: number
  taken: Map<string, number>
}

/** It is due, and nobody is at it. Said of an expression, it is not looked for in the index of what is due. */
const isFree = (now: number, due_at: Sql = raw('due_at')): Sql =>
  sql`${due_at} <= ${clock.iso(now)} and (lease_until is null or lease_until <= ${clock.iso(now)})`

export async function workspacesDue(db: Db, now: number): Promise<string[]> {
  const rows = await db.many<{ workspace_id: string }>(
    sql`select distinct workspace_id from webhooks
      where status = 'active' and exists (select from webhook_deliveries as delivery
        where delivery.workspace_id = webhooks.workspace_id and webhook_id = webhooks.id
          and ${isFree(now)})`,
  )
  return rows.map(({ workspace_id }) => workspace_id)
}

/**
 * What is due in the workspace, as far as there is room: of each endpoint the longest due, and the first of each first. Not
 * many more are looked at than there is room for: each that was chosen is locked by its key, since PostgreSQL, which
 * remembers that next to nothing was due, would else look for it among a million that are due all at once.
 */
export async function claim(db: Db, workspace: string, room: Room, now: number): Promise<Claimed[]> {
  const lease_token = randomUUID()
  const rows = await db.many<Omit<Claimed, 'workspace' | 'lease_token'>>(
    sql`with endpoint as (
        select webhooks.id, failing_since is not null as is_failing, count(*) over () as endpoints,
          case when failing_since is null then ${room.of_each}::integer else ${room.of_each_failing}::integer end
            - coalesce(taken.count, 0) as room
        from webhooks
        left join unnest(${[...room.taken.keys()]}::uuid[], ${[...room.taken.values()]}::integer[])
          as taken (id, count) on taken.id = webhooks.id
        where workspace_id = ${workspace} and status = 'active'),
      waiting as (
        select endpoint.id as webhook_id, delivery.id, due_at, is_failing,
          row_number() over (partition by endpoint.id order by due_at) as place
        from endpoint cross join lateral (
          select id, due_at from webhook_deliveries
          where workspace_id = ${workspace} and webhook_id = endpoint.id and ${isFree(now)}
          order by due_at limit greatest(0, least(room, greatest(1, ${2 * room.in_all} / endpoints)))) as delivery),
      queued as (
        select webhook_id, id, is_failing,
          row_number() over (partition by is_failing order by place, waiting.due_at) as place
        from waiting),
      held as (
        select webhook_id, id from queued cross join lateral (
          select from webhook_deliveries as delivery
          where workspace_id = ${workspace} and delivery.webhook_id = queued.webhook_id and delivery.id = queued.id
            and ${isFree(now, sql`coalesce(due_at, 'infinity')`)}
          for update skip locked) as free
        where place <= case when is_failing then ${room.in_all_failing}::integer else ${room.in_all}::integer end)
      update webhook_deliveries as delivery
      set lease_token = ${lease_token}, lease_until = ${clock.iso(now + lease_ms)}
      from held
      join webhooks on webhooks.workspace_id = ${workspace} and webhooks.id = held.webhook_id
      join events as event on event.workspace_id = ${workspace} and event.id = held.id
      where delivery.workspace_id = ${workspace} and delivery.webhook_id = held.webhook_id and delivery.id = held.id
      returning delivery.webhook_id, delivery.id, delivery.type, delivery.attempt, url, secret, previous_secret,
        previous_secret_until, failing_since, ${told_columns}`,
  )
  return rows.map((row) => ({ ...row, workspace, lease_token }))
}

/** What became of an attempt. */
export interface Result {
  delivery: Claimed
  status: DeliveryStatus
  due_at: string | null
  attempt: Attempt
}

/** Whoever has lost the lease changes nothing. An endpoint that has another address by now has not failed there. */
export async function record(db: Db, workspace: string, results: Result[], now: number): Promise<void> {
  const rows = results.map(({ delivery: { webhook_id, id, url, lease_token }, status, due_at, attempt }) => {
    return { webhook_id, id, url, lease_token, status, due_at, attempt, created_at: attempt.created_at }
  })
  await db.run(
    sql`with result as (
        select * from json_to_recordset(${JSON.stringify(rows)}) as result (webhook_id uuid, id uuid, url text,
          lease_token uuid, status text, due_at timestamptz, attempt jsonb, created_at timestamptz)),
      held as (
        update webhook_deliveries as delivery
        set status = result.status, due_at = result.due_at, lease_until = null, lease_token = null,
          attempt = delivery.attempt + 1,
          attempts = case when jsonb_array_length(attempts) < ${attempts_kept} then attempts else attempts - 0 end
            || result.attempt
        from result
        where delivery.workspace_id = ${workspace} and delivery.webhook_id = result.webhook_id
          and delivery.id = result.id and delivery.lease_token = result.lease_token
        returning delivery.webhook_id, result.url, delivery.status, result.created_at)
      update webhooks
      set failing_since = case when has_succeeded then null else began_at end,
        updated_at = greatest(${clock.iso(now)}::timestamptz, updated_at + interval '1 millisecond')
      from (select webhook_id, url, bool_or(held.status = 'succeeded') as has_succeeded, min(held.created_at) as began_at
        from held group by webhook_id, url) as seen
      where workspace_id = ${workspace} and id = webhook_id and webhooks.url = seen.url and (failing_since is not null) = has_succeeded`,
  )
}

/** Others may take these up at once. */
export async function release(db: Db, workspace: string, deliveries: Claimed[]): Promise<void> {
  await db.run(
    sql`update webhook_deliveries as delivery set lease_until = null, lease_token = null
      from unnest(${deliveries.map(({ webhook_id }) => webhook_id)}::uuid[], ${deliveries.map(({ id }) => id)}::uuid[],
        ${deliveries.map(({ lease_token }) => lease_token)}::uuid[]) as held (webhook_id, id, lease_token)
      where delivery.workspace_id = ${workspace} and delivery.webhook_id = held.webhook_id and delivery.id = held.id
        and delivery.lease_token = held.lease_token`,
  )
}

/** What was still to be sent to endpoints that are disabled now; some of it at a time, so that nothing waits for it. */
export async function failWaiting(db: Db, now: number, only?: string): Promise<void> {
  const disabled = await db.many<{ workspace_id: string; id: string }>(
    sql`select workspace_id, id from webhooks
      where status = 'disabled' ${only === undefined ? raw('') : sql`and workspace_id = ${only}`} and exists (select from webhook_deliveries as delivery
        where delivery.workspace_id = webhooks.workspace_id and webhook_id = webhooks.id and due_at is not null
          and (lease_until is null or lease_until <= ${clock.iso(now)}))`,
  )
  for (const { workspace_id, id } of disabled) {
    await db.run(
      sql`update webhook_deliveries set status = 'failed', due_at = null, lease_until = null, lease_token = null
        where workspace_id = ${workspace_id} and webhook_id = ${id} and id in (
          select id from webhook_deliveries
          where workspace_id = ${workspace_id} and webhook_id = ${id} and due_at is not null
            and (lease_until is null or lease_until <= ${clock.iso(now)})
          limit ${failed_at_once_max} for update skip locked)`,
    )
  }
}

/** Deliveries go when their events do, and what came to inboxes. */
export async function removeOld(db: Db, workspace: string, before: number): Promise<void> {
  await db.run(sql`delete from inbox_requests where workspace_id = ${workspace} and created_at < ${clock.iso(before)}`)
  let removed: number
  do {
    removed = await db.run(
      sql`delete from webhook_deliveries where workspace_id = ${workspace} and (webhook_id, id) in (
        select webhook_id, id from webhook_deliveries
        where workspace_id = ${workspace} and created_at < ${clock.iso(before)} limit ${removed_at_once_max})`,
    )
  } while (removed === removed_at_once_max)
}
