import * as events from '../events/store.ts'
import * as clock from '../kit/clock.ts'
import type { Seal } from '../kit/crypto/seal.ts'
import { newSecret as newToken } from '../kit/crypto/secret.ts'
import { newSigningSecret } from '../kit/crypto/signing.ts'
import type { At } from '../kit/http/operation.ts'
import { newId } from '../kit/id.ts'
import * as page from '../kit/postgres/page.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { type Fault, invalid, invalidState, notFound, preconditionFailed } from '../kit/problem.ts'
import * as workspaces from '../workspaces/store.ts'
import {
  inbox_url,
  type NewWebhook,
  type Webhook,
  type WebhookChange,
  type WebhookSummary,
  type WebhookWithSecret,
  webhooks_max,
} from './schema.ts'

const columns = raw(`id, url, events, description, status, disabled_reason, failing_since, previous_secret_until,
  inbox_answer, created_at, updated_at`)

const overlap_ms = 24 * 60 * 60 * 1000
/** An endpoint is disabled when the first failure is so long ago, and so many attempts have failed with none successful. */
const failing_max_ms = 5 * 24 * 60 * 60 * 1000
const failed_attempts_min = 10

/** Of an inbox, which is this server itself. */
export const isInbox = (url: string): boolean => url.startsWith('/')

/** Without the address, which may hold secrets. */
export function summaryOf(webhook: Webhook): WebhookSummary {
  const { id, url, events, description, status, disabled_reason, failing_since, created_at, updated_at } = webhook
  const host = isInbox(url) ? null : new URL(url).host
  return { id, host, events, description, status, disabled_reason, failing_since, created_at, updated_at }
}

/** The secrets of a webhook as they are kept. */
export interface Sealed {
  secret: string
  previous_secret: string | null
  previous_secret_until: string | null
}

/** Those that sign now: after a rotation two. One that was sealed with another key can't be opened, and is left out. */
export function secretsOf(sealed: Sealed, open: (text: string) => string, now: number): string[] {
  const { secret, previous_secret, previous_secret_until } = sealed
  const is_both = previous_secret && previous_secret_until && clock.parse(previous_secret_until) > now
  return [secret, ...(is_both ? [previous_secret] : [])].flatMap((one) => {
    try {
      return open(one)
    } catch {
      return []
    }
  })
}

/** Asks where the address leads, before anything is written. */
export async function checkUrl({ tools }: Pick<At, 'tools'>, url: string | undefined): Promise<void> {
  if (url === undefined || url === inbox_url || isInbox(url)) return
  const refusal = await tools.outbound.refusal(url)
  if (refusal) throw wrong('url', refusal)
}

export async function create(
  db: Db,
  workspace: string,
  { url, events: patterns, description = null, inbox_answer = null }: NewWebhook,
  seal: Seal,
  now: number,
): Promise<WebhookWithSecret> {
  if (isInbox(url)) throw wrong('url', `can't be chosen: "${inbox_url}" makes a new one.`)
  const is_inbox = url === inbox_url
  if (inbox_answer && !is_inbox) throw notAnInbox()
  await workspaces.hold(db, workspace)
  const { total } = await db.one<{ total: number }>(
    sql`select count(*) as total from webhooks where workspace_id = ${workspace}`,
  )
  if (total >= webhooks_max) throw invalidState(`There are ${webhooks_max} webhooks already, and that is the most.`)
  const secret = newSigningSecret()
  const address = is_inbox ? `/inbox/${workspace}/${newToken()}` : url
  const created = await db.one<Webhook>(
    sql`insert into webhooks (workspace_id, id, url, events, description, status, inbox_answer, secret, created_at,
        updated_at)
      values (${workspace}, ${newId()}, ${address}, ${chosen(patterns)}, ${description}, 'active',
        ${is_inbox ? (inbox_answer ?? '200') : null}, ${seal.close(secret)}, ${clock.iso(now)}, ${clock.iso(now)})
      returning ${columns}`,
  )
  return { ...created, secret }
}

export async function get(db: Db, workspace: string, id: string): Promise<Webhook> {
  const found = await db.maybe<Webhook>(
    sql`select ${columns} from webhooks where workspace_id = ${workspace} and id = ${id}`,
  )
  if (!found) throw notFound()
  return found
}

export const list = (db: Db, workspace: string, query: page.PageQuery): Promise<page.Page<Webhook>> =>
  page.readSelection(
    db,
    query,
    page.newest_first,
    sql`select ${columns} from webhooks where workspace_id = ${workspace}`,
  )

type IsCurrent = (webhook: Webhook) => boolean

