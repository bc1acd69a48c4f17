import * as api_keys from '../api-keys/store.ts'
import { newToken } from '../api-keys/token.ts'
import { atNow, inTransaction, type Service } from '../kit/at.ts'
import { invalid, Problem } from '../kit/problem.ts'
import * as workspaces from '../workspaces/store.ts'
import { type Answer, formatTable } from './run.ts'

const name_length_max = 200

export async function findWorkspace(service: Service, name: string): Promise<workspaces.Workspace> {
  const workspace = await workspaces.find({ db: service.pool }, name.trim())
  if (!workspace) throw new Problem('NOT_FOUND', `there is no workspace "${name}"`)
  return workspace
}

export async function createWorkspace(service: Service, name: string): Promise<Answer> {
  const trimmed = name.trim()
  if (trimmed === '' || trimmed.length > name_length_max) {
    const message = `name must have 1 to ${name_length_max} characters`
    throw invalid([{ path: 'name', code: 'length', message }])
  }
  return inTransaction(atNow(service, ''), async (at) => {
    const workspace = await workspaces.create(at, trimmed)
    if (!workspace) throw new Problem('CONFLICT', `there is already a workspace "${trimmed}"`)
    const api_key = newToken()
    const key = { name: 'First key', scopes: null, expires_at: null }
    await api_keys.create({ ...at, workspace: workspace.id }, { token: api_key, key })
    return {
      data: { workspace: { id: workspace.id, name: workspace.name }, api_key },
      text: `Workspace "${workspace.name}" ${workspace.id}\n${formatNewKey(api_key)}`,
    }
  })
}

export const formatNewKey = (api_key: string): string =>
  `API key ${api_key}\nCopy this key now. You won't be able to see it again.`

export async function listWorkspaces(service: Service): Promise<Answer> {
  const all = await workspaces.list({ db: service.pool })
  const rows = all.map(({ id, name, created_at }) => [id, name, created_at])
  return { data: { workspaces: all }, text: formatTable(['ID', 'NAME', 'CREATED'], rows) }
}
