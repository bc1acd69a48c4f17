import * as audit from '../audit/store.ts'
import { type At, inTransaction, type Unscoped } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { hashOf, newSecret } from '../kit/crypto/secret.ts'
import { newId } from '../kit/id.ts'
import * as page from '../kit/postgres/page.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { invalid, invalidState, notFound, Problem } from '../kit/problem.ts'
import * as workspaces from '../workspaces/store.ts'
import { asPerson } from './audit.ts'
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

const valid_ms = 7 * clock.day_ms
const open_max = 100

/**
 * Creates an invitation. `invited_by` must be an owner. The link is `link_start` followed by a token, of which only a
 * hash is stored.
 */
export const create = (
  at: At,
  { role, email, invited_by, link_start }: NewInvitation & { invited_by: string; link_start: string },
): Promise<InvitationWithLink> =>
  inTransaction(at, async (at) => {
    const { db, workspace, now } = at
    await lockOwner(at, invited_by)
    const { total } = await db.one<{ total: number }>(
      sql`select count(*) as total from invitations
        where workspace_id = ${workspace} and expires_at > ${clock.iso(now)}`,
    )
    if (total >= open_max) throw invalidState(`There are ${total} open invitations, the maximum. Withdraw some first.`)
    const token = newSecret()
    const invitation = { id: newId(), role, email: email ? people.normalizeEmail(email) : null }
    const expires_at = clock.iso(now + valid_ms)
    await db.run(
      sql`insert into invitations (workspace_id, id, hash, role, email, invited_by, created_at, expires_at)
        values (${workspace}, ${invitation.id}, ${hashOf(token)}, ${role}, ${invitation.email}, ${invited_by},
          ${clock.iso(now)}, ${expires_at})`,
    )
    await audit.record(at, { action: 'invitations.create', subject: { type: 'invitation', id: invitation.id } })
    return { ...invitation, expires_at, link: link_start + token }
  })

/** Locks the membership, so that a concurrent removal of the owner waits and then withdraws the new invitation too. */
async function lockOwner({ db, workspace }: At, person_id: string): Promise<void> {
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

export const remove = (at: At, id: string): Promise<{ deleted: true }> =>
  inTransaction(at, async (at) => {
    const { db, workspace } = at
    const removed = await db.run(sql`delete from invitations where workspace_id = ${workspace} and id = ${id}`)
    if (removed === 0) throw notFound()
    await audit.record(at, { action: 'invitations.delete', subject: { type: 'invitation', id } })
    return { deleted: true }
  })

/** Returns the invitation of a token. Fails with 404 when the token is not valid. */
export async function getByToken({ db, now }: Unscoped, token: string): Promise<OpenInvitation> {
  const found = await db.maybe<Omit<OpenInvitation, 'workspace'> & { workspace_name: string }>(
    sql`select workspace.name as workspace_name, role, invitations.email, people.name as invited_by
      from invitations ${workspaces.joinWorkspace(raw('invitations.workspace_id'))} join people on people.id = invited_by
      where hash = ${hashOf(token)} and expires_at > ${clock.iso(now)}`,
  )
  if (!found) throw notFound()
  return { ...found, workspace: { name: found.workspace_name } }
}

type AcceptanceAt = Unscoped & Pick<At, 'request'>

export const accept = (at: AcceptanceAt, { token, person }: { token: string; person: Person }): Promise<void> =>
  inTransaction(at, (at) => use(at, { token, person }))

export async function acceptAsNew(
  at: AcceptanceAt,
  { token, new_person }: { token: string; new_person: NewPerson },
): Promise<people.PersonWithHash> {
  const { email } = await getByToken(at, token)
  if (email !== null && email !== people.normalizeEmail(new_person.email)) throw emailMismatch(email)
  const password_hash = await hashPassword(new_person.password)
  return inTransaction(at, async (at) => {
    const person = await people.create(at, { ...new_person, password_hash })
    if (!person) throw people.emailInUse()
    await use(at, { token, person })
    return { ...person, password_hash }
  })
}

/** Uses an invitation and deletes it, so that of two people who accept it at once one gets 404. */
async function use(at: AcceptanceAt, { token, person }: { token: string; person: Person }): Promise<void> {
  const used = await at.db.maybe<NewInvitation & { workspace_id: string; email: string | null }>(
    sql`delete from invitations where hash = ${hashOf(token)} and expires_at > ${clock.iso(at.now)}
      returning workspace_id, role, email`,
  )
  if (!used) throw notFound()
  if (used.email !== null && used.email !== person.email) {
    throw new Problem('FORBIDDEN', `This invitation is for ${used.email}. Sign in with that email.`)
  }
  if (!(await people.join({ ...at, workspace: used.workspace_id }, { person_id: person.id, role: used.role }))) {
    throw invalidState('You are already a member of this workspace.')
  }
  const acting = { ...at, workspace: used.workspace_id, actor: asPerson(person.id) }
  await audit.record(acting, { action: 'invitations.accept', subject: asPerson(person.id) })
}

const emailMismatch = (email: string) =>
  invalid([{ path: 'email', code: 'enum', message: `This invitation is for ${email}.`, suggestion: email }])

/** Removes expired invitations. One statement is enough, because a workspace has at most 100 open ones. */
export const removeExpired = ({ db, workspace, now }: At): Promise<number> =>
  db.run(sql`delete from invitations where workspace_id = ${workspace} and expires_at <= ${clock.iso(now)}`)