/** A change of nothing leaves even `updated_at`. */
export async function update(
  db: Db,
  workspace: string,
  { id, change, is_current }: { id: string; change: WebhookChange; is_current: IsCurrent },
  now: number,
): Promise<Webhook> {
  const before = await lock(db, workspace, id, is_current)
  if (Object.values(change).every((said) => said === undefined)) return before
  const after = { ...before, ...change }
  const is_moved = change.url !== undefined && change.url !== before.url
  if (is_moved && [before.url, after.url].some((url) => isInbox(url) || url === inbox_url))
    throw wrong('url', "can't be changed from or to an inbox: create another.")
  if (isInbox(before.url) !== (after.inbox_answer !== null)) throw notAnInbox()
  const is_turned = after.status !== before.status
  const reason = is_turned ? (after.status === 'disabled' ? 'asked' : null) : before.disabled_reason
  return db.one<Webhook>(
    sql`update webhooks
      set url = ${after.url}, events = ${chosen(after.events)}, description = ${after.description},
        status = ${after.status}, disabled_reason = ${reason}, inbox_answer = ${after.inbox_answer},
        ${is_turned || is_moved ? raw('failing_since = null, failed_attempts = 0,') : raw('')}
        updated_at = ${clock.laterThan(before.updated_at, now)}
      where workspace_id = ${workspace} and id = ${id} returning ${columns}`,
  )
}

/** Its deliveries are invisible from then on and never sent, and are removed in the background. */
export async function remove(
  db: Db,
  workspace: string,
  { id, is_current }: { id: string; is_current: IsCurrent },
  now: number,
): Promise<{ deleted: true }> {
  await lock(db, workspace, id, is_current)
  await db.run(sql`delete from webhooks where workspace_id = ${workspace} and id = ${id}`)
  await db.run(
    sql`insert into deleted_webhooks (workspace_id, webhook_id, deleted_at, due_at)
      values (${workspace}, ${id}, ${clock.iso(now)}, ${clock.iso(now)})`,
  )
  return { deleted: true }
}

/** The secret until now signs too for a day. One that was replaced before stops at once. */
export async function rotateSecret(
  db: Db,
  workspace: string,
  id: string,
  seal: Seal,
  now: number,
): Promise<WebhookWithSecret> {
  const before = await lock(db, workspace, id, () => true)
  const secret = newSigningSecret()
  const rotated = await db.one<Webhook>(
    sql`update webhooks
      set previous_secret = secret, previous_secret_until = ${clock.iso(now + overlap_ms)},
        secret = ${seal.close(secret)}, updated_at = ${clock.laterThan(before.updated_at, now)}
      where workspace_id = ${workspace} and id = ${id} returning ${columns}`,
  )
  return { ...rotated, secret }
}

/**
 * By ourselves, for a reason that others may want to know of: it asked for that, or has failed for too long. What an
 * address has done that it no longer has doesn't count.
 */
export async function disable(
  db: Db,
  workspace: string,
  endpoints: { webhook_id: string; url: string }[],
  reason: 'gone' | 'failing',
  now: number,
): Promise<void> {
  if (endpoints.length === 0) return
  const disabled = await db.many<Webhook>(
    sql`update webhooks set status = 'disabled', disabled_reason = ${reason},
        updated_at = greatest(${clock.iso(now)}::timestamptz, updated_at + interval '1 millisecond')
      where workspace_id = ${workspace} and status = 'active'
        and (id, url) in (select * from unnest(${endpoints.map(({ webhook_id }) => webhook_id)}::uuid[],
          ${endpoints.map(({ url }) => url)}::text[]))
        and (${reason} = 'gone' or (failing_since <= ${clock.iso(now - failing_max_ms)}
          and failed_attempts >= ${failed_attempts_min}))
      returning ${columns}`,
  )
  await events.record(
    db,
    workspace,
    'webhook.disabled',
    disabled.map((webhook) => ({ data: summaryOf(webhook) })),
    now,
  )
}

export async function lock(db: Db, workspace: string, id: string, is_current: IsCurrent): Promise<Webhook> {
  const found = await db.maybe<Webhook>(
    sql`select ${columns} from webhooks where workspace_id = ${workspace} and id = ${id} for no key update`,
  )
  if (!found) throw notFound()
  if (!is_current(found)) throw preconditionFailed()
  return found
}

function chosen(patterns: string[]): string[] {
  if (patterns.length === 0) throw wrong('events', 'must name at least one.', 'too_short')
  return [...new Set(patterns)]
}

const wrong = (path: string, message: string, code = 'format') => {
  const fault: Fault = { path, code, message: `${path} ${message}` }
  return invalid([fault])
}

const notAnInbox = () => wrong('inbox_answer', 'is for inboxes, and must be said of them.')
