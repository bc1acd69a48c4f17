import { crmIdInUse } from '../contacts/crm-ids.ts'
import { ById, Deleted } from '../kit/field.ts'
import { resourceEnvelope } from '../kit/http/envelope.ts'
import * as operation from '../kit/http/operation.ts'
import { Problem } from '../kit/problem.ts'
import * as receipts from './receipts.ts'
import { integrationDisabled, receiveMessage, withReceipt } from './receive.ts'
import * as schema from './schema.ts'
import * as integrations from './store.ts'
import { dryRun } from './upsert.ts'

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
      'Form tools and CRMs post JSON to its `url`. Each request creates a contact with the source `webhook`, or updates the ' +
      'contact that has the phone number. You can create an integration without a field map: requests are then refused, ' +
      'and their receipts show the payloads to map.',
    body: schema.NewIntegration,
    errors: ['INVALID_STATE'],
    response: schema.Integration,
    status: 201,
    is_secret: true,
    version: schema.integrationVersion,
    run: (at, { body }) => integrations.create(at, body),
  }),
  operation.get({
    id: 'integrations.get',
    path: '/integrations/:id',
    scope: 'integrations:read',
    summary: 'Get an integration',
    params: ById,
    response: schema.Integration,
    version: schema.integrationVersion,
    run: (at, { params }) => integrations.get(at, params.id),
  }),
  operation.write({
    id: 'integrations.update',
    method: 'PATCH',
    path: '/integrations/:id',
    scope: 'integrations:write',
    summary: 'Update an integration',
    description: 'Omitted fields keep their values. `field_map` is replaced as a whole.',
    params: ById,
    body: schema.IntegrationChange,
    response: schema.Integration,
    version: schema.integrationVersion,
    run: (at, { params, body, isCurrent }) => integrations.update(at, { id: params.id, change: body, isCurrent }),
  }),
  operation.write({
    id: 'integrations.delete',
    method: 'DELETE',
    path: '/integrations/:id',
    scope: 'integrations:write',
    summary: 'Delete an integration',
    description: 'Also deletes its receipts. The contacts stay. Its `url` returns 404 from now on.',
    params: ById,
    response: Deleted,
    version: schema.integrationVersion,
    run: (at, { params, isCurrent }) => integrations.remove(at, { id: params.id, isCurrent }),
  }),
  operation.write({
    id: 'integrations.dry_run',
    method: 'POST',
    path: '/integrations/:id/dry_run',
    scope: 'integrations:write',
    is_audited: false,
    summary: 'Try a sample',
    description:
      'Returns what would happen if the sample were posted to the integration. Nothing is written. Send a `field_map` or ' +
      '`default_country` to try them before you save them.',
    params: ById,
    body: schema.Sample,
    response: schema.DryRun,
    run: (at, { params, body }) => dryRun(at, { id: params.id, ...body }),
  }),
  operation.list({
    id: 'integrations.list_receipts',
    path: '/integrations/:id/receipts',
    scope: 'integrations:read',
    summary: 'List the receipts of an integration',
    description: 'The last 50 requests and their outcomes, newest first. Kept for 30 days.',
    params: ById,
    query: schema.ReceiptQuery,
    items: schema.Receipt,
    run: (at, { params, query }) => receipts.list(at, { id: params.id, query }),
  }),
]

const missing = { path: 'phone_number', code: 'required', message: 'phone_number is required.' }
const receipt = { receipt_id: '019a84c4-5f00-7c3e-9d53-2f1a64c0b7ab' }
const other_contact_id = '019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa'
const error_samples = {
  VALIDATION_ERROR: new Problem('VALIDATION_ERROR', missing.message, { fields: [missing], ...receipt }),
  UNAUTHORIZED: new Problem('UNAUTHORIZED', 'The header webhook-signature is missing.', receipt),
  CONFLICT: withReceipt(crmIdInUse('id', other_contact_id), receipt.receipt_id),
  INVALID_STATE: integrationDisabled(),
}

/** The operations at the URLs of integrations, for callers without an API key. */
export const receive_operations: operation.Operation[] = [
  operation.raw({
    id: 'integrations.receive',
    path: '/in/:token',
    summary: 'Send a payload to an integration',
    description:
      "The `url` of an integration. Accepts any JSON of at most 1 MiB, and applies the integration's field map to create or " +
      'update a contact. If the integration has a signing secret, sign requests by Standard Webhooks; a repeated ' +
      '`webhook-id` then has no effect. A refused request leaves a receipt too: its id is in `details.receipt_id` of the error.',
    params: schema.ByToken,
    headers: schema.SignatureHeaders,
    body_example: schema.payload_example,
    errors: ['VALIDATION_ERROR', 'UNAUTHORIZED', 'NOT_FOUND', 'CONFLICT', 'INVALID_STATE', 'UNSUPPORTED_MEDIA_TYPE'],
    error_samples,
    responses: { 200: { description: 'Received.', schema: resourceEnvelope(schema.Received) } },
    run: (at, { caller }, request) => receiveMessage(at, { id: caller.id, request }),
  }),
]
