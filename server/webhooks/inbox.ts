import type { IncomingHttpHeaders } from 'node:http'
import * as clock from '../kit/clock.ts'
import type { Seal } from '../kit/crypto/seal.ts'
import { isSecret } from '../kit/crypto/secret.ts'
import { isSigned, sign, tolerance_ms } from '../kit/crypto/signing.ts'
import { isId, newId } from '../kit/id.ts'
import * as page from '../kit/postgres/page.ts'
import type { Db, Pool } from '../kit/postgres/pool.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { notFound } from '../kit/problem.ts'
import { cut, storable } from '../kit/text.ts'
import type { InboxRequest, Webhook } from './schema.ts'
import * as webhooks from './store.ts'

/** An endpoint of our own, to try out webhooks without a server. */

const columns = raw('id, headers, body, answered, steps, created_at')
const requests_kept = 50
const shown_max = 300

type Inbox = Pick<Webhook, 'id' | 'inbox_answer'> & webhooks.Sealed

/** Keeps what came, and gives what it is to be answered. */
export async function receive(
  pool: Pool,
  seal: Seal,
  { path, headers, body }: { path: string; headers: IncomingHttpHeaders; body: Buffer },
  now: number,
): Promise<NonNullable<Webhook['inbox_answer']>> {
  const [, , workspace = '', token = ''] = path.split('/')
  if (!isId(workspace) || !isSecret(token)) throw notFound()
  return pool.tx(async (db) => {
    // A webhook that is being deleted is waited for: what came could not be stored beside it any more.
    const inbox = await db.maybe<Inbox>(
      sql`select id, inbox_answer, secret, previous_secret, previous_secret_until from webhooks
        where workspace_id = ${workspace} and url = ${path} for key share`,
    )
    if (!inbox?.inbox_answer) throw notFound()
    const said = String(headers['webhook-id'] ?? '')
    const event_id = isId(said) ? said : null
    const text = storable(body.toString())
    const kept = (await isForgotten(db, workspace, event_id, text)) ? '' : text
    const steps = check(webhooks.secretsOf(inbox, seal.open, now), headers, { bytes: body, text: kept }, now)
    const flat = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [storable(name), storable(String(value))]),
    )
    await db.run(
      sql`insert into inbox_requests (workspace_id, webhook_id, id, event_id, headers, body, answered, steps, created_at)
        values (${workspace}, ${inbox.id}, ${newId()}, ${event_id}, ${JSON.stringify(flat)}, ${kept},
          ${inbox.inbox_answer}, ${JSON.stringify(steps)}, ${clock.iso(now)})`,
    )
    await db.run(
      sql`delete from inbox_requests where workspace_id = ${workspace} and webhook_id = ${inbox.id} and id <= (
        select id from inbox_requests where workspace_id = ${workspace} and webhook_id = ${inbox.id}
        order by id desc offset ${requests_kept} limit 1)`,
    )
    return inbox.inbox_answer
  })
}

/** Whether a contact was deleted while this was on its way. Until the end of the transaction none of it is. */
async function isForgotten(db: Db, workspace: string, event_id: string | null, body: string): Promise<boolean> {
  const event = await db.maybe<{ data: string }>(
    sql`select data::text from events where workspace_id = ${workspace} and id = ${event_id} for share`,
  )
  return event !== undefined && !body.includes(event.data)
}

type Steps = InboxRequest['steps']

/** As any receiver would, by Standard Webhooks. */
function check(
  secrets: string[],
  headers: IncomingHttpHeaders,
  body: { bytes: Buffer; text: string },
  now: number,
): Steps {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
  const [id = '', timestamp = '', signature = ''] = names.map((name) => String(headers[name] ?? ''))
  const missing = names.filter((name) => !headers[name])
  const late_s = Math.round(Math.abs(now / 1000 - Number(timestamp)))
  const message = { id, timestamp, body: body.bytes }
  const expected = secrets.map((secret) => sign(secret, message))
  const content = `${id}.${timestamp}.${body.text}`
  return [
    {
      name: 'headers',
      is_ok: missing.length === 0,
      detail: missing.length === 0 ? `There are ${names.join(', ')}.` : `There is no ${missing.join(', ')}.`,
    },
    {
      name: 'timestamp',
      is_ok: late_s * 1000 <= tolerance_ms,
      detail: `It is ${late_s} s from now; at most ${tolerance_ms / 1000} are fine.`,
    },
    {
      name: 'content',
      is_ok: true,
      detail: `What is signed is the id, the timestamp and the body: ${shown(content)}`,
    },
    { name: 'expected', is_ok: true, detail: `HMAC-SHA256 of it with the secret gives ${expected.join(' ')}` },
    {
      name: 'signature',
      is_ok: secrets.some((secret) => isSigned(secret, message, signature)),
      detail: `The header says ${shown(signature)}`,
    },
  ]
}

const shown = (text: string): string => storable(cut(text, shown_max)) + (text.length > shown_max ? '…' : '')

export async function list(
  db: Db,
  workspace: string,
  webhook_id: string,
  query: page.PageQuery,
): Promise<page.Page<InboxRequest>> {
  await webhooks.get(db, workspace, webhook_id)
  const all = sql`select ${columns} from inbox_requests
    where workspace_id = ${workspace} and webhook_id = ${webhook_id}`
  return page.readSelection(db, query, page.newest_id_first, all)
}
