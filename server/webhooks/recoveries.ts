import * as feed from '../events/feed.ts'
import { type At, atLater, inTransaction, timeStands } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { firstIdOf, newId, timeOf } from '../kit/id.ts'
import { selectRows } from '../kit/postgres/citus/tenants.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { invalid, notFound, Problem } from '../kit/problem.ts'
import { announce, assertHeld, isHeld, type Lease, type RowWork } from '../kit/work/rows.ts'
import { asPending, assertActive, isFor } from './deliveries.ts'
import { addToCounts } from './delivery-counts.ts'
import { event_types } from './event-types.ts'
import type { NewRecovery, Recovery, Webhook } from './schema.ts'
import * as webhooks from './store.ts'

const batch_rows = 2_000
/** The id of an event is created at most this long after its `created_at`, different clocks of processes included. */
const id_delay_max_ms = 10 * 60 * 1000

const columns =
  raw(`id, case when finished_at is null then 'running' else 'finished' end as status, since, until, recovered,
  created_at, finished_at`)

/** Starts a recovery, which then runs in the background. A webhook has one at a time. */
export async function start(
  at: At,
  { webhook_id, input }: { webhook_id: string; input: NewRecovery },
): Promise<Recovery> {
  const { db, workspace, now } = at
  const since = clock.parse(input.since)
  const until = input.until ? clock.parse(input.until) : now
  if (until < since) throw input.until ? untilBeforeSince() : sinceInFuture(now)
  assertActive(await webhooks.lock(at, { id: webhook_id }))
  const running = await db.maybe<{ id: string }>(
    sql`select id from webhook_recoveries
      where workspace_id = ${workspace} and webhook_id = ${webhook_id} and finished_at is null`,
  )
  if (running) throw alreadyRunning(running.id)
  announce(at, work)
  return db.one<Recovery>(
    sql`insert into webhook_recoveries (workspace_id, id, webhook_id, since, until, created_at, due_at)
      values (${workspace}, ${newId()}, ${webhook_id}, ${clock.iso(since)}, ${clock.iso(until)}, ${clock.iso(now)},
        ${clock.iso(now)})
      returning ${columns}`,
  )
}

export async function get(
  { db, workspace }: At,
  { webhook_id, id }: { webhook_id: string; id: string },
): Promise<Recovery> {
  const found = await db.maybe<Recovery>(
    sql`select ${columns} from webhook_recoveries
      where workspace_id = ${workspace} and id = ${id} and webhook_id = ${webhook_id}`,
  )
  if (!found) throw notFound()
  return found
}

const untilBeforeSince = () => invalid([{ path: 'until', code: 'minimum', message: 'until must not be before since.' }])

const sinceInFuture = (now: number) =>
  invalid([{ path: 'since', code: 'maximum', message: `since must not be after the current time, ${clock.iso(now)}.` }])

const alreadyRunning = (id: string) =>
  new Problem('INVALID_STATE', `The recovery ${id} of this webhook is still running. Wait until it is finished.`, {
    recovery_id: id,
  })

/** The work of recoveries. It never gives up, because `finished` would hide what is missing. */
export const work: RowWork = { table: 'webhook_recoveries', begin }

/** A recovery that this process has leased. */
interface Job {
  lease: Lease
  webhook_id: string
  since_ms: number
  until_ms: number
}

/** Goes through the events in the order of their ids, oldest first. */
async function begin(at: At, lease: Lease): Promise<() => Promise<boolean>> {
  const running = await at.db.maybe<
    Pick<Recovery, 'since' | 'until'> & { webhook_id: string; last_event_id: string | null }
  >(sql`select webhook_id, since, until, last_event_id from webhook_recoveries where ${isHeld(lease)}`)
  if (!running) return async () => false
  const { webhook_id, since, until } = running
  const job = { lease, webhook_id, since_ms: clock.parse(since), until_ms: clock.parse(until) }
  let last = running.last_event_id ?? (await findStart(at, job))
  return async () => {
    const done = await inTransaction(atLater(at), (at) => runBatch(at, job, last))
    last = done.last
    return !done.is_finished
  }
}

