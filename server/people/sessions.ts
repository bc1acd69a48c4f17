import type { Unscoped } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { hashOf, newSecret } from '../kit/crypto/secret.ts'
import { firstIdOf, newId } from '../kit/id.ts'
import { type IsStopping, inBatches } from '../kit/postgres/in-batches.ts'
import * as page from '../kit/postgres/page.ts'
import { sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import type { OpenSession, Person, Query, Role } from './schema.ts'

const day_ms = 24 * 60 * 60 * 1000
const idle_ms = 14 * day_ms
/** However often it is used. */
export const lifetime_ms = 90 * day_ms
/** A use is noted when the last one is so long ago. */
const note_after_ms = 60_000
const of_a_person_max = 50
const user_agent_max = 300
const checked_at_once_max = 5_000

export interface FoundSession extends Person {
  session_id: string
  last_used_at: string
  /** In the workspace that was asked for; null when there is none, or the person is no member. */
  role: Role | null
}

/**
 * Gives the token, whose hash alone is kept. Undefined when the password was changed since it was checked. Of very many
 * sessions, those that were used longest ago end.
 */
export async function begin(
  { db, now }: Unscoped,
  { person_id, password_hash, user_agent }: { person_id: string; password_hash: string; user_agent: string },
): Promise<string | undefined> {
  const token = newSecret()
  const begun = await db.run(
    sql`insert into sessions (id, hash, person_id, user_agent, created_at, last_used_at)
      select ${newId()}, ${hashOf(token)}, id, ${user_agent.slice(0, user_agent_max)}, ${clock.iso(now)}, ${clock.iso(now)}
      from people where id = ${person_id} and password_hash = ${password_hash} for share`,
  )
  if (begun === 0) return undefined
  await db.run(
    sql`delete from sessions where id in (
      select id from sessions where person_id = ${person_id}
      order by last_used_at desc, id desc offset ${of_a_person_max})`,
  )
  return token
}

const isOpen = (now: number) =>
  sql`sessions.created_at > ${clock.iso(now - lifetime_ms)} and last_used_at > ${clock.iso(now - idle_ms)}`

/**
 * The sessions of these tokens, each with the role in the workspace that was asked for. Asked at every request, so what ends
 * a session or a membership holds for the next one.
 */
export async function findByTokens(
  { db, now }: Unscoped,
  wanted: { token: string; workspace: string | undefined }[],
): Promise<(FoundSession | undefined)[]> {
  const hashes = wanted.map(({ token }) => hashOf(token))
  const workspaces = wanted.map(({ workspace }) => workspace ?? null)
  const found = await db.many<FoundSession & { place: number }>(
    sql`select place, people.id, email, name, sessions.id as session_id, last_used_at, role
      from unnest(${hashes}::bytea[], ${toArrayLiteral(workspaces)}::uuid[]) with ordinality as wanted (hash, workspace_id, place)
      join sessions on sessions.hash = wanted.hash
      join people on people.id = sessions.person_id
      left join memberships on memberships.workspace_id = wanted.workspace_id and memberships.person_id = people.id
      where ${isOpen(now)}`,
  )
  const by_place = new Map(found.map(({ place, ...session }) => [place, session]))
  return wanted.map((_, index) => by_place.get(index + 1))
}

/** Keeps the session from expiring as idle. */
export async function recordUse({ db, now }: Unscoped, { session_id, last_used_at }: FoundSession): Promise<void> {
  if (clock.parse(last_used_at) >= now - note_after_ms) return
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

/** Goes through all of them by their ids: an index on the last use would cost every note of one. */
export async function removeExpired({ db, now }: Unscoped, isStopping?: IsStopping): Promise<void> {
  let last = firstIdOf(0)
  const removeSome = async () => {
    const some = await db.many<{ id: string; is_open: boolean }>(
      sql`select id, ${isOpen(now)} as is_open from sessions where id > ${last} order by id limit ${checked_at_once_max}`,
    )
    const ids = some.filter(({ is_open }) => !is_open).map(({ id }) => id)
    await db.run(sql`delete from sessions where id = any(${ids}::uuid[]) and not (${isOpen(now)})`)
    last = some.at(-1)?.id ?? last
    return some.length
  }
  await inBatches(checked_at_once_max, removeSome, isStopping)
}
