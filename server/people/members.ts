import * as audit from '../audit/store.ts'
import { type At, inTransaction } from '../kit/at.ts'
import * as page from '../kit/postgres/page.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { invalidState, notFound } from '../kit/problem.ts'
import { asPerson } from './audit.ts'
import { hasTwoFactor } from './has-two-factor.ts'
import { roleRequired } from './roles.ts'
import type { Member, Query, Role } from './schema.ts'

const selection = (workspace: string) =>
  sql`select person_id as id, person_id, email, name, role,
      ${hasTwoFactor(raw('memberships.person_id'))} as has_two_factor, memberships.created_at
    from memberships join people on people.id = person_id where workspace_id = ${workspace}`

export const list = ({ db, workspace }: At, query: Query) =>
  page.readSelection<Member & { id: string }>(db, query, page.newest_first, selection(workspace))

/**
 * Changes the role of a member. `by` must be an owner, which is checked again under the lock, because they may have
 * been removed since the request began.
 */
export const setRole = (
  at: At,
  { person_id, role, by }: { person_id: string; role: Role; by: string },
): Promise<Member> =>
  inTransaction(at, async (at) => {
    const { db, workspace } = at
    const members = await lockMembers(at)
    assertOwner(members, by)
    assertAnotherOwner(members, person_id, role)
    await db.run(
      sql`update memberships set role = ${role} where workspace_id = ${workspace} and person_id = ${person_id}`,
    )
    if (role !== 'owner') await withdrawInvitationsBy(at, person_id)
    await audit.record(at, { action: 'members.update', subject: asPerson(person_id) })
    return db.one<Member>(sql`select * from (${selection(workspace)}) as member where person_id = ${person_id}`)
  })

/** Removes a member. `by` must be an owner or the person, who loses access at the next request. */
export const remove = (at: At, { person_id, by }: { person_id: string; by: string }): Promise<{ deleted: true }> =>
  inTransaction(at, async (at) => {
    const { db, workspace } = at
    const members = await lockMembers(at)
    if (by !== person_id) assertOwner(members, by)
    assertAnotherOwner(members, person_id, undefined)
    await db.run(sql`delete from memberships where workspace_id = ${workspace} and person_id = ${person_id}`)
    await withdrawInvitationsBy(at, person_id)
    await withdrawInvitationsFor(at, person_id)
    await audit.record(at, { action: 'members.delete', subject: asPerson(person_id) })
    return { deleted: true }
  })

type Members = { person_id: string; role: Role }[]

/** Locks all members until the transaction ends, so that two owners can't demote each other. */
const lockMembers = ({ db, workspace }: At): Promise<Members> =>
  db.many(sql`select person_id, role from memberships where workspace_id = ${workspace} order by person_id for update`)

function assertOwner(members: Members, person_id: string): void {
  const is_owner = members.some((member) => member.person_id === person_id && member.role === 'owner')
  if (!is_owner) throw roleRequired('owner')
}

function assertAnotherOwner(members: Members, person_id: string, role: Role | undefined): void {
  if (!members.some((member) => member.person_id === person_id)) throw notFound()
  const is_owned =
    role === 'owner' || members.some((member) => member.role === 'owner' && member.person_id !== person_id)
  if (!is_owned) throw invalidState('A workspace needs an owner. Make another member an owner first.')
}

/** Withdraws the invitations that a person created: with one of them, a removed person could come back. */
const withdrawInvitationsBy = ({ db, workspace }: At, person_id: string): Promise<number> =>
  db.run(sql`delete from invitations where workspace_id = ${workspace} and invited_by = ${person_id}`)

const withdrawInvitationsFor = ({ db, workspace }: At, person_id: string): Promise<number> =>
  db.run(
    sql`delete from invitations where workspace_id = ${workspace}
      and email = (select email from people where id = ${person_id})`,
  )
