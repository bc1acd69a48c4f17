import * as tests from '../agent-tests/store.ts'
import * as agents from '../agents/store.ts'
import * as api_keys from '../api-keys/store.ts'
import { newToken } from '../api-keys/token.ts'
import type { Config } from '../config.ts'
import * as documents from '../documents/store.ts'
import { atWall, atWorkspace, inTransaction, type Service } from '../kit/at.ts'
import * as workspaces from '../workspaces/store.ts'
import { front_desk, receptionist, receptionist_tests } from './receptionist.ts'

/** The resources that were created at the first start. */
export interface First {
  agent_id?: string
  /** The key. There is none with BOOTSTRAP_API_KEY. */
  api_key?: string
}

/**
 * Creates the first workspace, its first API key and an example of an agent if there is no workspace. With
 * BOOTSTRAP_API_KEY that key is made valid instead, at every start.
 */
export function ensureFirstWorkspace(service: Service, { bootstrap_api_key }: Config): Promise<First> {
  return inTransaction(atWall(service, ''), async (at) => {
    // The oldest workspace is taken, and not the one named "Default", which may have been renamed: another one may have
    // that name now.
    const [oldest] = await workspaces.list(at)
    const created = oldest ? undefined : await workspaces.create(at, { name: workspaces.default_name })
    const workspace = oldest ?? created ?? (await workspaces.find(at, workspaces.default_name))
    if (!workspace) throw new Error('the first workspace could neither be created nor found')
    const own = { ...(await atWorkspace(service, workspace.id)), db: at.db }
    const by = { kind: 'command', id: null } as const
    if (created) await documents.create(own, { input: front_desk, file: undefined })
    const agent = created && (await agents.create(own, { input: receptionist, by }))
    if (agent) for (const input of receptionist_tests) await tests.create(own, { agent_id: agent.id, input })
    if (bootstrap_api_key) {
      const key = { name: 'Bootstrap', scopes: null, expires_at: null }
      await api_keys.ensure(own, { token: bootstrap_api_key, key })
      return agent ? { agent_id: agent.id } : {}
    }
    if (!agent) return {}
    const api_key = newToken()
    const key = { name: 'First key', scopes: null, expires_at: null }
    await api_keys.create(own, { token: api_key, key })
    return { agent_id: agent.id, api_key }
  })
}
