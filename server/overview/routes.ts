import type { Catalog } from '../events/catalog.ts'
import * as operation from '../kit/http/operation.ts'
import * as schema from './schema.ts'
import * as overview from './store.ts'

export const operations = (catalog: Catalog): operation.Operation[] => [
  operation.get({
    id: 'overview.get',
    path: '/overview',
    scope: 'overview:read',
    summary: 'Get an overview',
    description: 'Exact counts of the contacts, and the last events that the key may read.',
    response: schema.Overview,
    run: (at, { caller }) => overview.get(at, catalog.readableNames(caller.scopes)),
  }),
]
