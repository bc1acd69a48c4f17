import * as api_keys from '../api-keys/store.ts'
import type { Database } from '../database.ts'
import * as clock from '../kit/clock.ts'
import type { Pool } from '../kit/postgres/pool.ts'
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
    .action((name: string) => run((database) => createWorkspace(database, name)))
  group
    .command('list')
    .description('List all workspaces')
    .action(() => run(listWorkspaces))
}

export async function findWorkspace(pool: Pool, name: string): Promise<workspaces.Workspace> {
  const workspace = await workspaces.find(pool, name.trim())
  if (!workspace) throw new Problem('NOT_FOUND', `there is no workspace "${name}"`)
  return workspace
}

async function createWorkspace({ pool }: Database, name: string): Promise<Answer> {
  const trimmed = name.trim()
  if (trimmed === '' || trimmed.length > name_length_max) {
    const message = `name must have 1 to ${name_length_max} characters`
    throw invalid([{ path: 'name', code: 'length', message }])
  }
  const now = clock.now()
  return pool.tx(async (db) => {
    const workspace = await workspaces.create(db, trimmed, now)
    if (!workspace) throw new Problem('CONFLICT', `there is already a workspace "${trimmed}"`)
    const api_key = api_keys.newToken()
    await api_keys.create(db, workspace.id, api_key, { name: 'First key', scopes: null, expires_at: null }, now)
    return {
      data: { workspace: { id: workspace.id, name: workspace.name }, api_key },
      text: `Workspace "${workspace.name}" ${workspace.id}\n${formatNewKey(api_key)}`,
    }
  })
}

export const formatNewKey = (api_key: string): string =>
  `API key ${api_key}\nCopy this key now. You won't be able to see it again.`

async function listWorkspaces({ pool }: Database): Promise<Answer> {
  const all = await workspaces.list(pool)
  const rows = all.map(({ id, name, created_at }) => [id, name, created_at])
  return { data: { workspaces: all }, text: formatTable(['ID', 'NAME', 'CREATED'], rows) }
}
