import * as audit from '../audit/store.ts'
import * as clocks from '../clocks/store.ts'
import { type At, inTransaction, type Unscoped } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { inUse, invalid, invalidState, notFound } from '../kit/problem.ts'
import * as workspaces from '../workspaces/store.ts'
import { hasTwoFactor } from './has-two-factor.ts'
import type { NewWorkspace, Person, Role, Session } from './schema.ts'
import * as sessions from './sessions.ts'

const workspaces_per_person_max = 100

const columns = raw('id, email, name')

export interface PersonWithHash extends Person {
  password_hash: string
}

export interface ListedPerson extends Person {
  created_at: string
  has_two_factor: boolean
  workspaces: Omit<Session['workspaces'][number], 'is_locked' | 'default_country'>[]
}

/** Returns an email in lower case: two that differ only in case are the same. */
export const normalizeEmail = (email: string): string => email.toLowerCase()

/**
 * Adds a person. Returns undefined when the email is taken. Ends all setup links, because they are only for the first
 * person.
 */
export async function create(
  { db, now }: Unscoped,
  person: { email: string; name: string; password_hash: string },
): Promise<Person | undefined> {
  await db.run(sql`delete from setup_tokens`)
  return db.maybe<Person>(
    sql`insert into people (id, email, name, password_hash, created_at)
      values (${newId()}, ${normalizeEmail(person.email)}, ${person.name}, ${person.password_hash}, ${clock.iso(now)})
      on conflict (email) do nothing returning ${columns}`,
  )
}

export const emailInUse = () =>
  inUse('email', 'A person with this email already exists. Sign in, then open the link again.', undefined)

export const findByEmail = ({ db }: Pick<Unscoped, 'db'>, email: string): Promise<PersonWithHash | undefined> =>
  db.maybe<PersonWithHash>(sql`select ${columns}, password_hash from people where email = ${normalizeEmail(email)}`)

export const rename = ({ db }: Pick<Unscoped, 'db'>, { id, name }: { id: string; name: string }): Promise<Person> =>
  db.one<Person>(sql`update people set name = ${name} where id = ${id} returning ${columns}`)

/**
 * Sets the password, and ends the sessions and the password link of the person. Returns false when the password was
 * changed since `before` was read.
 */
export async function setPassword(
  at: Pick<Unscoped, 'db'>,
  { id, before, after }: { id: string; before: string; after: string },
): Promise<boolean> {
  const changed = await at.db.run(
    sql`update people set password_hash = ${after} where id = ${id} and password_hash = ${before}`,
  )
  if (changed === 0) return false
  await at.db.run(sql`delete from password_links where person_id = ${id}`)
  await sessions.endAll(at, id)
  return true
}

/**
 * Locks a person until the transaction ends: they join no workspace, get no session, and their password is not changed.
 * Returns the password's hash. Fails with 404 when there is no such person.
 */
export async function lock({ db }: Pick<Unscoped, 'db'>, id: string): Promise<string> {
  const person = await db.maybe<{ password_hash: string }>(
    sql`select password_hash from people where id = ${id} for update`,
  )
  if (!person) throw notFound()
  return person.password_hash
}

const joinWorkspace = workspaces.joinWorkspace(raw('memberships.workspace_id'))

/** Whether there is a person. Until then, the only way in is the setup link. */
export async function exist({ db }: Pick<Unscoped, 'db'>): Promise<boolean> {
  return (await db.maybe(sql`select from people limit 1`)) !== undefined
}

/** Lists all people, for the command line. */
export const list = ({ db }: Pick<Unscoped, 'db'>): Promise<ListedPerson[]> =>
  db.many(
    sql`select ${columns}, created_at, ${hasTwoFactor(raw('people.id'))} as has_two_factor, (
        select coalesce(json_agg(json_build_object('id', workspace.id, 'name', workspace.name, 'kind', workspace.kind,
          'role', role)
          order by workspace.name), '[]')
        from memberships ${joinWorkspace} where person_id = people.id
      ) as workspaces
      from people order by created_at, id`,
  )

/** Returns the person with their workspaces, the oldest first. */
export async function toSession(
  { db }: Pick<Unscoped, 'db'>,
  { id, email, name, is_two_factor }: Person & { is_two_factor: boolean },
): Promise<Session> {
  const [joined, { has_two_factor }] = await Promise.all([
    db.many<Omit<Session['workspaces'][number], 'is_locked'> & { is_first: boolean; requires_two_factor: boolean }>(
      sql`select workspace.id, workspace.name, workspace.kind, role, ${workspaces.is_first} as is_first,
          ${workspaces.default_country} as default_country,
          ${workspaces.requiresTwoFactor(raw('memberships.workspace_id'))} as requires_two_factor
        from memberships ${joinWorkspace} where person_id = ${id} order by workspace.created_at, workspace.id`,
    ),
    db.one<{ has_two_factor: boolean }>(sql`select ${hasTwoFactor(sql`${id}`)} as has_two_factor`),
  ])
  const isLocked = ({ requires_two_factor }: { requires_two_factor: boolean }) =>
    requires_two_factor && !(has_two_factor && is_two_factor)
  return {
    person: { id, email, name },
    workspaces: joined.map(({ id, name, kind, role, default_country, ...rest }) => ({
      id,
      name,
      kind,
      role,
      default_country,
      is_locked: isLocked(rest),
    })),
    is_operator: joined.some((workspace) => workspace.is_first && workspace.role === 'owner' && !isLocked(workspace)),
    has_two_factor,
  }
}

/** Adds a member. Returns false when the person already is one. */
export const join = async (
  { db, workspace, now }: Pick<At, 'db' | 'workspace' | 'now'>,
  { person_id, role }: { person_id: string; role: Role },
): Promise<boolean> =>
  (await db.run(
    sql`insert into memberships (workspace_id, person_id, role, created_at)
      values (${workspace}, ${person_id}, ${role}, ${clock.iso(now)}) on conflict do nothing`,
  )) === 1

/** Creates a workspace that the person owns. The clock of a test workspace begins at `now`, or at the current time. */
export const createWorkspace = (at: At, { person_id, name, kind, now }: NewWorkspace & { person_id: string }) =>
  inTransaction(at, async (at) => {
    const begins_at = now === undefined ? at.now : clock.parse(now)
    if (now !== undefined && kind !== 'test') throw invalidNow('now is only for test workspaces.')
    if (!clocks.isValidTime(begins_at)) throw invalidNow('now must be a time of the years 1970 to 9998.')
    const { total } = await at.db.one<{ total: number }>(
      sql`select count(*) as total from memberships where person_id = ${person_id}`,
    )
    if (total >= workspaces_per_person_max) {
      throw invalidState(`You are a member of ${total} workspaces, the maximum. Leave one before you create another.`)
    }
    const workspace = await workspaces.create(at, { name, kind })
    if (!workspace) throw workspaces.nameInUse()
    const inWorkspace = { ...at, workspace: workspace.id }
    if (kind === 'test') await clocks.create({ ...inWorkspace, now: begins_at }, { seed: clocks.default_seed })
    await join(inWorkspace, { person_id, role: 'owner' })
    await audit.record(inWorkspace, { action: 'workspaces.create', subject: { type: 'workspace', id: workspace.id } })
    return {
      id: workspace.id,
      name: workspace.name,
      kind: workspace.kind,
      role: 'owner' as const,
      default_country: null,
      is_locked: false,
    }
  })

const invalidNow = (message: string) => invalid([{ path: 'now', code: 'format', message }])
