import { Type } from 'typebox'
import { ById } from '../kit/field.ts'
import { operation } from '../kit/http/operation.ts'
import * as receipts from './receipts.ts'
import { receive } from './receive.ts'
import * as schema from './schema.ts'
import * as integrations from './store.ts'
import { dryRun } from './upsert.ts'

const Deleted = Type.Object({ deleted: Type.Literal(true) }, { title: 'Deleted' })

export const operations = [
  operation({
    id: 'integrations.list',
    method: 'GET',
    path: '/integrations',
    scope: 'integrations:read',
    summary: 'List integrations',
    description: 'Newest first.',
    query: schema.IntegrationQuery,
    items: schema.Integration,
    run: (at, { query }) => integrations.list(at, query),
  }),
  operation({
    id: 'integrations.create',
    method: 'POST',
    path: '/integrations',
    scope: 'integrations:write',
    summary: 'Create an integration',
    description:
      'A way in for form tools and CRMs: JSON that they post to its `url` becomes a contact with the source `webhook`, or ' +
      'updates the one that has the phone number. It may be made without a field map: what arrives is then refused, and its ' +
      'receipts show what to map.',
    body: schema.NewIntegration,
    refusals: ['INVALID_STATE'],
    response: schema.Integration,
    status: 201,
    is_secret: true,
    state: schema.stateOf,
    run: (at, { body }) => integrations.create(at, body),
  }),
  operation({
    id: 'integrations.get',
    method: 'GET',
    path: '/integrations/:id',
    scope: 'integrations:read',
    summary: 'Get an integration',
    params: ById,
    response: schema.Integration,
    state: schema.stateOf,
    run: (at, { params }) => integrations.get(at, params.id),
  }),
  operation({
    id: 'integrations.update',
    method: 'PATCH',
    path: '/integrations/:id',
    scope: 'integrations:write',
    summary: 'Update an integration',
    description: 'Fields that are not sent keep their values; `field_map` is replaced as a whole.',
    params: ById,
    body: schema.IntegrationChange,
    response: schema.Integration,
    state: schema.stateOf,
    run: (at, { params, body, is_current }) => integrations.update(at, params.id, body, is_current),
  }),
  operation({
    id: 'integrations.delete',
    method: 'DELETE',
    path: '/integrations/:id',
    scope: 'integrations:write',
    summary: 'Delete an integration',
    description: 'Its address leads nowhere from then on. Its receipts go with it; the contacts stay.',
    params: ById,
    response: Deleted,
    state: schema.stateOf,
    run: (at, { params, is_current }) => integrations.remove(at, params.id, is_current),
  }),
  operation({
    id: 'integrations.dry_run',
    method: 'POST',
    path: '/integrations/:id/dry_run',
    scope: 'integrations:write',
    summary: 'Try out a sample',
    description:
      'Tells what the sample would do if it arrived; nothing is written. A `field_map` may come along to be tried.',
    params: ById,
    body: schema.Sample,
    response: schema.DryRun,
    run: (at, { params, body }) => dryRun(at, params.id, body),
  }),
  operation({
    id: 'integrations.list_receipts',
    method: 'GET',
    path: '/integrations/:id/receipts',
    scope: 'integrations:read',
    summary: 'List what arrived at an integration',
    description: 'The last 50, newest first, with what became of each. Kept for 30 days.',
    params: ById,
    query: schema.ReceiptQuery,
    items: schema.Receipt,
    run: (at, { params, query }) => receipts.list(at, params.id, query),
  }),
]

/** What is done at an integration's own address. */
export const receiving = [
  operation({
    id: 'integrations.receive',
    method: 'POST',
    path: '/:token',
    scope: 'integrations:write',
    summary: 'Send to an integration',
    params: schema.ByToken,
    is_raw: true,
    response: schema.Received,
    run: (at, { caller, raw }) => {
      if (!raw) throw new Error('it was not taken as it came')
      return receive(at, caller.id, raw)
    },
  }),
]
