import { ById } from '../kit/field.ts'
import * as operation from '../kit/http/operation.ts'
import * as schema from './schema.ts'
import * as agents from './store.ts'

export const operations: operation.Operation[] = [
  operation.list({
    id: 'agents.list',
    path: '/agents',
    scope: 'agents:read',
    summary: 'List agents',
    description: 'Newest first.',
    query: schema.AgentQuery,
    items: schema.Agent,
    run: (at, { query }) => agents.list(at, query),
  }),
  operation.write({
    id: 'agents.create',
    method: 'POST',
    path: '/agents',
    scope: 'agents:write',
    summary: 'Create an agent',
    description: 'Creates the version `v1` with the instructions and deploys it.',
    body: schema.NewAgent,
    response: schema.Agent,
    status: 201,
    run: (at, { body }) => agents.create(at, body),
  }),
  operation.get({
    id: 'agents.get',
    path: '/agents/:id',
    scope: 'agents:read',
    summary: 'Get an agent',
    params: ById,
    response: schema.Agent,
    run: (at, { params }) => agents.get(at, params.id),
  }),
  operation.list({
    id: 'agents.list_versions',
    path: '/agents/:id/versions',
    scope: 'agents:read',
    summary: "List an agent's versions",
    description: 'Newest first.',
    params: ById,
    query: schema.AgentQuery,
    items: schema.AgentVersion,
    run: (at, { params, query }) => agents.listVersions(at, { agent_id: params.id, query }),
  }),
]
