import { Type } from 'typebox'
import { type_patterns } from '../events/catalog.ts'
import { ById } from '../kit/field.ts'
import { operation } from '../kit/http/operation.ts'
import * as page from '../kit/postgres/page.ts'
import * as deliveries from './deliveries.ts'
import * as inbox from './inbox.ts'
import * as schema from './schema.ts'
import * as webhooks from './store.ts'

const path = '/webhooks'
const Deleted = Type.Object({ deleted: Type.Literal(true) }, { title: 'Deleted' })

export const operations = [
  operation({
    id: 'webhooks.create',
    method: 'POST',
    path,
    scope: 'webhooks:write',
    summary: 'Create a webhook',
    description:
      'Events that happen from now on are sent to `url` as Standard Webhooks, each at least once: see "Webhooks" in the guide. ' +
      'The answer shows the `secret` that signs them, this once. There can be 100 of them.',
    body: schema.newWebhook(type_patterns),
    refusals: ['INVALID_STATE'],
    response: schema.WebhookWithSecret,
    status: 201,
    is_secret: true,
    before: (at, { body }) => webhooks.checkUrl(at, body.url),
    run: ({ db, workspace, now, tools }, { body }) => webhooks.create(db, workspace, body, tools.seal, now),
  }),
  operation({
    id: 'webhooks.list',
    method: 'GET',
    path,
    scope: 'webhooks:read',
    summary: 'List webhooks',
    description: 'Newest first.',
    query: schema.WebhookQuery,
    items: schema.Webhook,
    run: ({ db, workspace }, { query }) => webhooks.list(db, workspace, query),
  }),
  operation({
    id: 'webhooks.get',
    method: 'GET',
    path: `${path}/:id`,
    scope: 'webhooks:read',
    summary: 'Get a webhook',
    params: ById,
    response: schema.Webhook,
    run: ({ db, workspace }, { params }) => webhooks.get(db, workspace, params.id),
  }),
  operation({
    id: 'webhooks.update',
    method: 'PATCH',
    path: `${path}/:id`,
    scope: 'webhooks:write',
    summary: 'Update a webhook',
    description:
      'Fields that are not sent keep their values. With `status` `disabled` nothing more is sent; with `active` it begins anew.',
    params: ById,
    body: schema.webhookChange(type_patterns),
    response: schema.Webhook,
    before: (at, { body }) => webhooks.checkUrl(at, body.url),
    run: ({ db, workspace, now }, { params, body, is_current }) =>
      webhooks.update(db, workspace, { id: params.id, change: body, is_current }, now),
  }),
  operation({
    id: 'webhooks.delete',
    method: 'DELETE',
    path: `${path}/:id`,
    scope: 'webhooks:write',
    summary: 'Delete a webhook',
    description: 'With its deliveries: what is still to be sent is not.',
    params: ById,
    response: Deleted,
    run: ({ db, workspace, now }, { params, is_current }) =>
      webhooks.remove(db, workspace, { id: params.id, is_current }, now),
  }),
  operation({
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
    run: ({ db, workspace, now, tools }, { params }) =>
      webhooks.rotateSecret(db, workspace, params.id, tools.seal, now),
  }),
  operation({
    id: 'webhooks.test',
    method: 'POST',
    path: `${path}/:id/test`,
    scope: 'webhooks:write',
    summary: 'Test a webhook',
    description: 'Sends it an event `webhook.test`, whatever it listens to. The delivery tells what became of it.',
    params: ById,
    refusals: ['INVALID_STATE'],
    response: schema.Delivery,
    run: ({ db, workspace, now }, { params }) => deliveries.test(db, workspace, params.id, now),
  }),
  operation({
    id: 'webhooks.list_deliveries',
    method: 'GET',
    path: `${path}/:id/deliveries`,
    scope: 'webhooks:read',
    summary: "List a webhook's deliveries",
    description: 'Newest first. They are kept as long as their events.',
    params: ById,
    query: schema.DeliveryQuery,
    items: schema.Delivery,
    isDear: ({ status }) => status !== undefined,
    run: ({ db, workspace }, { params, query }) => deliveries.list(db, workspace, params.id, query),
  }),
  operation({
    id: 'webhooks.get_delivery',
    method: 'GET',
    path: `${path}/:id/deliveries/:delivery_id`,
    scope: 'webhooks:read',
    summary: 'Get a delivery',
    description: 'With what is sent, and each attempt.',
    params: schema.ByDeliveryId,
    response: schema.DeliveryWithAttempts,
    run: ({ db, workspace }, { params }) => deliveries.get(db, workspace, params.id, params.delivery_id),
  }),
  operation({
    id: 'webhooks.resend_delivery',
    method: 'POST',
    path: `${path}/:id/deliveries/:delivery_id/resend`,
    scope: 'webhooks:write',
    summary: 'Send a delivery again',
    description: 'At once, with all attempts anew, whatever became of it before.',
    params: schema.ByDeliveryId,
    refusals: ['INVALID_STATE'],
    response: schema.Delivery,
    run: ({ db, workspace, now }, { params }) =>
      deliveries.resend(db, workspace, { webhook_id: params.id, id: params.delivery_id }, now),
  }),
  operation({
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
    refusals: ['INVALID_STATE'],
    response: schema.Recovered,
    run: ({ db, workspace, now }, { params, body }) =>
      deliveries.recover(db, workspace, { webhook_id: params.id, since: body.since }, now),
  }),
  operation({
    id: 'webhooks.list_inbox',
    method: 'GET',
    path: `${path}/:id/inbox`,
    scope: 'webhooks:read',
    summary: 'List what came to an inbox',
    description:
      'The last 50 requests, newest first, each with its signature checked step by step. Of other webhooks: none.',
    params: ById,
    query: page.query({}),
    items: schema.InboxRequest,
    run: ({ db, workspace }, { params, query }) => inbox.list(db, workspace, params.id, query),
  }),
]
