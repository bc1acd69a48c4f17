import type { At, InWorkspace } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import { hashOf, newSecret } from '../../kit/crypto/secret.ts'
import { type IsStopping, inBatches } from '../../kit/postgres/in-batches.ts'
import { sql } from '../../kit/postgres/sql.ts'

const lifetime_ms = 30 * clock.day_ms
const batch_rows = 2_000

/** A visitor of a web chat, known by a token in the browser. */
export interface ChatVisitor {
  token_hash: Buffer
  channel_id: string
  conversation_id: string
}

/** Adds a visitor. Returns its token, of which only a hash is stored. */
export async function add(
  { db, workspace }: InWorkspace,
  { channel_id, conversation_id, now }: { channel_id: string; conversation_id: string; now: number },
): Promise<string> {
  const token = newSecret()
  await db.run(
    sql`insert into chat_visitors (workspace_id, token_hash, channel_id, conversation_id, created_at, expires_at)
      values (${workspace}, ${hashOf(token)}, ${channel_id}, ${conversation_id}, ${clock.iso(now)},
        ${clock.iso(now + lifetime_ms)})`,
  )
  return token
}

export interface WantedVisitor {
  /** The token of the visitor. */
  secret: string
  workspace: string
  channel_id: string
}

/** Finds the visitors of these tokens. A token is valid for its channel only. `now` is wall time. */
export async function findByTokens(
  { db, now }: Pick<At, 'db' | 'now'>,
  wanted: WantedVisitor[],
): Promise<(ChatVisitor | undefined)[]> {
  const by_workspace = Map.groupBy(wanted, ({ workspace }) => workspace)
  const found = await Promise.all(
    Array.from(by_workspace, ([workspace, some]) =>
      db.many<ChatVisitor>(
        sql`select token_hash, channel_id, conversation_id from chat_visitors
          where workspace_id = ${workspace} and token_hash = any(${some.map(({ secret }) => hashOf(secret))}::bytea[])
            and expires_at > ${clock.iso(now)}`,
      ),
    ),
  )
  const by_hash = new Map(found.flat().map((visitor) => [visitor.token_hash.toString('hex'), visitor]))
  return wanted.map(({ secret, channel_id }) => {
    const visitor = by_hash.get(hashOf(secret).toString('hex'))
    return visitor?.channel_id === channel_id ? visitor : undefined
  })
}

/** Locks the visitor until the transaction ends, so that two messages can't begin two conversations. */
export const lock = (
  { db, workspace }: InWorkspace,
  { token_hash }: Pick<ChatVisitor, 'token_hash'>,
): Promise<ChatVisitor | undefined> =>
  db.maybe<ChatVisitor>(
    sql`select token_hash, channel_id, conversation_id from chat_visitors
      where workspace_id = ${workspace} and token_hash = ${token_hash} for no key update`,
  )

/** Notes that the visitor goes on in another conversation. */
export const move = (
  { db, workspace }: InWorkspace,
  { token_hash, conversation_id }: Pick<ChatVisitor, 'token_hash' | 'conversation_id'>,
): Promise<number> =>
  db.run(
    sql`update chat_visitors set conversation_id = ${conversation_id}
      where workspace_id = ${workspace} and token_hash = ${token_hash}`,
  )

/** Deletes the visitors of these conversations: a visitor who writes again is a new one. */
export const forget = ({ db, workspace }: InWorkspace, conversation_ids: string[]): Promise<number> =>
  db.run(
    sql`delete from chat_visitors where workspace_id = ${workspace} and conversation_id = any(${conversation_ids}::uuid[])`,
  )

/** Removes visitors whose tokens have expired. `now` is wall time, as for all that authenticates. */
export async function removeExpired({ db, workspace, now }: At, isStopping?: IsStopping): Promise<void> {
  const removeBatch = () =>
    db.run(
      sql`delete from chat_visitors where workspace_id = ${workspace} and token_hash = any(array(
        select token_hash from chat_visitors
        where workspace_id = ${workspace} and expires_at <= ${clock.iso(now)}
        order by expires_at limit ${batch_rows}))`,
    )
  await inBatches(batch_rows, removeBatch, isStopping)
}
