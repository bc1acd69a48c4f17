import type { Person } from '../consent/person.ts'
import type { At, AtOutside, InWorkspace } from '../kit/at.ts'
import type { Blob } from '../kit/blobs/blobs.ts'
import { distinctTexts } from '../kit/postgres/distinct-texts.ts'
import { type IdRange, pageById } from '../kit/postgres/page-by-id.ts'
import { type Sql, sql } from '../kit/postgres/sql.ts'
import { ask, cancelUnstarted, isUnstarted } from './end.ts'
import { keyOf } from './recording-files.ts'
import { columns, joinConversation, lockMany, type Row, unlinkRedacted } from './rows.ts'
import type { Call } from './schema.ts'
import { table } from './store.ts'

const is_over = sql`status in ('completed', 'failed', 'canceled')`

/** An SQL condition on `calls`. It says the same as that of conversations. */
export const ofPerson = ({ contact_ids, addresses, keys }: Person): Sql =>
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

/** Calls that were not dialled yet are canceled. The processes that drive others end them. Returns how many were not over. */
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

/** Those of these conversations whose calls are not over. */
export async function findOnLine({ db, workspace }: InWorkspace, conversation_ids: string[]): Promise<Set<string>> {
  const rows = await db.many<{ conversation_id: string }>(
    sql`select conversation_id from calls
      where workspace_id = ${workspace} and conversation_id = any(${conversation_ids}::uuid[]) and not ${is_over}`,
  )
  return new Set(rows.map(({ conversation_id }) => conversation_id))
}

/** In the transaction that has redacted them. They stay with the contact until their files are gone. */
export const leave = (at: At, person: Person, ids: string[]): Promise<number> =>
  unlinkRedacted(at, { ids, contact_id: person.contact_id })

/** Lets go of redacted calls whose files are gone. Returns how many. */
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

/** The numbers that calls were made to and came from. Some have no caller's number, but a word. */
export async function* numbersIn(at: InWorkspace): AsyncGenerator<string> {
  for (const column of ['to_number', 'from_number']) yield* distinctTexts(at, { table: 'calls', column })
}
