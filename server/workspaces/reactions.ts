import type { InWorkspace, Reaction } from '../kit/at.ts'
import { named } from '../kit/postgres/names.ts'
import { sql } from '../kit/postgres/sql.ts'

export const reactions: Reaction[] = [named('workspace', readNames)]

/** Reads the names of workspaces. A workspace knows only its own. */
function readNames({ db, workspace }: InWorkspace): Promise<{ id: string; name: string }[]> {
  return db.many(sql`select id, name from workspaces where id = ${workspace}`)
}
