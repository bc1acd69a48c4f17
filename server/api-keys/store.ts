import { hash, randomBytes } from 'node:crypto'
import * as clock from '../kit/clock.ts'
import type { Db } from '../kit/db.ts'
import { newId } from '../kit/id.ts'
import { raw, sql } from '../kit/sql.ts'

export interface ApiKey {
  id: string
  workspace_id: string
  name: string
  last_four: string
  /** null: every scope. */
  scopes: string[] | null
  expires_at: string | null
  revoked_at: string | null
  last_used_at: string | null
  created_at: string
}

export interface NewApiKey {
  name: string
  scopes: string[] | null
  expires_at: string | null
}

const columns = raw(`id, workspace_id, name, last_four, scopes, expires_at, revoked_at, last_used_at, created_at`)

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secret_bytes = 32
const secret_length = 43
const token_form = /^pk_[0-9A-Za-z]{32,128}$/

export const isToken = (text: string): boolean => token_form.test(text)

export const hashOf = (token: string): Buffer => hash('sha256', token, 'buffer')

/** `pk_` and 32 random bytes in base62. Shown once; only its hash is kept. */
export function newToken(): string {
  let rest = BigInt(`0x${randomBytes(secret_bytes).toString('hex')}`)
  let text = ''
  while (text.length < secret_length) {
    text = base62.charAt(Number(rest % 62n)) + text
    rest /= 62n
  }
  return `pk_${text}`
}

/** Makes `token` a key of the workspace. */
export async function create(db: Db, workspace: string, token: string, key: NewApiKey, now: number): Promise<ApiKey> {
  const created = await db.one<ApiKey>(
    sql`insert into api_keys (workspace_id, id, name, last_four, scopes, expires_at, created_at)
      values (${workspace}, ${newId()}, ${key.name}, ${token.slice(-4)}, ${key.scopes}, ${key.expires_at},
        ${clock.iso(now)})
      returning ${columns}`,
  )
  await db.run(
    sql`insert into api_key_directory (hash, workspace_id, api_key_id)
      values (${hashOf(token)}, ${workspace}, ${created.id})`,
  )
  return created
}

/** Makes sure that `token` is a valid key of the workspace. False when it is another workspace's. */
export async function ensure(db: Db, workspace: string, token: string, key: NewApiKey, now: number): Promise<boolean> {
  const [known] = await findAll(db, [hashOf(token)])
  if (!known) return Boolean(await create(db, workspace, token, key, now))
  if (known.workspace_id !== workspace) return false
  await db.run(
    sql`update api_keys set revoked_at = null, expires_at = null
      where workspace_id = ${workspace} and id = ${known.id}`,
  )
  return true
}

export const list = (db: Db): Promise<ApiKey[]> =>
  db.many<ApiKey>(sql`select ${columns} from api_keys order by created_at, id`)

/** Undefined when there is no such key. Revoking twice keeps the first time. */
export const revoke = (db: Db, id: string, now: number): Promise<ApiKey | undefined> =>
  db.maybe<ApiKey>(
    sql`update api_keys set revoked_at = coalesce(revoked_at, ${clock.iso(now)}) where id = ${id}
      returning ${columns}`,
  )

/** The keys with these hashes; those that nobody holds are left out. */
export const findAll = (db: Db, hashes: Buffer[]): Promise<(ApiKey & { hash: Buffer })[]> =>
  db.many<ApiKey & { hash: Buffer }>(
    sql`select ${columns}, hash from api_keys
      join api_key_directory as directory using (workspace_id)
      where api_key_id = id and hash = any(${hashes}::bytea[])`,
  )

/** Remembers when each key was last seen. A time that is older than the one kept changes nothing. */
export async function noteUse(db: Db, uses: { workspace_id: string; id: string; used_at: number }[]): Promise<void> {
  // In one order, so that two processes don't lock each other up.
  uses.sort((left, right) => (left.id < right.id ? -1 : 1))
  await db.run(
    sql`update api_keys set last_used_at = seen.used_at
      from unnest(${uses.map(({ workspace_id }) => workspace_id)}::uuid[], ${uses.map(({ id }) => id)}::uuid[],
        ${uses.map(({ used_at }) => clock.iso(used_at))}::timestamptz[]) as seen (workspace_id, id, used_at)
      where api_keys.workspace_id = seen.workspace_id and api_keys.id = seen.id
        and (api_keys.last_used_at is null or api_keys.last_used_at < seen.used_at)`,
  )
}
