import { inTransaction, type Unscoped } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { hashOf, newSecret } from '../kit/crypto/secret.ts'
import { sql } from '../kit/postgres/sql.ts'
import { notFound } from '../kit/problem.ts'
import * as workspaces from '../workspaces/store.ts'
import { hashPassword } from './password.ts'
import type { NewPerson } from './schema.ts'
import * as people from './store.ts'

const valid_ms = 24 * 60 * 60 * 1000

/** Two processes that start together could give out two links, and both be used at the same moment. */
const one_at_a_time = sql`lock table setup_tokens in share row exclusive mode`

/** A link's token that sets up the first person, and ends all earlier ones. Undefined when there is a person. */
export const offer = (at: Unscoped): Promise<string | undefined> =>
  inTransaction(at, async ({ db, now }) => {
    await db.run(one_at_a_time)
    await db.run(sql`delete from setup_tokens`)
    const token = newSecret()
    const offered = await db.run(
      sql`insert into setup_tokens (hash, expires_at)
        select ${hashOf(token)}, ${clock.iso(now + valid_ms)} where not exists (select from people)`,
    )
    return offered === 1 ? token : undefined
  })

const valid = (token: string, now: number) =>
  sql`hash = ${hashOf(token)} and expires_at > ${clock.iso(now)} and not exists (select from people)`

export async function look({ db, now }: Unscoped, token: string): Promise<{ kind: 'setup' }> {
  if (!(await db.maybe(sql`select true from setup_tokens where ${valid(token, now)}`))) throw notFound()
  return { kind: 'setup' }
}

/** The first person owns every workspace that there is. Of two at once, one finds the token used. */
export async function complete(
  at: Unscoped,
  { token, input }: { token: string; input: NewPerson },
): Promise<people.PersonWithHash> {
  await look(at, token)
  const password_hash = await hashPassword(input.password)
  return inTransaction(at, async (at) => {
    const { db, now } = at
    await db.run(one_at_a_time)
    if ((await db.run(sql`delete from setup_tokens where ${valid(token, now)}`)) === 0) throw notFound()
    const person = await people.create(at, { ...input, password_hash })
    if (!person) throw people.emailInUse()
    const workspace_ids = (await workspaces.list(at)).map(({ id }) => id)
    await db.run(
      sql`insert into memberships (workspace_id, person_id, role, created_at)
        select workspace_id, ${person.id}, 'owner', ${clock.iso(now)}
        from unnest(${workspace_ids}::uuid[]) as owned (workspace_id)`,
    )
    return { ...person, password_hash }
  })
}
