import { ById, Deleted } from '../kit/field.ts'
import type { Operation } from '../kit/http/operation.ts'
import * as operation from '../kit/http/operation.ts'
import * as schema from './schema.ts'
import * as api_keys from './store.ts'

const own_scopes = ['api_keys:read', 'api_keys:write']

/** The operations on keys. `scopes` are those of all other operations. */
export const operations = (scopes: string[]): Operation[] => [
  operation.list({
    id: 'api_keys.list',
    path: '/api_keys',
    scope: 'api_keys:read',
    summary: 'List API keys',
    description: 'Newest first, including revoked and expired keys. The secret itself is not included.',
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
    description: "Only this response contains the `key`. A key can't grant scopes that it doesn't have: 403.",
    body: schema.newApiKey([...scopes, ...own_scopes].sort()),
    response: schema.ApiKeyWithSecret,
    status: 201,
    is_secret: true,
    run: (at, { body, caller }) =>
      api_keys.issue(at, { key: { scopes: null, expires_at: null, ...body }, granted_by: caller.scopes }),
  }),
  operation.get({
    id: 'api_keys.get',
    path: '/api_keys/:id',
    scope: 'api_keys:read',
    summary: 'Get an API key',
    params: ById,
    response: schema.ApiKey,
    version: schema.apiKeyVersion,
    run: (at, { params }) => api_keys.get(at, params.id),
  }),
  operation.write({
    id: 'api_keys.rotate',
    method: 'POST',
    path: '/api_keys/:id/rotate',
    scope: 'api_keys:write',
    summary: 'Rotate an API key',
    description:
      'Creates a new key with the same name, scopes and lifetime. Only this response contains it. The old key still works for ' +
      '`overlap_seconds`, but not beyond its own expiry. A key that is revoked, expired or already rotated returns 409.',
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
    description: 'The key stops working within a second and stays in the list. Revoking it again changes nothing.',
    params: ById,
    response: Deleted,
    version: schema.apiKeyVersion,
    run: (at, { params, isCurrent }) => api_keys.revoke(at, { id: params.id, isCurrent }),
  }),
]
