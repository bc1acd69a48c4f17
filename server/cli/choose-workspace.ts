import type { Service } from '../kit/at.ts'
import { Problem } from '../kit/problem.ts'
import * as workspaces from '../workspaces/store.ts'
import { UsageError } from './command.ts'

const names_shown_max = 20

/** Finds the workspace with this name. Without a name it is the oldest one, or the only one of this kind. */
export async function chooseWorkspace(
  { pool }: Pick<Service, 'pool'>,
  name: string | undefined,
  of_kind: 'test' | undefined,
): Promise<workspaces.ListedWorkspace> {
  if (name !== undefined) return findWorkspace({ pool }, name)
  const all = await workspaces.list({ db: pool })
  const [oldest, ...others] = of_kind ? all.filter(({ kind }) => kind === of_kind) : all
  if (!oldest && of_kind)
    throw new Problem('NOT_FOUND', 'there is no test workspace: parley workspace create NAME --test')
  if (!oldest) throw new Problem('NOT_FOUND', 'there is no workspace: start the service once')
  if (!of_kind || others.length === 0) return oldest
  const names = [oldest, ...others].slice(0, names_shown_max).map((one) => `"${one.name}"`)
  throw new UsageError(`there are ${others.length + 1} test workspaces: ${names.join(', ')}. Use --workspace.`)
}

export async function findWorkspace(
  { pool }: Pick<Service, 'pool'>,
  name: string,
): Promise<workspaces.ListedWorkspace> {
  const workspace = await workspaces.find({ db: pool }, name.trim())
  if (!workspace) throw new Problem('NOT_FOUND', `there is no workspace "${name}"`)
  return workspace
}
