import { type At, inTransaction, type Unscoped } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { hashOf, newSecret } from '../kit/crypto/secret.ts'
import { sql } from '../kit/postgres/sql.ts'
import { notFound } from '../kit/problem.ts'
import * as workspaces from '../workspaces/store.ts'
import { asPerson, changeAndRecord } from './audit.ts'
import { hashPassword } from './password.ts'
import type { NewPerson } from './schema.ts'
import * as people from './store.ts'

const valid_ms = clock.day_ms

/** Serializes setup: two processes that start together could otherwise create two valid links. */
const lock_tokens = sql`lock table setup_tokens in share row exclusive mode`

/** Creates the token of a setup link and deletes earlier ones. Returns undefined when a person exists. */
export const createToken = (at: Unscoped): Promise<string | undefined> =>
  inTransaction(at, async ({ db, now }) => {
    await db.run(lock_tokens)
    await db.run(sql`delete from setup_tokens`)
    const token = newSecret()
    const created = await db.run(
      sql`insert into setup_tokens (hash, expires_at)
        select ${hashOf(token)}, ${clock.iso(now + valid_ms)} where not exists (select from people)`,
    )
    return created === 1 ? token : undefined
  })

const isValid = (token: string, now: number) =>
  sql`hash = ${hashOf(token)} and expires_at > ${clock.iso(now)} and not exists (select from people)`

/** Checks the token of a setup link. Fails with 404 when it is not valid. */
export async function checkToken({ db, now }: Unscoped, token: string): Promise<{ kind: 'setup' }> {
  if (!(await db.maybe(sql`select true from setup_tokens where ${isValid(token, now)}`))) throw notFound()
  return { kind: 'setup' }
}

/** Creates the first person as the owner of all workspaces. Of two concurrent calls, the second fails with 404. */
export async function complete(
  at: At,
  { token, new_person }: { token: string; new_person: NewPerson },
): Promise<people.PersonWithHash> {
  await checkToken(at, token)
  const password_hash = await hashPassword(new_person.password)
  const createPerson = async (at: At) => {
    const { db, now } = at
    await db.run(lock_tokens)
    if ((await db.run(sql`delete from setup_tokens where ${isValid(token, now)}`)) === 0) throw notFound()
    const person = await people.create(at, { ...new_person, password_hash })
    if (!person) throw people.emailInUse()
    const workspace_ids = (await workspaces.list(at)).map(({ id }) => id)
    await db.run(
      sql`insert into memberships (workspace_id, person_id, role, created_at)
        select workspace_id, ${person.id}, 'owner', ${clock.iso(now)}
        from unnest(${workspace_ids}::uuid[]) as owned (workspace_id)`,
    )
    return { ...person, password_hash }
  }
  return changeAndRecord(at, createPerson, ({ id }) => ({
    action: 'setup.complete',
    person_id: id,
    actor: asPerson(id),
  }))
}
