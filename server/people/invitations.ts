import { type At, inTransaction, type Unscoped } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { hashOf, newSecret } from '../kit/crypto/secret.ts'
import { newId } from '../kit/id.ts'
import * as page from '../kit/postgres/page.ts'
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

/** The caller must be an owner. The link is `link_start` and a token that is not stored. */
export const create = (
  at: At,
  { role, email, invited_by, link_start }: NewInvitation & { invited_by: string; link_start: string },
): Promise<InvitationWithLink> =>
  inTransaction(at, async (at) => {
    const { db, workspace, now } = at
    await assertStaysOwner(at, invited_by)
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

/** Locks the membership: whoever removes the person next also finds the new invitation to withdraw. */
async function assertStaysOwner({ db, workspace }: At, person_id: string): Promise<void> {
  const owner = await db.maybe(
    sql`select from memberships
      where workspace_id = ${workspace} and person_id = ${person_id} and role = 'owner' for share`,
  )
  if (!owner) throw roleRequired('owner')
}

export const list = ({ db, workspace, now }: At, query: Query) =>
  page.readSelection<Invitation>(
    db,
    query,
    page.newest_first,
    sql`select id, role, email, created_at, expires_at from invitations
      where workspace_id = ${workspace} and expires_at > ${clock.iso(now)}`,
  )

export async function remove({ db, workspace }: At, id: string): Promise<{ deleted: true }> {
  const removed = await db.run(sql`delete from invitations where workspace_id = ${workspace} and id = ${id}`)
  if (removed === 0) throw notFound()
  return { deleted: true }
}

export async function look({ db, now }: Unscoped, token: string): Promise<OpenInvitation> {
  const found = await db.maybe<Omit<OpenInvitation, 'workspace'> & { workspace_name: string }>(
    sql`select workspaces.name as workspace_name, role, invitations.email, people.name as invited_by
      from invitations join workspaces on workspaces.id = workspace_id join people on people.id = invited_by
      where hash = ${hashOf(token)} and expires_at > ${clock.iso(now)}`,
  )
  if (!found) throw notFound()
  return { ...found, workspace: { name: found.workspace_name } }
}

/** Accepts the invitation as a person who is signed in. */
export const accept = (at: Unscoped, { token, person }: { token: string; person: Person }): Promise<void> =>
  inTransaction(at, (at) => use(at, token, person))

/** Accepts the invitation as a new person. */
export async function acceptAsNew(
  at: Unscoped,
  { token, input }: { token: string; input: NewPerson },
): Promise<people.PersonWithHash> {
  const { email } = await look(at, token)
  if (email !== null && email !== people.emailOf(input.email)) throw forAnother(email)
  const password_hash = await hashPassword(input.password)
  return inTransaction(at, async (at) => {
    const person = await people.create(at, { ...input, password_hash })
    if (!person) throw people.emailInUse()
    await use(at, token, person)
    return { ...person, password_hash }
  })
}

/** Deletes the invitation: of two people who accept it at once, one gets 404. */
async function use(at: Unscoped, token: string, person: Person): Promise<void> {
  const used = await at.db.maybe<NewInvitation & { workspace_id: string; email: string | null }>(
    sql`delete from invitations where hash = ${hashOf(token)} and expires_at > ${clock.iso(at.now)}
      returning workspace_id, role, email`,
  )
  if (!used) throw notFound()
  if (used.email !== null && used.email !== person.email) {
    throw new Problem('FORBIDDEN', `This invitation is for ${used.email}: sign in as that person.`)
  }
  if (!(await people.join({ ...at, workspace: used.workspace_id }, { person_id: person.id, role: used.role }))) {
    throw invalidState('You are a member of this workspace already.')
  }
}

const forAnother = (email: string) =>
  invalid([{ path: 'email', code: 'enum', message: `This invitation is for ${email}.`, suggestion: email }])

/** In one statement: a workspace has at most 100 open invitations. */
export const removeExpired = ({ db, workspace, now }: At): Promise<number> =>
  db.run(sql`delete from invitations where workspace_id = ${workspace} and expires_at <= ${clock.iso(now)}`)
