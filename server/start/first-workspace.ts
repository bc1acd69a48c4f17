import * as api_keys from '../api-keys/store.ts'
import { newToken } from '../api-keys/token.ts'
import type { Config } from '../config.ts'
import { atWall, atWorkspace, inTransaction, type Service } from '../kit/at.ts'
import * as workspaces from '../workspaces/store.ts'

/**
 * Creates the first workspace and its first API key if there is no workspace, and returns the key. With
 * BOOTSTRAP_API_KEY that key is made valid instead, at every start, and nothing is returned.
 */
export function ensureFirstWorkspace(service: Service, { bootstrap_api_key }: Config): Promise<string | undefined> {
  return inTransaction(atWall(service, ''), async (at) => {
    // The oldest, not the one named "Default": it may have been renamed, and another one may have that name now.
    const [oldest] = await workspaces.list(at)
    const created = oldest ? undefined : await workspaces.create(at, { name: workspaces.default_name })
    const workspace = oldest ?? created ?? (await workspaces.find(at, workspaces.default_name))
    if (!workspace) throw new Error('the first workspace could neither be created nor found')
    if (bootstrap_api_key) {
      const key = { name: 'Bootstrap', scopes: null, expires_at: null }
      const own = await atWorkspace(service, workspace.id)
      await api_keys.ensure({ ...own, db: at.db }, { token: bootstrap_api_key, key })
      return undefined
    }
    if (!created) return undefined
    const token = newToken()
    const key = { name: 'First key', scopes: null, expires_at: null }
    await api_keys.create({ ...at, workspace: workspace.id }, { token, key })
    return token
  })
}
