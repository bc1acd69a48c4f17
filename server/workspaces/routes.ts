import * as operation from '../kit/http/operation.ts'
import * as schema from './schema.ts'
import * as workspaces from './store.ts'

const path = '/workspace'

export const operations: operation.Operation[] = [
  operation.get({
    id: 'workspace.get',
    path,
    scope: 'workspace:read',
    summary: 'Get the workspace',
    description: 'Returns the workspace of the API key, with all settings.',
    response: schema.Workspace,
    run: (at) => workspaces.get(at),
  }),
  operation.write({
    id: 'workspace.update',
    method: 'PATCH',
    path,
    scope: 'workspace:write',
    summary: 'Update the workspace',
    description: 'Fields and settings that are not sent keep their values.',
    body: schema.WorkspaceChange,
    errors: ['CONFLICT'],
    response: schema.Workspace,
    run: (at, { body, isCurrent, caller }) =>
      workspaces.update(at, { change: body, isCurrent, is_person: caller.authenticated_by === 'session' }),
  }),
]