/** Returns an id before those of all events that may be recovered. */
async function findStart(at: At, { lease, webhook_id, since_ms }: Job): Promise<string> {
  const from_ms = timeOf(webhook_id) - id_delay_max_ms
  // Ids go by wall time, so they don't tell when an event happened in a workspace whose time stands still.
  if (timeStands(at)) return firstIdOf(from_ms)
  return feed.idBefore(at, since_ms - id_delay_max_ms, { from_ms, until_ms: timeOf(lease.id) })
}

interface BatchProgress {
  /** The id of the last event. */
  last: string
  is_finished: boolean
}

/** Recovers the next events after an id and records the progress, in one transaction. */
async function runBatch(at: At, job: Job, after: string): Promise<BatchProgress> {
  const { db, workspace, now } = at
  const { lease, since_ms, until_ms } = job
  // Later events have their deliveries already, because the webhook was active.
  const before = firstIdOf(timeOf(lease.id) + id_delay_max_ms)
  const [webhook, events] = await Promise.all([
    webhooks.find(at, job.webhook_id),
    feed.listById(at, { after, before, limit: batch_rows }),
  ])
  const is_past = !timeStands(at) && clock.parse(events[0]?.created_at ?? '') > until_ms + id_delay_max_ms
  const is_finished = webhook?.status !== 'active' || events.length < batch_rows || is_past
  const inRange = ({ created_at }: feed.EventHead) =>
    clock.parse(created_at) >= since_ms && clock.parse(created_at) <= until_ms
  const recovered = webhook?.status === 'active' ? await recover(at, webhook, events.filter(inRange)) : 0
  const last = events.at(-1)?.id ?? after
  const finished = sql`finished_at = ${clock.iso(now)}, due_at = null,`
  const changed = await db.run(
    sql`update webhook_recoveries
      set recovered = recovered + ${recovered}, last_event_id = ${last}, ${is_finished ? finished : raw('')} attempt = 0
      where ${isHeld(lease)}`,
  )
  assertHeld(changed)
  if (recovered > 0) db.notify({ topic: 'deliveries', workspace })
  return { last, is_finished }
}

/** Sends failed deliveries of these events again, and those that the webhook missed. Returns how many. */
async function recover(at: At, webhook: Webhook, events: feed.EventHead[]): Promise<number> {
  if (events.length === 0) return 0
  const { db, workspace, now } = at
  // The URL may have changed since the webhook subscribed to other types.
  const wanted = events.filter(({ type }) => isFor(webhook, type))
  const missable = wanted.filter((event) => canMiss(webhook, event))
  const selected = selectRows(at, {
    columns: sql`${webhook.id}, id, type, created_at, ${clock.iso(now)}`,
    from: sql`unnest(${missable.map(({ id }) => id)}::uuid[], ${missable.map(({ type }) => type)}::text[],
      ${missable.map(({ created_at }) => created_at)}::timestamptz[]) as event (id, type, created_at)`,
  })
  const [failed, missed] = await Promise.all([
    db.run(
      sql`update webhook_deliveries set ${asPending(now)}
        where workspace_id = ${workspace} and webhook_id = ${webhook.id} and id = any(${wanted.map(({ id }) => id)}::uuid[])
          and status = 'failed'`,
    ),
    db.many(
      sql`insert into webhook_deliveries (workspace_id, webhook_id, id, type, created_at, due_at) ${selected}
        on conflict do nothing returning id`,
    ),
  ])
  await addToCounts(at, { webhook_ids: [webhook.id], each: missed.length })
  return failed + missed.length
}

/** Whether the event happened since the webhook's creation. Test events are for one webhook only. */
const canMiss = (webhook: Webhook, { id, type, created_at }: feed.EventHead): boolean =>
  type !== event_types.test.name && isSince(webhook, { id, created_at })

/**
 * Whether an event came after the webhook's creation. In a test workspace many things happen at the same time, so ids
 * decide.
 */
function isSince(webhook: Webhook, { id, created_at }: Pick<feed.EventHead, 'id' | 'created_at'>): boolean {
  const after_ms = clock.parse(created_at) - clock.parse(webhook.created_at)
  return after_ms > 0 || (after_ms === 0 && id > webhook.id)
}
