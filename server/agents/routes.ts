import { ById } from '../kit/field.ts'
import { operation } from '../kit/http/operation.ts'
import * as schema from './schema.ts'
import * as agents from './store.ts'

export const operations = [
  operation({
    id: 'agents.list',
    method: 'GET',
    path: '/agents',
    scope: 'agents:read',
    summary: 'List agents',
    description: 'Newest first.',
    query: schema.AgentQuery,
    items: schema.Agent,
    run: ({ db, workspace }, { query }) => agents.list(db, workspace, query),
  }),
  operation({
    id: 'agents.create',
    method: 'POST',
    path: '/agents',
    scope: 'agents:write',
    summary: 'Create an agent',
    description: 'Makes its version `v1` with the instructions, and deploys it.',
    body: schema.NewAgent,
    response: schema.Agent,
    status: 201,
    run: ({ db, workspace, now }, { body }) => agents.create(db, workspace, body, now),
  }),
  operation({
    id: 'agents.get',
    method: 'GET',
    path: '/agents/:id',
    scope: 'agents:read',
    summary: 'Get an agent',
    params: ById,
    response: schema.Agent,
    run: ({ db, workspace }, { params }) => agents.get(db, workspace, params.id),
  }),
  operation({
    id: 'agents.list_versions',
    method: 'GET',
    path: '/agents/:id/versions',
    scope: 'agents:read',
    summary: "List an agent's versions",
    description: 'Newest first.',
    params: ById,
    query: schema.AgentQuery,
    items: schema.AgentVersion,
    run: ({ db, workspace }, { params, query }) => agents.listVersions(db, workspace, params.id, query),
  }),
]
