import * as api_keys from '../api-keys/store.ts'
import type { Config } from '../config.ts'
import * as clock from '../kit/clock.ts'
import type { Pool } from '../kit/postgres/pool.ts'
import * as workspaces from '../workspaces/store.ts'

/**
 * Creates the first workspace and its first API key if there is no workspace, and returns the key. With
 * BOOTSTRAP_API_KEY that key is made valid instead, at every start, and nothing is returned.
 */
export function ensureFirstWorkspace(pool: Pool, { bootstrap_api_key }: Config): Promise<string | undefined> {
  const now = clock.now()
  return pool.tx(async (db) => {
    // The oldest, not the one named "Default": it may have been renamed, and another one may have that name now.
    const [oldest] = await workspaces.list(db)
    const created = oldest ? undefined : await workspaces.create(db, workspaces.default_name, now)
    const workspace = oldest ?? created ?? (await workspaces.find(db, workspaces.default_name))
    if (!workspace) throw new Error('the first workspace could neither be created nor found')
    if (bootstrap_api_key) {
      const key = { name: 'Bootstrap', scopes: null, expires_at: null }
      await api_keys.ensure(db, workspace.id, bootstrap_api_key, key, now)
      return undefined
    }
    if (!created) return undefined
    const token = api_keys.newToken()
    await api_keys.create(db, workspace.id, token, { name: 'First key', scopes: null, expires_at: null }, now)
    return token
  })
}
