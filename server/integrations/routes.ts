import { Type } from 'typebox'
import { ById } from '../kit/field.ts'
import { resourceEnvelope } from '../kit/http/envelope.ts'
import * as operation from '../kit/http/operation.ts'
import * as receipts from './receipts.ts'
import { receive } from './receive.ts'
import * as schema from './schema.ts'
import * as integrations from './store.ts'
import { dryRun } from './upsert.ts'

const Deleted = Type.Object({ deleted: Type.Literal(true) }, { title: 'Deleted' })

export const operations: operation.Operation[] = [
  operation.list({
    id: 'integrations.list',
    path: '/integrations',
    scope: 'integrations:read',
    summary: 'List integrations',
    description: 'Newest first.',
    query: schema.IntegrationQuery,
    items: schema.Integration,
    run: (at, { query }) => integrations.list(at, query),
  }),
  operation.write({
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
    errors: ['INVALID_STATE'],
    response: schema.Integration,
    status: 201,
    is_secret: true,
    version: schema.stateOf,
    run: (at, { body }) => integrations.create(at, body),
  }),
  operation.get({
    id: 'integrations.get',
    path: '/integrations/:id',
    scope: 'integrations:read',
    summary: 'Get an integration',
    params: ById,
    response: schema.Integration,
    version: schema.stateOf,
    run: (at, { params }) => integrations.get(at, params.id),
  }),
  operation.write({
    id: 'integrations.update',
    method: 'PATCH',
    path: '/integrations/:id',
    scope: 'integrations:write',
    summary: 'Update an integration',
    description: 'Fields that are not sent keep their values; `field_map` is replaced as a whole.',
    params: ById,
    body: schema.IntegrationChange,
    response: schema.Integration,
    version: schema.stateOf,
    run: (at, { params, body, is_current }) => integrations.update(at, { id: params.id, change: body, is_current }),
  }),
  operation.write({
    id: 'integrations.delete',
    method: 'DELETE',
    path: '/integrations/:id',
    scope: 'integrations:write',
    summary: 'Delete an integration',
    description: 'Its address leads nowhere from then on. Its receipts go with it; the contacts stay.',
    params: ById,
    response: Deleted,
    version: schema.stateOf,
    run: (at, { params, is_current }) => integrations.remove(at, { id: params.id, is_current }),
  }),
  operation.write({
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
    run: (at, { params, body }) => dryRun(at, { id: params.id, ...body }),
  }),
  operation.list({
    id: 'integrations.list_receipts',
    path: '/integrations/:id/receipts',
    scope: 'integrations:read',
    summary: 'List what arrived at an integration',
    description: 'The last 50, newest first, with what became of each. Kept for 30 days.',
    params: ById,
    query: schema.ReceiptQuery,
    items: schema.Receipt,
    run: (at, { params, query }) => receipts.list(at, { id: params.id, query }),
  }),
]

/** Requests to the URLs of integrations, which are not part of the API of the workspace. */
export const receive_operations: operation.Operation[] = [
  operation.raw({
    id: 'integrations.receive',
    path: '/in/:token',
    summary: 'Send to an integration',
    description:
      "The `url` of an integration. Takes any JSON, and creates or updates the contact that the integration's field map finds " +
      'in it. With a signing secret, requests must be signed by Standard Webhooks, and a repeated `webhook-id` has no effect.',
    params: schema.ByToken,
    errors: ['VALIDATION_ERROR', 'UNAUTHORIZED', 'NOT_FOUND', 'CONFLICT', 'INVALID_STATE', 'UNSUPPORTED_MEDIA_TYPE'],
    request: { content_type: 'application/json', example: { phone: '+14155550100', name: 'Ada' } },
    responses: { 200: { description: 'Received.', schema: resourceEnvelope(schema.Received) } },
    run: (at, { caller }, request) => receive(at, { id: caller.id, request }),
  }),
]
