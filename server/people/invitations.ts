import * as clock from '../kit/clock.ts'
import { hashOf, newSecret } from '../kit/crypto/secret.ts'
import { newId } from '../kit/id.ts'
import * as page from '../kit/postgres/page.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { sql } from '../kit/postgres/sql.ts'
import { invalid, invalidState, notFound, Problem } from '../kit/problem.ts'
import { hashPassword } from './password.ts'
import { roleRequired } from './roles.ts'
import type {
  Invitation,
  InvitationWithLink,
  NewInvitation,
  NewPerson,
  OpenInvitation,
  Person,
  Query,
} from './schema.ts'
import * as people from './store.ts'

const valid_ms = 7 * 24 * 60 * 60 * 1000
const open_max = 100

/** By an owner. `link_start` and the token, which is shown this once, make the link. */
export const create = (
  db: Db,
  workspace: string,
  { role, email }: NewInvitation,
  invited_by: string,
  link_start: string,
  now: number,
): Promise<InvitationWithLink> =>
  db.tx(async (db) => {
    await assertStaysOwner(db, workspace, invited_by)
    const { total } = await db.one<{ total: number }>(
      sql`select count(*) as total from invitations
        where workspace_id = ${workspace} and expires_at > ${clock.iso(now)}`,
    )
    if (total >= open_max) throw invalidState(`There are ${total} open invitations: withdraw some first.`)
    const token = newSecret()
    const invitation = { id: newId(), role, email: email ? people.emailOf(email) : null }
    const expires_at = clock.iso(now + valid_ms)
    await db.run(
      sql`insert into invitations (workspace_id, id, hash, role, email, invited_by, created_at, expires_at)
        values (${workspace}, ${invitation.id}, ${hashOf(token)}, ${role}, ${invitation.email}, ${invited_by},
          ${clock.iso(now)}, ${expires_at})`,
    )
    return { ...invitation, expires_at, link: link_start + token }
  })

/** Who removes or demotes the person waits until the transaction ends, and then finds the invitation to withdraw. */
async function assertStaysOwner(db: Db, workspace: string, person_id: string): Promise<void> {
  const owner = await db.maybe(
    sql`select from memberships
      where workspace_id = ${workspace} and person_id = ${person_id} and role = 'owner' for share`,
  )
  if (!owner) throw roleRequired('owner')
}

export const list = (db: Db, workspace: string, query: Query, now: number) =>
  page.readSelection<Invitation>(
    db,
    query,
    page.newest_first,
    sql`select id, role, email, created_at, expires_at from invitations
      where workspace_id = ${workspace} and expires_at > ${clock.iso(now)}`,
  )

export async function remove(db: Db, workspace: string, id: string): Promise<{ deleted: true }> {
  const removed = await db.run(sql`delete from invitations where workspace_id = ${workspace} and id = ${id}`)
  if (removed === 0) throw notFound()
  return { deleted: true }
}

export async function look(db: Db, token: string, now: number): Promise<OpenInvitation> {
  const found = await db.maybe<Omit<OpenInvitation, 'workspace'> & { workspace_name: string }>(
    sql`select workspaces.name as workspace_name, role, invitations.email, people.name as invited_by
      from invitations join workspaces on workspaces.id = workspace_id join people on people.id = invited_by
      where hash = ${hashOf(token)} and expires_at > ${clock.iso(now)}`,
  )
  if (!found) throw notFound()
  return { ...found, workspace: { name: found.workspace_name } }
}

/** By someone who is signed in. */
export const accept = (db: Db, token: string, person: Person, now: number): Promise<void> =>
  db.tx((db) => use(db, token, person, now))

/** By someone new. */
export async function acceptAsNew(
  db: Db,
  token: string,
  input: NewPerson,
  now: number,
): Promise<people.PersonWithHash> {
  const { email } = await look(db, token, now)
  if (email !== null && email !== people.emailOf(input.email)) throw forAnother(email)
  const password_hash = await hashPassword(input.password)
  return db.tx(async (db) => {
    const person = await people.create(db, { ...input, password_hash }, now)
    if (!person) throw people.emailInUse()
    await use(db, token, person, now)
    return { ...person, password_hash }
  })
}

/** It is used up: of two who accept it at once, one finds nothing. */
async function use(db: Db, token: string, person: Person, now: number): Promise<void> {
  const used = await db.maybe<NewInvitation & { workspace_id: string; email: string | null }>(
    sql`delete from invitations where hash = ${hashOf(token)} and expires_at > ${clock.iso(now)}
      returning workspace_id, role, email`,
  )
  if (!used) throw notFound()
  if (used.email !== null && used.email !== person.email) {
    throw new Problem('FORBIDDEN', `This invitation is for ${used.email}: sign in as that person.`)
  }
  if (!(await people.join(db, used.workspace_id, person.id, used.role, now))) {
    throw invalidState('You are a member of this workspace already.')
  }
}

const forAnother = (email: string) =>
  invalid([{ path: 'email', code: 'enum', message: `This invitation is for ${email}.`, suggestion: email }])

/** A workspace has few: there are at most so many that are open. */
export const removeExpired = (db: Db, workspace: string, now: number): Promise<number> =>
  db.run(sql`delete from invitations where workspace_id = ${workspace} and expires_at <= ${clock.iso(now)}`)
