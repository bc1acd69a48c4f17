import * as page from '../kit/postgres/page.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { sql } from '../kit/postgres/sql.ts'
import { invalidState, notFound } from '../kit/problem.ts'
import { roleRequired } from './roles.ts'
import type { Member, Query, Role } from './schema.ts'

const selection = (workspace: string) =>
  sql`select person_id as id, person_id, email, name, role, memberships.created_at
    from memberships join people on people.id = person_id where workspace_id = ${workspace}`

export const list = (db: Db, workspace: string, query: Query) =>
  page.readSelection<Member & { id: string }>(db, query, page.newest_first, selection(workspace))

/** By an owner, who may have been removed since the request began. */
export const setRole = (db: Db, workspace: string, person_id: string, role: Role, by: string): Promise<Member> =>
  db.tx(async (db) => {
    const members = await lockMembers(db, workspace)
    assertOwner(members, by)
    assertAnotherOwner(members, person_id, role)
    await db.run(
      sql`update memberships set role = ${role} where workspace_id = ${workspace} and person_id = ${person_id}`,
    )
    if (role !== 'owner') await withdrawInvitations(db, workspace, person_id)
    return db.one<Member>(sql`select * from (${selection(workspace)}) as member where person_id = ${person_id}`)
  })

/** By an owner or by the person. What the person does next in the workspace is refused. */
export const remove = (db: Db, workspace: string, person_id: string, by: string): Promise<{ deleted: true }> =>
  db.tx(async (db) => {
    const members = await lockMembers(db, workspace)
    if (by !== person_id) assertOwner(members, by)
    assertAnotherOwner(members, person_id, undefined)
    await db.run(sql`delete from memberships where workspace_id = ${workspace} and person_id = ${person_id}`)
    await withdrawInvitations(db, workspace, person_id)
    await withdrawInvitationsFor(db, workspace, person_id)
    return { deleted: true }
  })

type Locked = { person_id: string; role: Role }[]

/** Until the transaction ends: of two owners who take each other's role, one is too late. */
const lockMembers = (db: Db, workspace: string): Promise<Locked> =>
  db.many(sql`select person_id, role from memberships where workspace_id = ${workspace} order by person_id for update`)

function assertOwner(members: Locked, person_id: string): void {
  const is_owner = members.some((member) => member.person_id === person_id && member.role === 'owner')
  if (!is_owner) throw roleRequired('owner')
}

function assertAnotherOwner(members: Locked, person_id: string, role: Role | undefined): void {
  if (!members.some((member) => member.person_id === person_id)) throw notFound()
  const is_owned =
    role === 'owner' || members.some((member) => member.role === 'owner' && member.person_id !== person_id)
  if (!is_owned) throw invalidState('This is the last owner: make another member an owner first.')
}

/** Or else who is sent away could come back by them. */
const withdrawInvitations = (db: Db, workspace: string, person_id: string): Promise<number> =>
  db.run(sql`delete from invitations where workspace_id = ${workspace} and invited_by = ${person_id}`)

const withdrawInvitationsFor = (db: Db, workspace: string, person_id: string): Promise<number> =>
  db.run(
    sql`delete from invitations where workspace_id = ${workspace}
      and email = (select email from people where id = ${person_id})`,
  )
