import type { Person } from '../consent/person.ts'
import { redact as redactConversation, removeMany as removeConversations } from '../conversations/erase.ts'
import * as events from '../events/store.ts'
import { type At, type AtOutside, type InWorkspace, inTransaction } from '../kit/at.ts'
import type { Blob } from '../kit/blobs/blobs.ts'
import * as clock from '../kit/clock.ts'
import { redactAnswers } from '../kit/http/idempotency.ts'
import { distinctTexts } from '../kit/postgres/distinct-texts.ts'
import { type IsStopping, inBatches } from '../kit/postgres/in-batches.ts'
import { type IdRange, pageById } from '../kit/postgres/page-by-id.ts'
import { type Sql, sql } from '../kit/postgres/sql.ts'
import { invalidState } from '../kit/problem.ts'
import * as counts from './change/counts.ts'
import { ask, cancelUnstarted, isUnstarted } from './change/end.ts'
import { keyOf, removeLater } from './record/files.ts'
import {
  columns,
  deleteRows,
  eraseRow,
  joinConversation,
  lock,
  lockMany,
  type Row,
  select,
  setRecordingsDeleted,
  unlinkRedacted,
} from './rows.ts'
import { type Call, final_statuses } from './schema.ts'
import * as calls from './store.ts'
import { table } from './store.ts'

/** Erases what was said, the numbers and the audio. A call that was not dialled yet is canceled before. */
export async function redact(at: At, { id, by }: { id: string; by: 'human' | 'system' }): Promise<Call> {
  // The conversation is locked before the call, as when the conversation is redacted.
  const known = await calls.get(at, id)
  // A call without a conversation may get one meanwhile, unless it is locked.
  const { conversation_id } = known.conversation_id === null ? await lock(at, id) : known
  if (conversation_id === null) await erase(at, { id, by })
  else await redactConversation(at, { id: conversation_id, reason: by === 'human' ? 'human_ended' : 'api' })
  return calls.get(at, id)
}

/** The call of a conversation that is redacted, if it has one. */
export async function redactCallOf(at: At, conversation_id: string): Promise<void> {
  const { db, workspace } = at
  const found = await db.many<{ id: string }>(
    sql`select id from calls where workspace_id = ${workspace} and conversation_id = ${conversation_id}`,
  )
  for (const { id } of found) await erase(at, { id, by: 'system' })
}

async function erase(at: At, { id, by }: { id: string; by: 'human' | 'system' }): Promise<void> {
  const before = await lock(at, id)
  if (isUnstarted(at, before)) await cancelUnstarted(at, [before], by)
  else if (!final_statuses.includes(before.status))
    throw invalidState('A call that is not over can not be redacted. End it first.', { status: before.status })
  await eraseRecording(at, { id, by })
  await Promise.all([eraseRow(at, id), events.redact(at, [id]), redactAnswers(at, [id])])
  calls.announce(at, before)
}

/** Each call has up to 200 turns. */
const calls_batch = 100

/** Deletes calls that are old and over, with their conversations and recordings. */
export async function removeOld(
  at: At,
  { calls_keep_days }: { calls_keep_days: number | null },
  isStopping?: IsStopping,
): Promise<void> {
  if (calls_keep_days === null) return
  const before = clock.iso(at.now - calls_keep_days * clock.day_ms)
  await inBatches(calls_batch, () => removeBatch(at, before), isStopping)
}

const removeBatch = (at: At, before: string): Promise<number> =>
  inTransaction(at, async (at) => {
    const { db, workspace } = at
    const old = await select(['id', 'status', 'conversation_id']).many(
      db,
      sql`from calls
        where workspace_id = ${workspace} and created_at < ${before} and status in ('completed', 'failed', 'canceled')
        order by created_at, id limit ${calls_batch} for update skip locked`,
    )
    for (const { id } of old) await eraseRecording(at, { id, by: 'system' })
    await removeConversations(
      at,
      old.flatMap(({ conversation_id }) => conversation_id ?? []),
    )
    await deleteRows(
      at,
      old.map(({ id }) => id),
    )
    await counts.count(
      at,
      old.map(({ status }) => ({ from: status, to: null })),
    )
    return old.length
  })

const recordings_batch = 1_000

/** Erases the audio of a call, if it has some. The file is removed in the background. */
export async function eraseRecording(at: At, { id, by }: { id: string; by: string }): Promise<void> {
  await eraseSome(at, {
    where: sql`id = ${id} and recording_status not in ('none', 'deleted')`,
    locking: sql`for update`,
    by,
  })
}

/** Erases the audio of old calls. */
export async function removeOldRecordings(
  at: At,
  { recordings_keep_days }: { recordings_keep_days: number | null },
  isStopping?: IsStopping,
): Promise<void> {
  if (recordings_keep_days === null) return
  const before = clock.iso(at.now - recordings_keep_days * clock.day_ms)
  const where = sql`recording_status = 'ready' and created_at < ${before}`
  // Calls that are just being changed follow the next time.
  const locking = sql`for update skip locked`
  const removeBatch = () => inTransaction(at, (at) => eraseSome(at, { where, locking, by: 'retention' }))
  await inBatches(recordings_batch, removeBatch, isStopping)
}

