import type { Db } from '../kit/db.ts'
import * as page from '../kit/page.ts'
import { invalidState, notFound } from '../kit/problem.ts'
import { sql } from '../kit/sql.ts'
import type { Member, Query, Role } from './schema.ts'

const selection = (workspace: string) =>
  sql`select person_id as id, person_id, email, name, role, memberships.created_at
    from memberships join people on people.id = person_id where workspace_id = ${workspace}`

export const list = (db: Db, workspace: string, query: Query) =>
  page.readSelection<Member & { id: string }>(db, query, page.newest_first, selection(workspace))

export const setRole = (db: Db, workspace: string, person_id: string, role: Role): Promise<Member> =>
  db.tx(async (db) => {
    await assertAnotherOwner(db, workspace, person_id, role)
    await db.run(
      sql`update memberships set role = ${role} where workspace_id = ${workspace} and person_id = ${person_id}`,
    )
    if (role !== 'owner') await withdrawInvitations(db, workspace, person_id)
    return db.one<Member>(sql`select * from (${selection(workspace)}) as member where person_id = ${person_id}`)
  })

/** What the person does next in the workspace is refused. */
export const remove = (db: Db, workspace: string, person_id: string): Promise<{ deleted: true }> =>
  db.tx(async (db) => {
    await assertAnotherOwner(db, workspace, person_id, undefined)
    await db.run(sql`delete from memberships where workspace_id = ${workspace} and person_id = ${person_id}`)
    await withdrawInvitations(db, workspace, person_id)
    return { deleted: true }
  })

/** Holds the memberships until the transaction ends: of two owners who take each other's role, one is too late. */
async function assertAnotherOwner(db: Db, workspace: string, person_id: string, role: Role | undefined): Promise<void> {
  const members = await db.many<{ person_id: string; role: Role }>(
    sql`select person_id, role from memberships where workspace_id = ${workspace} order by person_id for update`,
  )
  if (!members.some((member) => member.person_id === person_id)) throw notFound()
  const is_owned =
    role === 'owner' || members.some((member) => member.role === 'owner' && member.person_id !== person_id)
  if (!is_owned) throw invalidState('This is the last owner: make another member an owner first.')
}

/** Or else who is sent away could come back by them. */
const withdrawInvitations = (db: Db, workspace: string, person_id: string): Promise<number> =>
  db.run(sql`delete from invitations where workspace_id = ${workspace} and invited_by = ${person_id}`)
