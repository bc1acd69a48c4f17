import { naming_people } from '../drivers/names-to-ask-for.ts'
import { type InWorkspace, on, type Reaction } from '../kit/at.ts'
import { named } from '../kit/postgres/names.ts'
import { sql } from '../kit/postgres/sql.ts'

export const reactions: Reaction[] = [named('person', readNames), on(naming_people, readMemberNames)]

const members_named_max = 500

/** Also of people who have left the workspace. */
function readNames({ db }: Pick<InWorkspace, 'db'>, ids: string[]): Promise<{ id: string; name: string }[]> {
  return db.many(sql`select id, name from people where id = any(${ids}::uuid[])`)
}

async function readMemberNames({ db, workspace }: InWorkspace): Promise<string[]> {
  const members = await db.many<{ name: string }>(
    sql`select name from memberships join people on people.id = person_id where workspace_id = ${workspace} limit ${members_named_max}`,
  )
  return members.map(({ name }) => name)
}
