import type { InWorkspace, Reaction } from '../kit/at.ts'
import { named } from '../kit/postgres/names.ts'
import { sql } from '../kit/postgres/sql.ts'

export const reactions: Reaction[] = [named('person', readNames)]

/** Also of people who have left the workspace. */
function readNames({ db }: Pick<InWorkspace, 'db'>, ids: string[]): Promise<{ id: string; name: string }[]> {
  return db.many(sql`select id, name from people where id = any(${ids}::uuid[])`)
}
