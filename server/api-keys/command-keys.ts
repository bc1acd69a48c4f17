import * as clock from '../kit/clock.ts'
import { hashOf } from '../kit/crypto/secret.ts'
import { newId } from '../kit/id.ts'
import type { Pool } from '../kit/postgres/pool.ts'
import { sql } from '../kit/postgres/sql.ts'
import { newToken } from './token.ts'

/** This scope says that a key is a command's. No operation can create such a key. */
export const command_scope = 'command'
/** This scope grants a command's key all of them. */
export const every_scope = '*'

/** A command that is killed leaves a key that works for this long. */
const lasts_ms = 60 * 60 * 1000

const expiry = (): string => clock.iso(clock.wall() + lasts_ms)

/** A key that exists while a command runs. It records no events, and deletes keys that killed commands have left. */
export interface CommandKey {
  workspace: string
  id: string
  token: string
}

export async function create(
  pool: Pool,
  { workspace, name, scopes }: { workspace: string; name: string; scopes: string[] },
): Promise<CommandKey> {
  const [id, token] = [newId(), newToken()]
  await pool.tx(async (db) => {
    await db.run(
      sql`insert into api_keys (workspace_id, id, name, last_four, scopes, expires_at, created_at)
        values (${workspace}, ${id}, ${name}, ${token.slice(-4)}, ${[...scopes, command_scope]}, ${expiry()},
          ${clock.iso(clock.wall())})`,
    )
    await db.run(
      sql`insert into api_key_directory (hash, workspace_id, api_key_id) values (${hashOf(token)}, ${workspace}, ${id})`,
    )
  })
  const left = await pool.many<{ id: string }>(
    sql`select id from api_keys
      where workspace_id = ${workspace} and ${command_scope} = any(scopes) and expires_at < ${clock.iso(clock.wall())}`,
  )
  if (left.length > 0) await remove(pool, { workspace, ids: left.map(({ id }) => id) })
  return { workspace, id, token }
}

/** Makes a command's key last longer, for commands that run for long. */
export async function extend(pool: Pool, { workspace, id }: CommandKey): Promise<void> {
  await pool.run(sql`update api_keys set expires_at = ${expiry()} where workspace_id = ${workspace} and id = ${id}`)
}

export async function remove(pool: Pool, { workspace, ids }: { workspace: string; ids: string[] }): Promise<void> {
  await pool.tx(async (db) => {
    await db.run(sql`delete from api_keys where workspace_id = ${workspace} and id = any(${ids}::uuid[])`)
    await db.run(
      sql`delete from api_key_directory where workspace_id = ${workspace} and api_key_id = any(${ids}::uuid[])`,
    )
  })
}
