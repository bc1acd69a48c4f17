import type { Person } from '../consent/person.ts'
import * as unanswered from '../documents/unanswered.ts'
import * as events from '../events/store.ts'
import { type At, type InWorkspace, inTransaction, newHook } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { redactAnswers } from '../kit/http/idempotency.ts'
import { distinctTexts } from '../kit/postgres/distinct-texts.ts'
import { type IsStopping, inBatches } from '../kit/postgres/in-batches.ts'
import { type IdRange, pageById } from '../kit/postgres/page-by-id.ts'
import { type Sql, sql } from '../kit/postgres/sql.ts'
import * as counts from './counted.ts'
import * as people from './people.ts'
import { columns, deleteClosed, deleteOld, eraseRow, select, unlinkRedacted } from './rows.ts'
import type { Conversation } from './schema.ts'
import { announce, lock, table } from './store.ts'

/** Runs in the transaction that redacts a conversation, before anything is erased. A reaction that throws prevents it. */
export const redacting = newHook<Conversation>('conversations.redacting')

/** Erases what was said, and all copies of it. A conversation that is not closed is closed before. */
export async function redact(
  at: At,
  { id, reason }: { id: string; reason: 'api' | 'human_ended' },
): Promise<Conversation> {
  const { db, workspace, now } = at
  const found = await lock(at, id)
  const { awaits_answer: _, ...before } = found
  await at.hooks.run(at, redacting, before)
  const closed = before.status === 'closed' ? before : await people.close(at, { id, reason })
  const redacted_at = before.redacted_at ?? clock.iso(now)
  const updated_at = clock.laterThan(closed.updated_at, now)
  const of_conversation = sql`workspace_id = ${workspace} and conversation_id = ${id}`
  await Promise.all([
    eraseRow(at, { id, redacted_at, updated_at }),
    db.run(
      sql`update conversation_turns set text = '', heard = null, speech = null, script = null, error = null,
          citations = null, is_open = false where ${of_conversation}`,
    ),
    db.run(sql`update tool_runs set arguments = '{}', result = null where ${of_conversation}`),
    unanswered.forget(at, [id]),
    events.redact(at, [id]),
    redactAnswers(at, [id]),
  ])
  announce(at, id)
  const erased = { counterpart: null, variables: {}, metadata: {}, results: {}, summary: null, hand_over_reason: null }
  return { ...closed, ...erased, redacted_at, updated_at }
}

/** Each conversation has up to 200 turns. */
const conversations_batch = 100
const runs_batch = 2_000
/** A day's tokens are needed on that day only. */
const token_days_kept = 7

/** Runs in the transaction that deletes conversations, with their ids. */
export const removed = newHook<string[]>('conversations.removed')

interface Keep {
  conversations_keep_days: number | null
  tool_runs_keep_days: number | null
}

/** Deletes closed conversations and tool runs that are old. Conversations of calls are deleted with their calls. */
export async function removeOld(at: At, keep: Keep, isStopping?: IsStopping): Promise<void> {
  const { db, workspace, now } = at
  const before = (days: number) => clock.iso(now - days * clock.day_ms)
  const { conversations_keep_days, tool_runs_keep_days } = keep
  if (conversations_keep_days !== null)
    await inBatches(conversations_batch, () => removeBatch(at, before(conversations_keep_days)), isStopping)
  if (tool_runs_keep_days !== null) {
    const removeRuns = () =>
      db.run(
        sql`delete from tool_runs where workspace_id = ${workspace} and (conversation_id, id) in (
          select conversation_id, id from tool_runs
          where workspace_id = ${workspace} and created_at < ${before(tool_runs_keep_days)}
          order by created_at limit ${runs_batch})`,
      )
    await inBatches(runs_batch, removeRuns, isStopping)
  }
  await db.run(
    sql`delete from token_days where workspace_id = ${workspace} and day < ${before(token_days_kept).slice(0, 10)}`,
  )
}

/** Deletes a batch of old conversations, and their turns and tool runs with them. */
const removeBatch = (at: At, before: string): Promise<number> =>
  inTransaction(at, async (at) => {
    const old = await deleteOld(at, before, conversations_batch)
    await noteRemoved(at, old)
    return old.length
  })

/** Deletes closed conversations, in the transaction that deletes what they belong to. */
export async function removeMany(at: At, ids: string[]): Promise<void> {
  if (ids.length > 0) await noteRemoved(at, await deleteClosed(at, ids))
}

async function noteRemoved(at: At, conversations: { id: string; is_test: boolean }[]): Promise<void> {
  const ids = conversations.map(({ id }) => id)
  await Promise.all([
    counts.count(
      at,
      conversations.map(({ is_test }) => ({ from: 'closed', to: null, is_test })),
    ),
    unanswered.forget(at, ids),
    at.hooks.run(at, removed, ids),
  ])
}

/**
 * An SQL condition on `conversations`: those of its contacts, and those that are linked to no contact and have one of its numbers, or
 * had it when an earlier contact was deleted. What is linked to another contact is that contact's.
 */
const ofPerson = ({ contact_ids, addresses, keys }: Person): Sql =>
  sql`(contact_id = any(${contact_ids}::uuid[]) or (contact_id is null
    and (counterpart = any(${addresses}::text[]) or phone_hmac = any(${keys}::bytea[]))))`

/** The person's conversations, in the order of their ids. */
export const listOf = ({ db, workspace }: InWorkspace, person: Person, range: IdRange): Promise<Conversation[]> =>
  db.many<Conversation>(pageById(table, workspace, { columns, where: ofPerson(person), ...range }))

/** Closes the person's conversations that are in progress. Calls close their own. Returns how many were closed. */
export async function closeOf(at: At, person: Person, limit: number): Promise<number> {
  const { db, workspace } = at
  const open = await db.many<{ id: string }>(
    sql`select id from conversations
      where workspace_id = ${workspace} and ${ofPerson(person)} and status <> 'closed' and kind <> 'voice'
      order by id limit ${limit} for no key update`,
  )
  for (const { id } of open) await people.close(at, { id, reason: 'api' })
  return open.length
}

export type Held = Pick<Conversation, 'id' | 'kind' | 'redacted_at'>

/** Some of the person's conversations that are over. */
export const findOverOf = ({ db, workspace }: InWorkspace, person: Person, limit: number): Promise<Held[]> =>
  select(['id', 'kind', 'redacted_at']).many(
    db,
    sql`from conversations
      where workspace_id = ${workspace} and ${ofPerson(person)} and (status = 'closed' or kind <> 'voice')
      order by created_at, id limit ${limit}`,
  )

/** Unlinks redacted conversations from the person, in the transaction that has redacted them. */
export const leave = (at: At, ids: string[]): Promise<number> => unlinkRedacted(at, ids)

/** Whether nothing of the person is left here. */
export const hasNoneOf = async ({ db, workspace }: InWorkspace, person: Person): Promise<boolean> =>
  (await db.run(sql`select from conversations where workspace_id = ${workspace} and ${ofPerson(person)} limit 1`)) === 0

/** The numbers of people in conversations, also behind the name of another service. */
export const addressesIn = (at: InWorkspace): AsyncGenerator<string> =>
  distinctTexts(at, { table: 'conversations', column: 'counterpart' })
