import { type Static, Type } from 'typebox'
import type { EventType } from '../events/catalog.ts'
import * as events from '../events/store.ts'
import type { At, Unscoped } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { hashOf } from '../kit/crypto/secret.ts'
import type { Scopes } from '../kit/http/operation.ts'
import { newId } from '../kit/id.ts'
import * as page from '../kit/postgres/page.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { columnsOf } from '../kit/postgres/table.ts'
import { forbidden, invalid, invalidState, notFound, Problem, preconditionFailed } from '../kit/problem.ts'
import * as workspaces from '../workspaces/store.ts'
import { command_scope } from './command-keys.ts'
import { event_types } from './event-types.ts'
import type { NewApiKey } from './schema.ts'
import * as schema from './schema.ts'
import { newToken } from './token.ts'

const StoredKey = Type.Object({ ...schema.ApiKey.properties, workspace_id: Type.String() })

/** A key with its workspace. Keys go by wall time, also in test workspaces. */
export type ApiKey = Static<typeof StoredKey>

export interface FoundKey extends ApiKey {
  hash: Buffer
  is_test: boolean
}

const columns = columnsOf(StoredKey)

interface NewToken {
  token: string
  key: NewApiKey
  /** When the key was created, by wall time. */
  created_at?: number
}

/** Stores `token` as a key of the workspace. */
export async function create(at: At, { token, key, created_at = clock.wall() }: NewToken): Promise<ApiKey> {
  const { db, workspace } = at
  const created = await db.one(
    sql`insert into api_keys (workspace_id, id, name, last_four, scopes, expires_at, created_at)
      values (${workspace}, ${newId()}, ${key.name}, ${token.slice(-4)}, ${key.scopes}, ${key.expires_at},
        ${clock.iso(created_at)})
      returning ${columns}`,
  )
  await db.run(
    sql`insert into api_key_directory (hash, workspace_id, api_key_id)
      values (${hashOf(token)}, ${workspace}, ${created.id})`,
  )
  await recordEvent(at, event_types.created, created)
  return created
}

function recordEvent(at: At, type: EventType, { id, name }: ApiKey): Promise<void> {
  const data = { id, name }
  return events.record(at, type, [{ data }])
}

/** Makes `token` valid: creates the key, or reactivates it in the workspace that already has it. */
export async function ensure(at: At, { token, key }: { token: string; key: NewApiKey }): Promise<void> {
  const [known] = await findByHashes(at, [hashOf(token)])
  if (!known) return void (await create(at, { token, key }))
  await at.db.run(
    sql`update api_keys set revoked_at = null, expires_at = null, rotated_at = null
      where workspace_id = ${known.workspace_id} and id = ${known.id}`,
  )
}

/** Creates a key for a caller, who can't grant scopes that it doesn't have. */
export async function issue(
  at: At,
  { key, granted_by }: { key: NewApiKey; granted_by: Scopes },
): Promise<schema.ApiKeyWithSecret> {
  if (key.expires_at !== null && clock.parse(key.expires_at) <= clock.wall()) throw inThePast()
  if (key.scopes?.length === 0) throw noScopes()
  assertGrantable(key.scopes, granted_by)
  const token = newToken()
  const scopes = key.scopes && [...new Set(key.scopes)]
  return { ...(await create(at, { token, key: { ...key, scopes } })), key: token }
}

/** Creates a key like this one, which expires after the overlap. */
export async function rotate(
  at: At,
  { id, overlap_seconds, granted_by }: { id: string; overlap_seconds: number; granted_by: Scopes },
): Promise<schema.ApiKeyWithSecret> {
  const { db, workspace } = at
  const now = clock.wall()
  const old = await db.maybe(
    sql`select ${columns} from api_keys where workspace_id = ${workspace} and id = ${id} for update`,
  )
  if (!old) throw notFound()
  const ends_at = old.expires_at === null ? Number.POSITIVE_INFINITY : clock.parse(old.expires_at)
  if (old.revoked_at || ends_at <= now) throw invalidState('This key is revoked or expired. Create a new one.')
  if (old.scopes?.includes(command_scope)) throw invalidState('This key is the one of a command. Create a new one.')
  if (old.rotated_at) throw invalidState('This key is already rotated. Rotate the key that replaced it.')
  const lifetime_ms = ends_at - clock.parse(old.created_at)
  const expires_at = old.expires_at && clock.iso(Math.min(now + lifetime_ms, clock.time_max_ms))
  const issued = await issue(at, { key: { name: old.name, scopes: old.scopes, expires_at }, granted_by })
  await db.run(
    sql`update api_keys
      set rotated_at = ${clock.iso(now)}, expires_at = ${clock.iso(Math.min(ends_at, now + overlap_seconds * 1000))}
      where workspace_id = ${workspace} and id = ${id}`,
  )
  return issued
}

