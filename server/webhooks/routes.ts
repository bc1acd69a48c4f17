import { Type } from 'typebox'
import type { Catalog } from '../events/catalog.ts'
import { ById } from '../kit/field.ts'
import * as operation from '../kit/http/operation.ts'
import * as page from '../kit/postgres/page.ts'
import * as deliveries from './deliveries.ts'
import * as inbox from './inbox.ts'
import * as schema from './schema.ts'
import * as webhooks from './store.ts'

const path = '/webhooks'
const Deleted = Type.Object({ deleted: Type.Literal(true) }, { title: 'Deleted' })

export const operations = (catalog: Catalog): operation.Operation[] => [
  operation.write({
    id: 'webhooks.create',
    method: 'POST',
    path,
    scope: 'webhooks:write',
    summary: 'Create a webhook',
    description:
      'Events that happen from now on are sent to `url` as Standard Webhooks, each at least once: see "Webhooks" in the guide. ' +
      'The answer shows the `secret` that signs them, this once. There can be 100 of them.',
    body: schema.newWebhook(catalog.patterns),
    errors: ['INVALID_STATE'],
    response: schema.WebhookWithSecret,
    status: 201,
    is_secret: true,
    before: (at, { body }) => webhooks.checkUrl(at, body.url),
    run: (at, { body }) => webhooks.create(at, body),
  }),
  operation.list({
    id: 'webhooks.list',
    path,
    scope: 'webhooks:read',
    summary: 'List webhooks',
    description: 'Newest first.',
    query: schema.WebhookQuery,
    items: schema.Webhook,
    run: (at, { query }) => webhooks.list(at, query),
  }),
  operation.get({
    id: 'webhooks.get',
    path: `${path}/:id`,
    scope: 'webhooks:read',
    summary: 'Get a webhook',
    params: ById,
    response: schema.Webhook,
    run: (at, { params }) => webhooks.get(at, params.id),
  }),
  operation.write({
    id: 'webhooks.update',
    method: 'PATCH',
    path: `${path}/:id`,
    scope: 'webhooks:write',
    summary: 'Update a webhook',
    description:
      'Fields that are not sent keep their values. With `status` `disabled` nothing more is sent; with `active` it begins anew.',
    params: ById,
    body: schema.webhookChange(catalog.patterns),
    response: schema.Webhook,
    before: (at, { body }) => webhooks.checkUrl(at, body.url),
    run: (at, { params, body, is_current }) => webhooks.update(at, { id: params.id, change: body, is_current }),
  }),
  operation.write({
    id: 'webhooks.delete',
    method: 'DELETE',
    path: `${path}/:id`,
    scope: 'webhooks:write',
    summary: 'Delete a webhook',
    description: 'With its deliveries: what is still to be sent is not.',
    params: ById,
    response: Deleted,
    run: (at, { params, is_current }) => webhooks.remove(at, { id: params.id, is_current }),
  }),
  operation.write({
    id: 'webhooks.rotate_secret',
    method: 'POST',
    path: `${path}/:id/rotate_secret`,
    scope: 'webhooks:write',
    summary: "Rotate a webhook's secret",
    description:
      'The answer shows the new secret, this once. For 24 hours the one before signs too: the header has both signatures. ' +
      'One that was still in that time stops at once.',
    params: ById,
    response: schema.WebhookWithSecret,
    is_secret: true,
    run: (at, { params }) => webhooks.rotateSecret(at, params.id),
  }),
  operation.write({
    id: 'webhooks.test',
    method: 'POST',
    path: `${path}/:id/test`,
    scope: 'webhooks:write',
    summary: 'Test a webhook',
    description: 'Sends it an event `webhook.test`, whatever it listens to. The delivery tells what became of it.',
    params: ById,
    errors: ['INVALID_STATE'],
    response: schema.Delivery,
    run: (at, { params }) => deliveries.test(at, params.id),
  }),
  operation.list({
    id: 'webhooks.list_deliveries',
    path: `${path}/:id/deliveries`,
    scope: 'webhooks:read',
    summary: "List a webhook's deliveries",
    description: 'Newest first. They are kept as long as their events.',
    params: ById,
    query: schema.DeliveryQuery,
    items: schema.Delivery,
    isExpensive: ({ status }) => status !== undefined,
    run: (at, { params, query }) => deliveries.list(at, { webhook_id: params.id, query }),
  }),
  operation.get({
    id: 'webhooks.get_delivery',
    path: `${path}/:id/deliveries/:delivery_id`,
    scope: 'webhooks:read',
    summary: 'Get a delivery',
    description: 'With what is sent, and each attempt.',
    params: schema.ByDeliveryId,
    response: schema.DeliveryWithAttempts,
    run: (at, { params }) => deliveries.get(at, { webhook_id: params.id, id: params.delivery_id }),
  }),
  operation.write({
    id: 'webhooks.resend_delivery',
    method: 'POST',
    path: `${path}/:id/deliveries/:delivery_id/resend`,
    scope: 'webhooks:write',
    summary: 'Send a delivery again',
    description: 'At once, with all attempts anew, whatever became of it before.',
    params: schema.ByDeliveryId,
    errors: ['INVALID_STATE'],
    response: schema.Delivery,
    run: (at, { params }) => deliveries.resend(at, { webhook_id: params.id, id: params.delivery_id }),
  }),
  operation.write({
    id: 'webhooks.recover',
    method: 'POST',
    path: `${path}/:id/recover`,
    scope: 'webhooks:write',
    summary: 'Send again what failed',
    description:
      'Of the events since then: deliveries whose status is `failed`, and what it listens to and was never told of, since it ' +
      'was disabled.',
    params: ById,
    body: schema.Recovery,
    errors: ['INVALID_STATE'],
    response: schema.Recovered,
    run: (at, { params, body }) => deliveries.recover(at, { webhook_id: params.id, since: body.since, catalog }),
  }),
  operation.list({
    id: 'webhooks.list_inbox',
    path: `${path}/:id/inbox`,
    scope: 'webhooks:read',
    summary: 'List what came to an inbox',
    description:
      'The last 50 requests, newest first, each with its signature checked step by step. Of other webhooks: none.',
    params: ById,
    query: page.query({}),
    items: schema.InboxRequest,
    run: (at, { params, query }) => inbox.list(at, { webhook_id: params.id, query }),
  }),
]

/** Requests to inboxes, which are not part of the API of the workspace. */
export const inbox_operations: operation.Operation[] = [
  operation.raw({
    id: 'webhooks.receive',
    path: '/inbox/:workspace/:token',
    summary: 'Send to an inbox',
    description:
      'The URL of a webhook that was created with the URL `inbox`. Stores the request, checks its signature, and answers as ' +
      "the webhook's `inbox_answer` says: 200, 410, 500, or with `hang` nothing for 20 seconds and then 504.",
    params: schema.ByInbox,
    errors: ['NOT_FOUND'],
    request: { content_type: '*/*', example: '{"type":"webhook.test"}' },
    responses: schema.inbox_responses,
    run: (at, { params }, request) => inbox.receive(at, { token: params.token, request }),
  }),
]
