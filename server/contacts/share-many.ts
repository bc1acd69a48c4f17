import type { At } from '../kit/at.ts'
import { sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import type { Contact } from './schema.ts'

/** Keeps these contacts from being deleted until the transaction ends. Returns those that exist. */
export const shareMany = ({ db, workspace }: At, ids: string[]): Promise<Pick<Contact, 'id' | 'phone_number'>[]> =>
  db.many(
    sql`select id, phone_number from contacts where workspace_id = ${workspace} and id = any(${toArrayLiteral(ids)}::uuid[])
      order by id for key share`,
  )

/**
 * Keeps contacts from being deleted, without waiting: those that others are changing or deleting are left out. Returns
 * the ids of the contacts that are kept.
 */
export async function shareFree({ db, workspace }: At, ids: string[]): Promise<Set<string>> {
  const shared = await db.many<Pick<Contact, 'id'>>(
    sql`select id from contacts where workspace_id = ${workspace} and id = any(${toArrayLiteral(ids)}::uuid[])
      order by id for key share skip locked`,
  )
  return new Set(shared.map(({ id }) => id))
}
