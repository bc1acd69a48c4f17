import * as audit from '../audit/store.ts'
import { type At, inTransaction, type Unscoped } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { hashOf, newSecret } from '../kit/crypto/secret.ts'
import { sql } from '../kit/postgres/sql.ts'
import { invalidState, notFound, Problem } from '../kit/problem.ts'
import { product } from '../product.ts'
import { asPerson, changeAndRecord } from './audit.ts'
import { hashPassword } from './password.ts'
import type { OpenPasswordLink, PasswordLink } from './schema.ts'
import * as people from './store.ts'

const valid_ms = 60 * 60 * clock.second_ms

/** The path of the page that a link opens. A token follows. */
export const path = '/password/'

interface NewLink {
  person_id: string
  link_start: string
  /** The owner who makes the link. Undefined for the command line. */
  created_by?: string
}

/** Creates a link, which replaces the one that the person had. Only a hash of its token is stored. */
export async function create(
  { db, now }: Unscoped,
  { person_id, link_start, created_by }: NewLink,
): Promise<PasswordLink> {
  const token = newSecret()
  const expires_at = clock.iso(now + valid_ms)
  await db.run(
    sql`insert into password_links (person_id, hash, created_by, expires_at)
      values (${person_id}, ${hashOf(token)}, ${created_by ?? null}, ${expires_at})
      on conflict (person_id) do update
        set hash = excluded.hash, created_by = excluded.created_by, expires_at = excluded.expires_at`,
  )
  return { link: link_start + token, expires_at }
}

/**
 * Creates a link as an owner. Whoever has it can sign in as the member, so the owner must own all workspaces that this
 * opens.
 */
export const createAsOwner = (
  at: At,
  { created_by, ...link }: NewLink & { created_by: string },
): Promise<PasswordLink> =>
  inTransaction(at, async (at) => {
    const { db, workspace } = at
    const { person_id } = link
    if (person_id === created_by) throw invalidState('Change your own password in your profile.')
    await people.lock(at, person_id)
    const member = await db.maybe(
      sql`select from memberships where workspace_id = ${workspace} and person_id = ${person_id}`,
    )
    if (!member) throw notFound()
    if (!(await ownsAllWorkspacesOf(at, { owner_id: created_by, person_id }))) throw notAllowed()
    await audit.record(at, { action: 'password_links.create', subject: asPerson(person_id) })
    return create(at, { ...link, created_by })
  })

/** Returns the email of a link's person. Fails with 404 when the token is not valid. */
export async function getByToken(at: Unscoped, token: string): Promise<OpenPasswordLink> {
  const { email } = await find(at, token)
  return { email }
}

/**
 * Sets a password with a link. Of two concurrent uses, the second fails with 404. It starts no session: the person
 * signs in, with both factors.
 */
export async function use(
  at: At,
  { token, new_password }: { token: string; new_password: string },
): Promise<{ changed: true }> {
  const { person_id } = await find(at, token)
  const after = await hashPassword(new_password)
  const setPassword = async (at: At) => {
    const before = await people.lock(at, person_id)
    await find(at, token)
    await people.setPassword(at, { id: person_id, before, after })
  }
  // Someone who is signed in may use the link of another person.
  const actor = at.actor.id === null ? asPerson(person_id) : at.actor
  await changeAndRecord(at, setPassword, () => ({ action: 'password_links.use', person_id, actor }))
  return { changed: true }
}

/** Removes expired links. A person has at most one, so one statement is enough. */
export const removeExpired = ({ db, now }: Unscoped): Promise<number> =>
  db.run(sql`delete from password_links where expires_at <= ${clock.iso(now)}`)

async function find({ db, now }: Unscoped, token: string): Promise<{ person_id: string; email: string }> {
  const found = await db.maybe<{ person_id: string; email: string; created_by: string | null }>(
    sql`select person_id, email, created_by from password_links join people on people.id = person_id
      where hash = ${hashOf(token)} and expires_at > ${clock.iso(now)}`,
  )
  if (!found) throw notFound()
  const { person_id, email, created_by } = found
  // The owner or the person may have joined or left a workspace since the link was made.
  if (created_by !== null && !(await ownsAllWorkspacesOf({ db }, { owner_id: created_by, person_id }))) throw notFound()
  return { person_id, email }
}

async function ownsAllWorkspacesOf(
  { db }: Pick<At, 'db'>,
  { owner_id, person_id }: { owner_id: string; person_id: string },
): Promise<boolean> {
  const foreign = await db.maybe(
    sql`select from memberships as theirs where person_id = ${person_id} and not exists (
        select from memberships as owned
        where owned.workspace_id = theirs.workspace_id and owned.person_id = ${owner_id} and owned.role = 'owner')
      limit 1`,
  )
  return foreign === undefined
}

const notAllowed = () =>
  new Problem(
    'FORBIDDEN',
    `You can't make a password link for this person, because they also belong to workspaces that you don't own. Ask whoever runs the service to use the command line: ${product.short_name} user password-link EMAIL.`,
    { reason: 'other_workspaces' },
  )
