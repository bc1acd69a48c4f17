import * as clock from '../kit/clock.ts'
import { Deleted, TestResult } from '../kit/field.ts'
import * as operation from '../kit/http/operation.ts'
import { rateLimited } from '../kit/problem.ts'
import * as schema from './schema.ts'
import * as providers from './store.ts'
import { testProvider } from './test-provider.ts'

const path = '/providers'

/** Hides the address of a provider from people who are not owners: they only see which providers there are. */
function shown<Item extends schema.Provider>({ caller }: operation.ValidRequest, provider: Item): Item {
  const is_hidden = caller.authenticated_by === 'session' && !caller.scopes.has('providers:write')
  return is_hidden ? { ...provider, base_url: null } : provider
}

/** Returns the version of a provider, for its ETag. A provider from the environment has no `updated_at`. */
const version = ({ updated_at, default_model, is_default, has_api_key }: schema.Provider): string =>
  updated_at ?? JSON.stringify([default_model, is_default, has_api_key])

export const operations: operation.Operation[] = [
  operation.write({
    id: 'providers.create',
    method: 'POST',
    path,
    scope: 'providers:write',
    summary: 'Create a provider',
    description:
      'An account at a model service that agents use: see "Models" and "Speech" in the guide. The `api_key` is stored encrypted and never ' +
      'returned. A workspace can have 20 providers.',
    body: schema.NewProvider,
    errors: ['CONFLICT', 'INVALID_STATE'],
    response: schema.Provider,
    status: 201,
    version,
    before: (at, { body }) => providers.checkUrl(at, body.base_url),
    run: (at, { body }) => providers.create(at, body),
  }),
  operation.list({
    id: 'providers.list',
    path,
    scope: 'providers:read',
    summary: 'List providers',
    description: 'Newest first. Providers from the environment come last.',
    query: schema.ProviderQuery,
    items: schema.Provider,
    run: async (at, request) => {
      const page = await providers.list(at, request.query)
      return { ...page, data: page.data.map((provider) => shown(request, provider)) }
    },
  }),
  operation.get({
    id: 'providers.get',
    path: `${path}/:id`,
    scope: 'providers:read',
    summary: 'Get a provider',
    params: schema.ByProviderId,
    response: schema.Provider,
    version,
    run: async (at, request) => shown(request, await providers.get(at, request.params.id)),
  }),
  operation.write({
    id: 'providers.update',
    method: 'PATCH',
    path: `${path}/:id`,
    scope: 'providers:write',
    summary: 'Update a provider',
    description:
      'Fields that are not sent keep their values. A provider that an agent names keeps its `name`. With a new scheme, host or ' +
      'port in `base_url`, the stored API key is removed, unless `api_key` is sent too.',
    params: schema.ByProviderId,
    body: schema.ProviderChange,
    errors: ['CONFLICT', 'INVALID_STATE'],
    response: schema.Provider,
    version,
    before: (at, { body }) => providers.checkUrl(at, body.base_url),
    run: (at, { params, body, isCurrent }) => providers.update(at, { id: params.id, change: body, isCurrent }),
  }),
  operation.write({
    id: 'providers.delete',
    method: 'DELETE',
    path: `${path}/:id`,
    scope: 'providers:write',
    summary: 'Delete a provider',
    description:
      'Fails with `details.used_by` while the draft, the deployed version or the candidate of an agent names it.',
    params: schema.ByProviderId,
    errors: ['INVALID_STATE'],
    response: Deleted,
    version,
    run: (at, { params, isCurrent }) => providers.remove(at, { id: params.id, isCurrent }),
  }),
  operation.remote({
    id: 'providers.test',
    path: `${path}/:id/test`,
    scope: 'providers:write',
    summary: 'Test a provider',
    description:
      'Sends a short request to the default model, and waits for the answer. A provider for speech only makes or hears a second of ' +
      'sound. What the provider answers is not returned. A workspace can test one provider or tool per second.',
    params: schema.ByProviderId,
    response: TestResult,
    run: async (at, { params }) => {
      await providers.get(at, params.id)
      if (at.tools.tests.count(at.workspace, clock.wall()).is_exceeded) throw rateLimited(1)
      return testProvider(at, params.id)
    },
  }),
]
