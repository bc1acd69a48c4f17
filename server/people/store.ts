import { type At, inTransaction, type Unscoped } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { inUse, invalidState } from '../kit/problem.ts'
import * as workspaces from '../workspaces/store.ts'
import type { Person, Role, Session } from './schema.ts'

const workspaces_of_a_person_max = 100

export const columns = raw('id, email, name')

export interface PersonWithHash extends Person {
  password_hash: string
}

/** Emails differ in more than case, as people see it, nowhere. */
export const emailOf = (said: string): string => said.toLowerCase()

/** Undefined when the email is taken. From then on no link sets up the first person. */
export async function create(
  { db, now }: Unscoped,
  person: { email: string; name: string; password_hash: string },
): Promise<Person | undefined> {
  await db.run(sql`delete from setup_tokens`)
  return db.maybe<Person>(
    sql`insert into people (id, email, name, password_hash, created_at)
      values (${newId()}, ${emailOf(person.email)}, ${person.name}, ${person.password_hash}, ${clock.iso(now)})
      on conflict (email) do nothing returning ${columns}`,
  )
}

export const emailInUse = () =>
  inUse('email', 'There is a person with this email already: sign in, then open the link again.', undefined)

export const findByEmail = ({ db }: Pick<Unscoped, 'db'>, email: string): Promise<PersonWithHash | undefined> =>
  db.maybe<PersonWithHash>(sql`select ${columns}, password_hash from people where email = ${emailOf(email)}`)

export const rename = ({ db }: Pick<Unscoped, 'db'>, { id, name }: { id: string; name: string }): Promise<Person> =>
  db.one<Person>(sql`update people set name = ${name} where id = ${id} returning ${columns}`)

/** Returns false when it was changed since `before` was read. */
export const setPassword = async (
  { db }: Pick<Unscoped, 'db'>,
  { id, before, after }: { id: string; before: string; after: string },
): Promise<boolean> =>
  (await db.run(sql`update people set password_hash = ${after} where id = ${id} and password_hash = ${before}`)) === 1

export const list = ({
  db,
}: Pick<Unscoped, 'db'>): Promise<(Person & { created_at: string; workspaces: string[] })[]> =>
  db.many(
    sql`select ${columns}, created_at, array(
        select workspaces.name || ' (' || role || ')' from memberships
        join workspaces on workspaces.id = workspace_id where person_id = people.id order by 1
      ) as workspaces
      from people order by created_at, id`,
  )

/** Who is signed in, and where to. */
export async function sessionOf({ db }: Pick<Unscoped, 'db'>, { id, email, name }: Person): Promise<Session> {
  const all = await db.many<Session['workspaces'][number]>(
    sql`select workspaces.id, workspaces.name, role from memberships
      join workspaces on workspaces.id = workspace_id
      where person_id = ${id} order by workspaces.created_at, workspaces.id`,
  )
  return { person: { id, email, name }, workspaces: all }
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

/** Creates a workspace that the person owns. */
export const createWorkspace = (at: Unscoped, { person_id, name }: { person_id: string; name: string }) =>
  inTransaction(at, async (at) => {
    const { total } = await at.db.one<{ total: number }>(
      sql`select count(*) as total from memberships where person_id = ${person_id}`,
    )
    if (total >= workspaces_of_a_person_max) {
      throw invalidState(`You are in ${total} workspaces: leave one before you create another.`)
    }
    const workspace = await workspaces.create(at, name)
    if (!workspace) throw nameInUse()
    await join({ ...at, workspace: workspace.id }, { person_id, role: 'owner' })
    return { id: workspace.id, name: workspace.name, role: 'owner' as const }
  })

export const nameInUse = () => inUse('name', 'There is a workspace with this name already.', undefined)
