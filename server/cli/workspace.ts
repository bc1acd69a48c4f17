import * as api_keys from '../api-keys/store.ts'
import { atNow, inTransaction, type Service } from '../kit/at.ts'
import { invalid, Problem } from '../kit/problem.ts'
import * as workspaces from '../workspaces/store.ts'
import type { Command } from './command.ts'
import { type Answer, formatTable, type Run } from './run.ts'

const name_length_max = 200

export function addWorkspaceCommands(program: Command, run: Run): void {
  const group = program.command('workspace').summary('Workspaces').description('Manage workspaces')
  group
    .command('create')
    .description('Create a workspace and its first API key')
    .argument('<name>', 'The name; no other workspace may have it')
    .action((name: string) => run((service) => createWorkspace(service, name)))
  group
    .command('list')
    .description('List all workspaces')
    .action(() => run(listWorkspaces))
}

export async function findWorkspace(service: Service, name: string): Promise<workspaces.Workspace> {
  const workspace = await workspaces.find({ db: service.pool }, name.trim())
  if (!workspace) throw new Problem('NOT_FOUND', `there is no workspace "${name}"`)
  return workspace
}

async function createWorkspace(service: Service, name: string): Promise<Answer> {
  const trimmed = name.trim()
  if (trimmed === '' || trimmed.length > name_length_max) {
    const message = `name must have 1 to ${name_length_max} characters`
    throw invalid([{ path: 'name', code: 'length', message }])
  }
  return inTransaction(atNow(service, ''), async (at) => {
    const workspace = await workspaces.create(at, trimmed)
    if (!workspace) throw new Problem('CONFLICT', `there is already a workspace "${trimmed}"`)
    const api_key = api_keys.newToken()
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

async function listWorkspaces(service: Service): Promise<Answer> {
  const all = await workspaces.list({ db: service.pool })
  const rows = all.map(({ id, name, created_at }) => [id, name, created_at])
  return { data: { workspaces: all }, text: formatTable(['ID', 'NAME', 'CREATED'], rows) }
}
