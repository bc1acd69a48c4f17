import { Type } from 'typebox'
import { ById } from '../kit/field.ts'
import type { Operation } from '../kit/http/operation.ts'
import * as operation from '../kit/http/operation.ts'
import * as schema from './schema.ts'
import * as api_keys from './store.ts'

const Deleted = Type.Object({ deleted: Type.Literal(true) }, { title: 'Deleted' })
const own_scopes = ['api_keys:read', 'api_keys:write']

/** `scopes` are those of all other operations. */
export const operations = (scopes: string[]): Operation[] => [
  operation.list({
    id: 'api_keys.list',
    path: '/api_keys',
    scope: 'api_keys:read',
    summary: 'List API keys',
    description: 'Newest first, with those that are revoked or expired. The keys themselves are never shown again.',
    query: schema.ApiKeyQuery,
    items: schema.ApiKey,
    run: (at, { query }) => api_keys.list(at, query),
  }),
  operation.write({
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
    run: (at, { body, caller }) =>
      api_keys.make(at, { key: { scopes: null, expires_at: null, ...body }, granted_by: caller.scopes }),
  }),
  operation.get({
    id: 'api_keys.get',
    path: '/api_keys/:id',
    scope: 'api_keys:read',
    summary: 'Get an API key',
    params: ById,
    response: schema.ApiKey,
    version: schema.stateOf,
    run: (at, { params }) => api_keys.get(at, params.id),
  }),
  operation.write({
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
    errors: ['INVALID_STATE'],
    response: schema.ApiKeyWithSecret,
    status: 201,
    is_secret: true,
    run: (at, { params, body, caller }) => api_keys.rotate(at, { id: params.id, ...body, granted_by: caller.scopes }),
  }),
  operation.write({
    id: 'api_keys.revoke',
    method: 'DELETE',
    path: '/api_keys/:id',
    scope: 'api_keys:write',
    summary: 'Revoke an API key',
    description: 'It stops working within a second, and stays in the list. Revoking twice keeps the first time.',
    params: ById,
    response: Deleted,
    version: schema.stateOf,
    run: (at, { params, is_current }) => api_keys.revoke(at, { id: params.id, is_current }),
  }),
]
