import { operation } from '../kit/http/operation.ts'
import * as schema from './schema.ts'
import * as overview from './store.ts'

export const operations = [
  operation({
    id: 'overview.get',
    method: 'GET',
    path: '/overview',
    scope: 'overview:read',
    summary: 'Get an overview',
    description: 'Exact counts of the contacts, and the last events that the key may read.',
    response: schema.Overview,
    run: ({ db, workspace, now }, { caller }) => overview.get(db, workspace, caller.scopes, now),
  }),
]
