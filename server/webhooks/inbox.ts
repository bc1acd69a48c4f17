import type { NamesFilter } from '../events/feed.ts'
import * as events from '../events/store.ts'
import { type At, system } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { isSecret } from '../kit/crypto/secret.ts'
import { isSigned, sign, tolerance_ms } from '../kit/crypto/signing.ts'
import { type SealedSecrets, signingSecrets } from '../kit/crypto/signing-secrets.ts'
import type { RequestHead } from '../kit/http/door.ts'
import type { Caller } from '../kit/http/operation.ts'
import type { RawAnswer, RawRequest } from '../kit/http/raw.ts'
import { isId, newId } from '../kit/id.ts'
import * as page from '../kit/postgres/page.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { notFound } from '../kit/problem.ts'
import { storable, truncate } from '../kit/text.ts'
import type { InboxRequest, Webhook } from './schema.ts'
import * as webhooks from './store.ts'

const columns = raw('id, headers, body, answered, steps, created_at')
const requests_max = 50
const detail_length_max = 300
/** An inbox that hangs answers after this time, which is longer than the sender waits. */
const hang_ms = 20_000

type Inbox = Pick<Webhook, 'id' | 'inbox_answer'> & SealedSecrets

/** Takes the token in the path as the caller. `receive` finds out whether the inbox exists. */
export function identifyInbox({ params: { workspace = '', token = '' } }: RequestHead): Caller {
  if (!isId(workspace) || !isSecret(token)) throw notFound()
  const scopes = { has: () => false, is_open: false }
  return { id: token, workspace, scopes, authenticated_by: 'token', actor: system, is_test: undefined }
}

/** Stores the request with the steps of its signature check, and answers as `inbox_answer` says. */
export async function receive(at: At, { token, request }: { token: string; request: RawRequest }): Promise<RawAnswer> {
  const { db, workspace, now } = at
  // The lock keeps the webhook from being deleted before the request is stored.
  const inbox = await db.maybe<Inbox>(
    sql`select id, inbox_answer, secret, previous_secret, previous_secret_until from webhooks
      where workspace_id = ${workspace} and url = ${`/inbox/${workspace}/${token}`} for key share`,
  )
  const answer = inbox?.inbox_answer
  if (!inbox || !answer) throw notFound()
  const { bytes } = request
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, values = []]) => [storable(name), storable(values.join(', '))]),
  )
  const webhook_id = headers['webhook-id'] ?? ''
  const event_id = isId(webhook_id) ? webhook_id : null
  const text = storable(bytes.toString())
  const body = (await isRedacted(at, event_id, text)) ? '' : text
  const secrets = signingSecrets(inbox, at.tools.seal.open, now)
  const steps = checkSignature(secrets, headers, { bytes, text: body })
  await db.run(
    sql`insert into inbox_requests (workspace_id, webhook_id, id, event_id, headers, body, answered, steps, created_at)
      values (${workspace}, ${inbox.id}, ${newId()}, ${event_id}, ${JSON.stringify(headers)}, ${body},
        ${answer}, ${JSON.stringify(steps)}, ${clock.iso(now)})`,
  )
  await db.run(
    sql`delete from inbox_requests where workspace_id = ${workspace} and webhook_id = ${inbox.id} and id <= (
      select id from inbox_requests where workspace_id = ${workspace} and webhook_id = ${inbox.id}
      order by id desc offset ${requests_max} limit 1)`,
  )
  return answer === 'hang'
    ? { status: 504, body: { answer }, delay_ms: hang_ms }
    : { status: Number(answer), body: { answer } }
}

/** Whether the event was redacted while the request was in flight. */
async function isRedacted(at: At, event_id: string | null, body: string): Promise<boolean> {
  const data = await events.lockData(at, event_id)
  return data !== undefined && !body.includes(data)
}

type Steps = InboxRequest['steps']

/** Checks the signature step by step, as any receiver does by Standard Webhooks. */
function checkSignature(
  secrets: string[],
  headers: Record<string, string>,
  body: { bytes: Buffer; text: string },
): Steps {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
  const [id = '', timestamp = '', signature = ''] = names.map((name) => headers[name] ?? '')
  const missing = names.filter((name) => !headers[name])
  const skew_s = Math.round(Math.abs(clock.wall() / 1000 - Number(timestamp)))
  const message = { id, timestamp, body: body.bytes }
  const expected = secrets.map((secret) => sign(secret, message))
  const content = `${id}.${timestamp}.${body.text}`
  return [
    {
      name: 'headers',
      is_ok: missing.length === 0,
      detail: missing.length === 0 ? `Found ${names.join(', ')}.` : `Missing: ${missing.join(', ')}.`,
    },
    {
      name: 'timestamp',
      is_ok: skew_s * 1000 <= tolerance_ms,
      detail: `The timestamp differs from the current time by ${skew_s} s. The limit is ${tolerance_ms / 1000} s.`,
    },
    {
      name: 'content',
      is_ok: true,
      detail: `The signed content is the id, the timestamp and the body: ${shorten(content)}`,
    },
    {
      name: 'expected',
      is_ok: true,
      detail: `The HMAC-SHA256 of the content with the secret is ${expected.join(' ')}`,
    },
    {
      name: 'signature',
      is_ok: secrets.some((secret) => isSigned(secret, message, signature)),
      detail: `The header contains ${shorten(signature)}`,
    },
  ]
}

const shorten = (text: string): string =>
  storable(truncate(text, detail_length_max)) + (text.length > detail_length_max ? '…' : '')

/** Returns requests that are no events, and those of events of the types in `names`. */
export async function list(
  at: At,
  { webhook_id, query, names }: { webhook_id: string; query: page.PageQuery; names: NamesFilter },
): Promise<page.Page<InboxRequest>> {
  await webhooks.get(at, webhook_id)
  const all = sql`select ${columns} from inbox_requests
    where workspace_id = ${at.workspace} and webhook_id = ${webhook_id}`
  // An event that is gone could have been of any type.
  const readable =
    names && sql`${all} and (event_id is null or ${events.isOfTypes(at.workspace, raw('event_id'), names)})`
  return page.readSelection(at.db, query, page.newest_id_first, readable ?? all)
}