async function eraseSome(at: At, { where, locking, by }: { where: Sql; locking: Sql; by: string }): Promise<number> {
  const { db, workspace } = at
  const recorded = await select(['id', 'created_at']).many(
    db,
    sql`from calls where workspace_id = ${workspace} and ${where}
      order by created_at limit ${recordings_batch} ${locking}`,
  )
  if (recorded.length === 0) return 0
  await removeLater(at, recorded)
  return setRecordingsDeleted(
    at,
    recorded.map(({ id }) => id),
    by,
  )
}

const is_over = sql`status in ('completed', 'failed', 'canceled')`

/** An SQL condition on `calls`, which says the same as the one on `conversations`. */
const ofPerson = ({ contact_ids, addresses, keys }: Person): Sql =>
  sql`(contact_id = any(${contact_ids}::uuid[]) or (contact_id is null and (to_number = any(${addresses}::text[])
    or (direction = 'inbound' and from_number = any(${addresses}::text[])) or phone_hmac = any(${keys}::bytea[]))))`

export type CallWithVariables = Call & Pick<Row, 'variables'>

/** The person's calls, in the order of their ids. */
export const listOf = ({ db, workspace }: InWorkspace, person: Person, range: IdRange): Promise<CallWithVariables[]> =>
  db.many<CallWithVariables>(
    pageById(table, workspace, {
      columns: sql`${columns}, variables`,
      where: ofPerson(person),
      join: joinConversation(sql`${workspace}`),
      ...range,
    }),
  )

/** The audio of a call. Undefined if there is none, or if that of a simulated call was never rendered. */
export const openAudio = async ({ tools, workspace }: AtOutside, call: Call): Promise<Blob | undefined> =>
  call.recording.status === 'ready' ? tools.blobs.open(keyOf(workspace, call)) : undefined

/**
 * Cancels the person's calls that were not dialled yet, and has the others ended by the processes that drive them.
 * Returns how many were not over.
 */
export async function endOf(at: At, person: Person, limit: number): Promise<number> {
  const going = await lockMany(at, { where: sql`not ${is_over} and ${ofPerson(person)}`, limit })
  const unstarted = going.filter((call) => isUnstarted(at, call))
  await cancelUnstarted(at, unstarted, 'human')
  for (const call of going)
    if (call.request === null && !unstarted.includes(call))
      await ask(at, call, call.status === 'in_progress' || call.direction === 'inbound' ? 'hang_up' : 'cancel')
  return going.length
}

/** Some of the person's calls that are over and not redacted. */
export const findOverOf = ({ db, workspace }: InWorkspace, person: Person, limit: number) =>
  db.many<{ id: string; conversation_id: string | null; has_file: boolean }>(
    sql`select id, conversation_id, recording_status not in ('none', 'deleted') as has_file from calls
      where workspace_id = ${workspace} and ${ofPerson(person)} and ${is_over} and redacted_at is null
      order by created_at, id limit ${limit}`,
  )

/** The calls of these conversations that are not redacted. */
export const findOfConversations = ({ db, workspace }: InWorkspace, conversation_ids: string[]) =>
  db.many<{ id: string; has_file: boolean }>(
    sql`select id, recording_status not in ('none', 'deleted') as has_file from calls
      where workspace_id = ${workspace} and conversation_id = any(${conversation_ids}::uuid[]) and redacted_at is null`,
  )

/** Returns those of these conversations whose calls are not over. */
export async function findOnLine({ db, workspace }: InWorkspace, conversation_ids: string[]): Promise<Set<string>> {
  const rows = await db.many<{ conversation_id: string }>(
    sql`select conversation_id from calls
      where workspace_id = ${workspace} and conversation_id = any(${conversation_ids}::uuid[]) and not ${is_over}`,
  )
  return new Set(rows.map(({ conversation_id }) => conversation_id))
}

/**
 * Unlinks redacted calls from the person, in the transaction that has redacted them. They stay with the contact until
 * their files are gone.
 */
export const leave = (at: At, person: Person, ids: string[]): Promise<number> =>
  unlinkRedacted(at, { ids, contact_id: person.contact_id })

/** Unlinks redacted calls whose files are gone. Returns how many. */
export async function leaveWithoutFiles(at: At, person: Person, limit: number): Promise<number> {
  const { db, workspace } = at
  const ready = await db.many<{ id: string }>(
    sql`select id from calls
      where workspace_id = ${workspace} and ${ofPerson(person)} and redacted_at is not null and not exists (
        select from recording_files
        where recording_files.workspace_id = ${workspace} and recording_files.id = calls.id)
      order by id limit ${limit} for no key update`,
  )
  if (ready.length === 0) return 0
  return leave(
    at,
    person,
    ready.map(({ id }) => id),
  )
}

/** Whether nothing of the person is left here. */
export const hasNoneOf = async ({ db, workspace }: InWorkspace, person: Person): Promise<boolean> =>
  (await db.run(sql`select from calls where workspace_id = ${workspace} and ${ofPerson(person)} limit 1`)) === 0

/** The numbers that calls were made to and came from. Some calls have a word in place of the caller's number. */
export async function* numbersIn(at: InWorkspace): AsyncGenerator<string> {
  for (const column of ['to_number', 'from_number']) yield* distinctTexts(at, { table: 'calls', column })
}
