import type { Catalog } from '../events/catalog.ts'
import * as operation from '../kit/http/operation.ts'
import * as schema from './schema.ts'
import * as overview from './store.ts'

export const operations = (catalog: Catalog): operation.Operation[] => [
  operation.get({
    id: 'overview.get',
    path: '/overview',
    scope: 'overview:read',
    tool: {
      name: 'get_overview',
      description: 'Returns how many contacts there are, and what happened last. A good first step.',
    },
    summary: 'Get an overview',
    description: 'Returns exact counts of contacts and the latest events that the caller may read.',
    response: schema.Overview,
    run: (at, { caller }) => overview.get(at, catalog.readableNames(caller.scopes)),
  }),
]
