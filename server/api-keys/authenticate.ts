import { operator } from '../events/actors.ts'
import * as clock from '../kit/clock.ts'
import { hashOf } from '../kit/crypto/secret.ts'
import type { IdentifyOptions } from '../kit/http/door.ts'
import type { Caller } from '../kit/http/operation.ts'
import { openBatcher } from '../kit/limits/batch.ts'
import { ExpiringMap } from '../kit/limits/expiring-map.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { command_scope } from './command-keys.ts'
import { toScopes } from './schema.ts'
import * as api_keys from './store.ts'
import { isToken } from './token.ts'

interface CachedKey {
  caller: Caller | undefined
  expires_at: number
}

export interface Authenticator {
  authenticate: (
    token: string,
    now: number,
    options?: IdentifyOptions,
  ) => Promise<Caller | undefined> | Caller | undefined
  /** Stores when each key was last used. */
  recordUses: () => Promise<void>
  /** Forgets all results, so that each key is looked up again, also those that were unknown. */
  forget: () => void
}

/**
 * The key is looked up again after this time, so that a revoked key stops working within a second on every process.
 */
const fresh_ms = 500
const cached_max = 10_000
const limits = { size_max: 256, in_flight_max: 2 }

/** Finds callers by their keys. Results are cached shortly, also for unknown keys, so that a flood of them stays cheap. */
export function authenticator(db: Db): Authenticator {
  const openCache = () => new ExpiringMap<CachedKey>(fresh_ms, cached_max)
  let cached = openCache()
  const used = new Map<string, { workspace_id: string; id: string; used_at: number }>()

  const lookUp = openBatcher<string, api_keys.FoundKey | undefined>(limits, async (_key, tokens) => {
    const hashes = tokens.map(hashOf)
    const found = new Map((await api_keys.findByHashes({ db }, hashes)).map((key) => [key.hash.toString('hex'), key]))
    return hashes.map((hash) => found.get(hash.toString('hex')))
  })

  /** Returns the caller unless the key has expired, and counts the request as a use. */
  function admit(
    { caller, expires_at }: CachedKey,
    now: number,
    { is_recheck = false }: IdentifyOptions = {},
  ): Caller | undefined {
    if (!caller || expires_at <= now) return undefined
    if (is_recheck) return caller
    const use = used.get(caller.id)
    if (use) use.used_at = now
    else used.set(caller.id, { workspace_id: caller.workspace, id: caller.id, used_at: now })
    return caller
  }

  async function find(token: string, now: number, options?: IdentifyOptions): Promise<Caller | undefined> {
    // A key that was forgotten during its look-up is not cached.
    const cache = cached
    const key = await lookUp('api_keys', token)
    const entry: CachedKey = {
      caller: key && !key.revoked_at ? toCaller(key) : undefined,
      expires_at: key?.expires_at ? clock.parse(key.expires_at) : Number.POSITIVE_INFINITY,
    }
    cache.set(token, entry, now)
    return admit(entry, now, options)
  }

  return {
    authenticate(token, now, options) {
      const entry = cached.get(token, now)
      if (entry) return admit(entry, now, options)
      return isToken(token) ? find(token, now, options) : undefined
    },
    async recordUses() {
      const uses = Array.from(used.values(), (use) => ({ ...use }))
      if (uses.length > 0) await api_keys.recordUses({ db }, uses)
      for (const { id, used_at } of uses) if (used.get(id)?.used_at === used_at) used.delete(id)
    },
    forget() {
      cached = openCache()
    },
  }
}

function toCaller({ id, workspace_id, scopes, is_test }: api_keys.FoundKey): Caller {
  const is_command = scopes?.includes(command_scope) ?? false
  return {
    id,
    workspace: workspace_id,
    scopes: toScopes(scopes),
    authenticated_by: is_command ? 'command' : 'key',
    actor: is_command ? operator : { type: 'key', id },
    is_test,
  }
}
