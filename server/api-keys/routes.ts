import { Type } from 'typebox'
import { ById } from '../kit/field.ts'
import { type Operation, operation } from '../kit/http/operation.ts'
import * as schema from './schema.ts'
import * as api_keys from './store.ts'

const Deleted = Type.Object({ deleted: Type.Literal(true) }, { title: 'Deleted' })
const own_scopes = ['api_keys:read', 'api_keys:write']

/** `scopes` are those of all other operations. */
export const operations = (scopes: string[]): Operation[] => [
  operation({
    id: 'api_keys.list',
    method: 'GET',
    path: '/api_keys',
    scope: 'api_keys:read',
    summary: 'List API keys',
    description: 'Newest first, with those that are revoked or expired. The keys themselves are never shown again.',
    query: schema.ApiKeyQuery,
    items: schema.ApiKey,
    run: ({ db, workspace }, { query }) => api_keys.list(db, workspace, query),
  }),
  operation({
    id: 'api_keys.create',
    method: 'POST',
    path: '/api_keys',
    scope: 'api_keys:write',
    summary: 'Create an API key',
    description: "The answer shows the `key`, this once. A key can't give scopes that it doesn't have: 403.",
    body: schema.newApiKey([...scopes, ...own_scopes].sort()),
    response: schema.ApiKeyWithSecret,
    status: 201,
    is_secret: true,
    run: ({ db, workspace, now }, { body, caller }) =>
      api_keys.make(db, workspace, { scopes: null, expires_at: null, ...body }, caller.scopes, now),
  }),
  operation({
    id: 'api_keys.get',
    method: 'GET',
    path: '/api_keys/:id',
    scope: 'api_keys:read',
    summary: 'Get an API key',
    params: ById,
    response: schema.ApiKey,
    state: schema.stateOf,
    run: ({ db, workspace }, { params }) => api_keys.get(db, workspace, params.id),
  }),
  operation({
    id: 'api_keys.rotate',
    method: 'POST',
    path: '/api_keys/:id/rotate',
    scope: 'api_keys:write',
    summary: 'Rotate an API key',
    description:
      'Makes a new key with the same name, scopes and life time, shown this once. The old one works on for ' +
      '`overlap_seconds`, but never longer than before. One that is revoked, expired or rotated already gives 409.',
    params: ById,
    body: schema.Rotation,
    refusals: ['INVALID_STATE'],
    response: schema.ApiKeyWithSecret,
    status: 201,
    is_secret: true,
    run: ({ db, workspace, now }, { params, body, caller }) =>
      api_keys.rotate(db, workspace, { id: params.id, ...body }, caller.scopes, now),
  }),
  operation({
    id: 'api_keys.revoke',
    method: 'DELETE',
    path: '/api_keys/:id',
    scope: 'api_keys:write',
    summary: 'Revoke an API key',
    description: 'It stops working within a second, and stays in the list. Revoking twice keeps the first time.',
    params: ById,
    response: Deleted,
    state: schema.stateOf,
    run: ({ db, workspace, now }, { params, is_current }) =>
      api_keys.revoke(db, workspace, { id: params.id, is_current }, now),
  }),
]