function assertGrantable(scopes: string[] | null, granted_by: Scopes): void {
  if (scopes === null && !granted_by.is_open)
    throw new Problem('FORBIDDEN', "A key can't grant all scopes without having them.")
  const missing = scopes?.find((scope) => !granted_by.has(scope))
  if (missing !== undefined) throw forbidden(missing)
}

const noScopes = () =>
  invalid([{ path: 'scopes', code: 'too_short', message: 'scopes must contain at least one scope.' }])

const inThePast = () => invalid([{ path: 'expires_at', code: 'minimum', message: 'expires_at must be in the future.' }])

export async function get({ db, workspace }: At, id: string): Promise<ApiKey> {
  const key = await db.maybe(sql`select ${columns} from api_keys where workspace_id = ${workspace} and id = ${id}`)
  if (!key) throw notFound()
  return key
}

export const list = ({ db, workspace }: At, query: schema.ApiKeyQuery): Promise<page.Page<ApiKey>> =>
  page.readSelection(
    db,
    query,
    page.newest_first,
    sql`select ${columns} from api_keys where workspace_id = ${workspace}`,
  )

/** Lists the keys of all workspaces, for the command line. */
export const listAll = ({ db }: Pick<Unscoped, 'db'>): Promise<ApiKey[]> =>
  db.many(sql`select ${columns} from api_keys order by created_at, id`)

/** Revokes a key. A second call changes nothing, so that `revoked_at` stays the first time. */
export async function revoke(
  at: At,
  { id, isCurrent }: { id: string; isCurrent: (key: ApiKey) => boolean },
): Promise<{ deleted: true }> {
  const key = await lock(at, id)
  if (!key) throw notFound()
  if (!isCurrent(key)) throw preconditionFailed()
  await revokeLocked(at, key)
  return { deleted: true }
}

/** Finds the workspace of a key, for the command line. */
export const findOwner = ({ db }: Pick<Unscoped, 'db'>, id: string): Promise<{ workspace_id: string } | undefined> =>
  db.maybe<{ workspace_id: string }>(sql`select workspace_id from api_key_directory where api_key_id = ${id}`)

/** Revokes a key as `revoke` does, for the command line. Returns undefined when there is no such key. */
export async function revokeAny(at: At, id: string): Promise<ApiKey | undefined> {
  const key = await lock(at, id)
  return key && revokeLocked(at, key)
}

const lock = ({ db, workspace }: At, id: string): Promise<ApiKey | undefined> =>
  db.maybe(sql`select ${columns} from api_keys where workspace_id = ${workspace} and id = ${id} for update`)

async function revokeLocked(at: At, key: ApiKey): Promise<ApiKey> {
  if (key.revoked_at) return key
  const revoked_at = clock.iso(clock.wall())
  await at.db.run(
    sql`update api_keys set revoked_at = ${revoked_at} where workspace_id = ${key.workspace_id} and id = ${key.id}`,
  )
  await recordEvent(at, event_types.revoked, key)
  return { ...key, revoked_at }
}

export const findByHashes = ({ db }: Pick<At, 'db'>, hashes: Buffer[]): Promise<FoundKey[]> =>
  db.many<FoundKey>(
    sql`select ${columns}, hash, ${workspaces.isTest(raw('directory.workspace_id'))} as is_test from api_keys
      join api_key_directory as directory using (workspace_id)
      where api_key_id = id and hash = any(${hashes}::bytea[])`,
  )

/** Updates `last_used_at` unless the stored time is later. */
export async function recordUses(
  { db }: Pick<At, 'db'>,
  uses: { workspace_id: string; id: string; used_at: number }[],
): Promise<void> {
  // The order keeps two processes that lock keys at the same time from a deadlock.
  const in_order = uses.toSorted((left, right) => (left.id < right.id ? -1 : 1))
  await db.run(
    sql`update api_keys set last_used_at = seen.used_at
      from unnest(${in_order.map(({ workspace_id }) => workspace_id)}::uuid[], ${in_order.map(({ id }) => id)}::uuid[],
        ${in_order.map(({ used_at }) => clock.iso(used_at))}::timestamptz[]) as seen (workspace_id, id, used_at)
      where api_keys.workspace_id = seen.workspace_id and api_keys.id = seen.id
        and (api_keys.last_used_at is null or api_keys.last_used_at < seen.used_at)`,
  )
}
