import * as events from '../events/store.ts'
import type { At, AtOutside, Unscoped } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newSecret as newToken } from '../kit/crypto/secret.ts'
import { newSigningSecret } from '../kit/crypto/signing.ts'
import { overlap_ms } from '../kit/crypto/signing-secrets.ts'
import { newId } from '../kit/id.ts'
import * as page from '../kit/postgres/page.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { columnsOf, laterUpdate } from '../kit/postgres/table.ts'
import { type Fault, invalid, invalidState, notFound, preconditionFailed } from '../kit/problem.ts'
import * as workspaces from '../workspaces/store.ts'
import { event_types } from './event-types.ts'
import {
  inbox_url,
  type NewWebhook,
  Webhook,
  type WebhookChange,
  type WebhookSummary,
  type WebhookWithSecret,
  webhooks_max,
} from './schema.ts'

const columns = columnsOf(Webhook)

/** A webhook is disabled when all attempts have failed for this long, and there were at least this many. */
const failing_max_ms = 5 * 24 * 60 * 60 * 1000
const failed_attempts_min = 10

/** An inbox is an endpoint of this server, to try out webhooks. Its `url` is a path. */
export const isInbox = (url: string): boolean => url.startsWith('/')

/** Returns a webhook without its URL, because that may contain secrets. */
export function toSummary(webhook: Webhook): WebhookSummary {
  const { id, url, events, description, status, disabled_reason, failing_since, created_at, updated_at } = webhook
  const host = isInbox(url) ? null : new URL(url).host
  return { id, host, events, description, status, disabled_reason, failing_since, created_at, updated_at }
}

/** Rejects URLs that may not be called. Resolves the host name, so it runs before the transaction. */
export async function checkUrl({ tools }: AtOutside, url: string | undefined): Promise<void> {
  if (url === undefined || url === inbox_url || isInbox(url)) return
  const refusal = await tools.outbound.refusal(url)
  if (refusal) throw invalidField('url', refusal)
}

export async function create(at: At, input: NewWebhook): Promise<WebhookWithSecret> {
  const { db, workspace, now, tools } = at
  const { url, events: patterns, description = null, inbox_answer = null } = input
  if (isInbox(url)) throw invalidField('url', `can't be the path of an inbox: use "${inbox_url}" to create a new one.`)
  const is_inbox = url === inbox_url
  if (inbox_answer && !is_inbox) throw notAnInbox()
  await workspaces.lock(at)
  const { total } = await db.one<{ total: number }>(
    sql`select count(*) as total from webhooks where workspace_id = ${workspace}`,
  )
  if (total >= webhooks_max) throw invalidState(`A workspace can have at most ${webhooks_max} webhooks.`)
  const secret = newSigningSecret()
  const address = is_inbox ? `/inbox/${workspace}/${newToken()}` : url
  const created = await db.one(
    sql`insert into webhooks (workspace_id, id, url, events, description, status, inbox_answer, secret, created_at,
        updated_at)
      values (${workspace}, ${newId()}, ${address}, ${uniquePatterns(patterns)}, ${description}, 'active',
        ${is_inbox ? (inbox_answer ?? '200') : null}, ${tools.seal.close(secret)}, ${clock.iso(now)}, ${clock.iso(now)})
      returning ${columns}`,
  )
  return { ...created, secret }
}

export async function get(at: At, id: string): Promise<Webhook> {
  const found = await find(at, id)
  if (!found) throw notFound()
  return found
}

export const find = ({ db, workspace }: At, id: string): Promise<Webhook | undefined> =>
  db.maybe(sql`select ${columns} from webhooks where workspace_id = ${workspace} and id = ${id}`)

export const list = ({ db, workspace }: At, query: page.PageQuery): Promise<page.Page<Webhook>> =>
  page.readSelection(
    db,
    query,
    page.newest_first,
    sql`select ${columns} from webhooks where workspace_id = ${workspace}`,
  )

type IsCurrent = (webhook: Webhook) => boolean

/** Throws a Problem if the caller may not read what these patterns match. */
export type AssertReadable = (patterns: string[]) => void

interface Update {
  id: string
  change: WebhookChange
  isCurrent: IsCurrent
  assertReadable: AssertReadable
}

/** Changes a webhook. An empty change doesn't even change `updated_at`. */
export async function update(at: At, { id, change, isCurrent, assertReadable }: Update): Promise<Webhook> {
  const { db, workspace, now } = at
  const before = await lock(at, { id, isCurrent })
  if (Object.values(change).every((value) => value === undefined)) return before
  const after = { ...before, ...change }
  const is_moved = change.url !== undefined && change.url !== before.url
  if (is_moved && [before.url, after.url].some((url) => isInbox(url) || url === inbox_url))
    throw invalidField('url', "can't be changed from or to an inbox: create another webhook.")
  if (isInbox(before.url) !== (after.inbox_answer !== null)) throw notAnInbox()
  assertReadable(after.events.filter((pattern) => !before.events.includes(pattern)))
  if (is_moved) assertReadable([...before.events, ...(await pendingTypes(at, id))])
  const is_status_changed = after.status !== before.status
  // Pending deliveries of a disabled webhook are failed in the background.
  if (is_status_changed) db.notify({ topic: 'deliveries', workspace })
  const reason = is_status_changed ? (after.status === 'disabled' ? 'asked' : null) : before.disabled_reason
  return db.one(
    sql`update webhooks
      set url = ${after.url}, events = ${uniquePatterns(after.events)}, description = ${after.description},
        status = ${after.status}, disabled_reason = ${reason}, inbox_answer = ${after.inbox_answer},
        ${is_status_changed || is_moved ? raw('failing_since = null, failed_attempts = 0,') : raw('')}
        updated_at = ${clock.laterThan(before.updated_at, now)}
      where workspace_id = ${workspace} and id = ${id} returning ${columns}`,
  )
}

