import { naming_people } from '../drivers/names-to-ask-for.ts'
import { type At, type InWorkspace, on, type Reaction } from '../kit/at.ts'
import { named } from '../kit/postgres/names.ts'
import { sql } from '../kit/postgres/sql.ts'
import { invalidState } from '../kit/problem.ts'
import { requiring_two_factor } from '../workspaces/store.ts'
import { hasTwoFactor } from './has-two-factor.ts'

export const reactions: Reaction[] = [
  named('person', readNames),
  on(naming_people, readMemberNames),
  on(requiring_two_factor, assertHasTwoFactor),
]

const members_named_max = 500

/** Reads names, also of people who have left the workspace. */
function readNames({ db }: Pick<InWorkspace, 'db'>, ids: string[]): Promise<{ id: string; name: string }[]> {
  return db.many(sql`select id, name from people where id = any(${ids}::uuid[])`)
}

async function readMemberNames({ db, workspace }: InWorkspace): Promise<string[]> {
  const members = await db.many<{ name: string }>(
    sql`select name from memberships join people on people.id = person_id where workspace_id = ${workspace} limit ${members_named_max}`,
  )
  return members.map(({ name }) => name)
}

/** Throws if the actor has no two-factor sign-in: an owner without it would be the first to be locked out. */
async function assertHasTwoFactor({ db, actor }: At): Promise<void> {
  const { is_on } = await db.one<{ is_on: boolean }>(sql`select ${hasTwoFactor(sql`${actor.id}`)} as is_on`)
  if (!is_on)
    throw invalidState('Set up two-factor sign-in for yourself first, in your profile in the dashboard.', {
      field: 'settings.requires_two_factor',
      reason: 'two_factor_not_set_up',
    })
}
