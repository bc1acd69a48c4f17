import type { Unscoped } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { hashOf, newSecret } from '../kit/crypto/secret.ts'
import { firstIdOf, newId } from '../kit/id.ts'
import { type IsStopping, inBatches } from '../kit/postgres/in-batches.ts'
import * as page from '../kit/postgres/page.ts'
import { raw, sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import * as workspaces from '../workspaces/store.ts'
import { hasTwoFactor } from './has-two-factor.ts'
import type { OpenSession, Person, Query, Role } from './schema.ts'

const idle_ms = 14 * clock.day_ms
/** A session lasts at most this long, even if it is used. */
export const lifetime_ms = 90 * clock.day_ms
/** A use is recorded only if the last recorded one is older than this. */
const record_after_ms = 60_000
const sessions_per_person_max = 50
const user_agent_max = 300
const batch_max = 5_000

/** A person who is signed in, with one of their sessions. */
export interface FoundSession extends Person {
  session_id: string
  last_used_at: string
  /** The role in the requested workspace. Null without a workspace, or when the person is not a member. */
  role: Role | null
  /** Whether the requested workspace is a test workspace. */
  is_test: boolean
  /** Whether the person has signed in with both factors. */
  is_two_factor: boolean
  /** Whether the requested workspace requires this, and the session lacks it. */
  is_locked: boolean
}

interface NewSession {
  person_id: string
  password_hash: string
  user_agent: string
  is_two_factor?: boolean
}

/**
 * Creates a session. Returns its token, of which only a hash is stored, or undefined when the password was changed
 * since it was checked. Ends the least recently used sessions of a person who has too many.
 */
export async function create(
  { db, now }: Unscoped,
  { person_id, password_hash, user_agent, is_two_factor = false }: NewSession,
): Promise<string | undefined> {
  const token = newSecret()
  const created = await db.run(
    sql`insert into sessions (id, hash, person_id, user_agent, created_at, last_used_at, is_two_factor)
      select ${newId()}, ${hashOf(token)}, id, ${user_agent.slice(0, user_agent_max)}, ${clock.iso(now)}, ${clock.iso(now)},
        ${is_two_factor}
      from people where id = ${person_id} and password_hash = ${password_hash} for share`,
  )
  if (created === 0) return undefined
  await db.run(
    sql`delete from sessions where id in (
      select id from sessions where person_id = ${person_id}
      order by last_used_at desc, id desc offset ${sessions_per_person_max})`,
  )
  return token
}

const isOpen = (now: number) =>
  sql`sessions.created_at > ${clock.iso(now - lifetime_ms)} and last_used_at > ${clock.iso(now - idle_ms)}`

/**
 * Finds the sessions of these tokens, each with the role in the requested workspace. Runs at every request, so that the end of
 * a session or membership takes effect at the next one.
 */
export async function findByTokens(
  { db, now }: Unscoped,
  wanted: { token: string; workspace: string | undefined }[],
): Promise<(FoundSession | undefined)[]> {
  const hashes = wanted.map(({ token }) => hashOf(token))
  const requested = wanted.map(({ workspace }) => workspace ?? null)
  const found = await db.many<FoundSession & { position: number }>(
    sql`select position, people.id, email, name, sessions.id as session_id, last_used_at, role,
        ${workspaces.isTest(raw('wanted.workspace_id'))} as is_test, is_two_factor,
        ${workspaces.requiresTwoFactor(raw('wanted.workspace_id'))}
          and not (is_two_factor and ${hasTwoFactor(raw('people.id'))}) as is_locked
      from unnest(${hashes}::bytea[], ${toArrayLiteral(requested)}::uuid[]) with ordinality as wanted (hash, workspace_id, position)
      join sessions on sessions.hash = wanted.hash
      join people on people.id = sessions.person_id
      left join memberships on memberships.workspace_id = wanted.workspace_id and memberships.person_id = people.id
      where ${isOpen(now)}`,
  )
  const by_position = new Map(found.map(({ position, ...session }) => [position, session]))
  return wanted.map((_, index) => by_position.get(index + 1))
}

/** Records a use of the session, which keeps it from expiring as idle. */
export async function recordUse({ db, now }: Unscoped, { session_id, last_used_at }: FoundSession): Promise<void> {
  if (clock.parse(last_used_at) >= now - record_after_ms) return
  await db.run(
    sql`update sessions set last_used_at = ${clock.iso(now)}
      where id = ${session_id} and last_used_at < ${clock.iso(now)}`,
  )
}

export const list = (
  { db, now }: Unscoped,
  { person_id, current_id, query }: { person_id: string; current_id: string; query: Query },
) =>
  page.readSelection<OpenSession>(
    db,
    query,
    page.newest_first,
    sql`select id, created_at, last_used_at, user_agent, id = ${current_id} as is_current
      from sessions where person_id = ${person_id} and ${isOpen(now)}`,
  )

/** Ends a session of the person. Returns false when there is none. */
export const end = async (
  { db }: Pick<Unscoped, 'db'>,
  { person_id, id }: { person_id: string; id: string },
): Promise<boolean> => (await db.run(sql`delete from sessions where person_id = ${person_id} and id = ${id}`)) === 1

export const endAll = ({ db }: Pick<Unscoped, 'db'>, person_id: string): Promise<number> =>
  db.run(sql`delete from sessions where person_id = ${person_id}`)

export const endOthers = (
  { db }: Pick<Unscoped, 'db'>,
  { person_id, id }: { person_id: string; id: string },
): Promise<number> => db.run(sql`delete from sessions where person_id = ${person_id} and id <> ${id}`)

/** Notes that the session counts as signed in with both factors from now on. */
export const addTwoFactor = ({ db }: Pick<Unscoped, 'db'>, session_id: string): Promise<number> =>
  db.run(sql`update sessions set is_two_factor = true where id = ${session_id}`)

/**
 * Removes expired sessions. It reads all of them in the order of their ids, because an index on `last_used_at` would
 * make every recorded use slower.
 */
export async function removeExpired({ db, now }: Unscoped, isStopping?: IsStopping): Promise<void> {
  let last = firstIdOf(0)
  const removeBatch = async () => {
    const batch = await db.many<{ id: string; is_open: boolean }>(
      sql`select id, ${isOpen(now)} as is_open from sessions where id > ${last} order by id limit ${batch_max}`,
    )
    const ids = batch.filter(({ is_open }) => !is_open).map(({ id }) => id)
    await db.run(sql`delete from sessions where id = any(${ids}::uuid[]) and not (${isOpen(now)})`)
    last = batch.at(-1)?.id ?? last
    return batch.length
  }
  await inBatches(batch_max, removeBatch, isStopping)
}
