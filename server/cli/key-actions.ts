import { scopes as all_scopes } from '../api.ts'
import { toScopes } from '../api-keys/schema.ts'
import * as api_keys from '../api-keys/store.ts'
import { newToken } from '../api-keys/token.ts'
import * as audit from '../audit/store.ts'
import { type At, atWorkspace, inTransaction, type Service } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { isId } from '../kit/id.ts'
import { Problem } from '../kit/problem.ts'
import * as workspaces from '../workspaces/store.ts'
import { findWorkspace } from './choose-workspace.ts'
import { type Answer, formatTable } from './run.ts'
import { formatNewKey } from './workspace-actions.ts'

export interface NewKey {
  workspace: string
  name: string
  scopes?: string[]
  /** A duration in milliseconds. */
  expiresIn?: number
}

export async function createKey(service: Service, options: NewKey): Promise<Answer> {
  const workspace = await findWorkspace(service, options.workspace)
  const created_at = clock.wall()
  const name = options.name.trim() || 'API key'
  const expires_at = options.expiresIn === undefined ? null : clock.iso(created_at + options.expiresIn)
  const api_key = newToken()
  const input = { name, scopes: options.scopes ?? null, expires_at }
  const key = await inTransaction(await atWorkspace(service, workspace.id), async (at) => {
    const created = await api_keys.create(at, { token: api_key, key: input, created_at })
    await audit.record(at, { action: 'api_keys.create', subject: keySubject(created.id) })
    return created
  })
  return {
    data: { key: withScopes(key), api_key },
    text: `Key ${key.id} of "${workspace.name}"\n${formatNewKey(api_key)}`,
  }
}

export async function listKeys(service: Service, workspace_name: string | undefined): Promise<Answer> {
  const only = workspace_name === undefined ? undefined : await findWorkspace(service, workspace_name)
  const keys = (await api_keys.listAll({ db: service.pool })).filter(
    ({ workspace_id }) => !only || workspace_id === only.id,
  )
  const names = new Map((await workspaces.list({ db: service.pool })).map(({ id, name }) => [id, name]))
  const rows = keys.map((key) => [
    key.id,
    names.get(key.workspace_id) ?? '',
    key.name,
    `...${key.last_four}`,
    key.scopes?.join(',') ?? 'all but api_keys:*, audit:read, agents:force and contacts:erase',
    key.last_used_at ?? 'never',
    key.revoked_at ? `revoked ${key.revoked_at}` : key.expires_at ? `expires ${key.expires_at}` : 'valid',
  ])
  return {
    data: { keys: keys.map(withScopes) },
    text: formatTable(['ID', 'WORKSPACE', 'NAME', 'KEY', 'SCOPES', 'LAST USED', 'STATE'], rows),
  }
}

export async function revokeKey(service: Service, id: string): Promise<Answer> {
  const owner = isId(id) ? await api_keys.findOwner({ db: service.pool }, id) : undefined
  const revoke = async (at: At) => {
    await audit.record(at, { action: 'api_keys.revoke', subject: keySubject(id) })
    return api_keys.revokeAny(at, id)
  }
  const key = owner && (await inTransaction(await atWorkspace(service, owner.workspace_id), revoke))
  if (!key) throw new Problem('NOT_FOUND', `there is no key ${id}`)
  return { data: { key: withScopes(key) }, text: `Key ${key.id} is revoked.` }
}

/** Replaces a key by one that can do the same. The old one works for a while. */
export async function rotateKey(service: Service, id: string, overlap_ms: number): Promise<Answer> {
  const owner = isId(id) ? await api_keys.findOwner({ db: service.pool }, id) : undefined
  if (!owner) throw new Problem('NOT_FOUND', `there is no key ${id}`)
  const overlap_seconds = overlap_ms / 1000
  const { key: api_key, ...key } = await inTransaction(await atWorkspace(service, owner.workspace_id), async (at) => {
    await audit.record(at, { action: 'api_keys.rotate', subject: keySubject(id) })
    return api_keys.rotate(at, { id, overlap_seconds, granted_by: { has: () => true, is_open: true } })
  })
  const text = `Key ${key.id} replaces ${id}, which works for another ${overlap_seconds} seconds.`
  // `rotate` returns a row with its workspace.
  return { data: { key: withScopes(key as api_keys.ApiKey), api_key }, text: `${text}\n${formatNewKey(api_key)}` }
}

const keySubject = (id: string) => ({ type: 'api_key', id })

/** Adds the scopes of a key. A key without a list of scopes has the default ones. */
const withScopes = (key: api_keys.ApiKey) => ({ ...key, scopes: key.scopes ?? all_scopes.filter(toScopes(null).has) })