/** The types of the deliveries that are still sent. The webhook may have subscribed to more when they were added. */
async function pendingTypes({ db, workspace }: At, id: string): Promise<string[]> {
  const types = await db.many<{ type: string }>(
    sql`select distinct type from webhook_deliveries
      where workspace_id = ${workspace} and webhook_id = ${id} and due_at is not null and type <> ${event_types.test.name}`,
  )
  return types.map(({ type }) => type)
}

/** Deletes a webhook. Its deliveries are neither visible nor sent from now on, and are deleted in the background. */
export async function remove(
  at: At,
  { id, isCurrent }: { id: string; isCurrent: IsCurrent },
): Promise<{ deleted: true }> {
  const { db, workspace } = at
  // This is wall time, because it is about transactions that are still open.
  const deleted_at = clock.iso(clock.wall())
  await lock(at, { id, isCurrent })
  await db.run(sql`delete from webhooks where workspace_id = ${workspace} and id = ${id}`)
  await db.run(
    sql`insert into deleted_webhooks (workspace_id, webhook_id, deleted_at, due_at)
      values (${workspace}, ${id}, ${deleted_at}, ${deleted_at})`,
  )
  return { deleted: true }
}

/**
 * Gives the webhook a new secret. The current one keeps signing for a day. A secret from an earlier rotation stops at
 * once.
 */
export async function rotateSecret(at: At, id: string): Promise<WebhookWithSecret> {
  const { db, workspace, now, tools } = at
  const before = await lock(at, { id })
  const secret = newSigningSecret()
  const rotated = await db.one(
    sql`update webhooks
      set previous_secret = secret, previous_secret_until = ${clock.iso(now + overlap_ms)},
        secret = ${tools.seal.close(secret)}, updated_at = ${clock.laterThan(before.updated_at, now)}
      where workspace_id = ${workspace} and id = ${id} returning ${columns}`,
  )
  return { ...rotated, secret }
}

/** Disables webhooks that answered 410 (`gone`) or have failed for too long (`failing`), unless their URL has changed since. */
export async function disable(
  at: At,
  { endpoints, reason }: { endpoints: { webhook_id: string; url: string }[]; reason: 'gone' | 'failing' },
): Promise<void> {
  if (endpoints.length === 0) return
  const { db, workspace, now } = at
  const disabled = await db.many(
    sql`update webhooks set status = 'disabled', disabled_reason = ${reason},
        updated_at = ${laterUpdate(now)}
      where workspace_id = ${workspace} and status = 'active'
        and (id, url) in (select * from unnest(${endpoints.map(({ webhook_id }) => webhook_id)}::uuid[],
          ${endpoints.map(({ url }) => url)}::text[]))
        and (${reason} = 'gone' or (failing_since <= ${clock.iso(now - failing_max_ms)}
          and failed_attempts >= ${failed_attempts_min}))
      returning ${columns}`,
  )
  // The webhook's pending deliveries are failed in the background.
  if (disabled.length > 0) db.notify({ topic: 'deliveries', workspace })
  const summaries = disabled.map((webhook) => ({ data: toSummary(webhook) }))
  await events.record(at, event_types.disabled, summaries)
}

/** Counts, for the operator, the active webhooks of all live workspaces that have failed since their last success. */
export async function countFailing({ db }: Pick<Unscoped, 'db'>): Promise<number> {
  const { total } = await db.one<{ total: number }>(
    sql`select count(*) as total from webhooks where failing_since is not null and status = 'active'
      and not ${workspaces.isTest(raw('webhooks.workspace_id'))}`,
  )
  return total
}

/** Locks the webhook until the transaction ends. */
export async function lock(
  { db, workspace }: At,
  { id, isCurrent = () => true }: { id: string; isCurrent?: IsCurrent },
): Promise<Webhook> {
  const found = await db.maybe(
    sql`select ${columns} from webhooks where workspace_id = ${workspace} and id = ${id} for no key update`,
  )
  if (!found) throw notFound()
  if (!isCurrent(found)) throw preconditionFailed()
  return found
}

function uniquePatterns(patterns: string[]): string[] {
  if (patterns.length === 0) throw invalidField('events', 'must contain at least one event type.', 'too_short')
  return [...new Set(patterns)]
}

const invalidField = (path: string, message: string, code = 'format') => {
  const fault: Fault = { path, code, message: `${path} ${message}` }
  return invalid([fault])
}

const notAnInbox = () => invalidField('inbox_answer', 'is required for inboxes and not allowed for other webhooks.')
