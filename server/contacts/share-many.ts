import type { At } from '../kit/at.ts'
import { sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import type { Contact } from './schema.ts'

/** Keeps these contacts from being deleted until the transaction ends. Returns those that exist. */
export const shareMany = ({ db, workspace }: At, ids: string[]): Promise<Pick<Contact, 'id' | 'phone_number'>[]> =>
  db.many(
    sql`select id, phone_number from contacts where workspace_id = ${workspace} and id = any(${toArrayLiteral(ids)}::uuid[])
      order by id for key share`,
  )
