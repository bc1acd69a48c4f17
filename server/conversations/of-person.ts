import type { Person } from '../consent/person.ts'
import type { At, InWorkspace } from '../kit/at.ts'
import { distinctTexts } from '../kit/postgres/distinct-texts.ts'
import { type IdRange, pageById } from '../kit/postgres/page-by-id.ts'
import { type Sql, sql } from '../kit/postgres/sql.ts'
import * as people from './people.ts'
import { columns, select, unlinkRedacted } from './rows.ts'
import type { Conversation } from './schema.ts'
import { table } from './store.ts'

/**
 * An SQL condition on `conversations`: those of its contacts, and those that are linked to no contact and have one of its numbers, or
 * had it when an earlier contact was deleted. What is linked to another contact is that contact's.
 */
export const ofPerson = ({ contact_ids, addresses, keys }: Person): Sql =>
  sql`(contact_id = any(${contact_ids}::uuid[]) or (contact_id is null
    and (counterpart = any(${addresses}::text[]) or phone_hmac = any(${keys}::bytea[]))))`

/** The person's conversations, in the order of their ids. */
export const listOf = ({ db, workspace }: InWorkspace, person: Person, range: IdRange): Promise<Conversation[]> =>
  db.many<Conversation>(pageById(table, workspace, { columns, where: ofPerson(person), ...range }))

/** Those in progress are closed. Calls end theirs. Returns how many were closed. */
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

/** In the transaction that has redacted them. */
export const leave = (at: At, ids: string[]): Promise<number> => unlinkRedacted(at, ids)

/** Whether nothing of the person is left here. */
export const hasNoneOf = async ({ db, workspace }: InWorkspace, person: Person): Promise<boolean> =>
  (await db.run(sql`select from conversations where workspace_id = ${workspace} and ${ofPerson(person)} limit 1`)) === 0

/** The numbers of people in conversations, also behind the name of another service. */
export const addressesIn = (at: InWorkspace): AsyncGenerator<string> =>
  distinctTexts(at, { table: 'conversations', column: 'counterpart' })
