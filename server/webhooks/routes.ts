import type { Catalog } from '../events/catalog.ts'
import { toNamesFilter } from '../events/feed.ts'
import { ById, Deleted, sample_id } from '../kit/field.ts'
import * as operation from '../kit/http/operation.ts'
import * as page from '../kit/postgres/page.ts'
import * as deliveries from './deliveries.ts'
import * as inbox from './inbox.ts'
import * as recoveries from './recoveries.ts'
import * as schema from './schema.ts'
import * as webhooks from './store.ts'

const path = '/webhooks'

export const operations = (catalog: Catalog): operation.Operation[] => [
  operation.write({
    id: 'webhooks.create',
    method: 'POST',
    path,
    scope: 'webhooks:write',
    summary: 'Create a webhook',
    description:
      'Sends new events to `url` as Standard Webhooks, each at least once: see "Webhooks" in the guide. The `secret` that signs ' +
      'the requests is returned only this once. A workspace can have 100 webhooks. A key needs the scopes of all `events`: ' +
      '`call.*`, for example, requires `calls:read`, and `*` all of them but `api_keys:read`.',
    body: schema.newWebhook(catalog.patterns),
    errors: ['INVALID_STATE'],
    response: schema.WebhookWithSecret,
    status: 201,
    is_secret: true,
    before: (at, { body }) => webhooks.checkUrl(at, body.url),
    run(at, { body, caller }) {
      catalog.assertReadable(caller.scopes, body.events)
      return webhooks.create(at, body)
    },
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
      'Fields that are not sent keep their values. With the `status` `disabled` no more events are sent; `active` enables the ' +
      'webhook again. A key needs the scopes of the `events` that it adds. To change `url` it needs those of all `events`, and ' +
      'of all deliveries that are pending.',
    params: ById,
    body: schema.webhookChange(catalog.patterns),
    response: schema.Webhook,
    before: (at, { body }) => webhooks.checkUrl(at, body.url),
    run: (at, { params, body, caller, isCurrent }) =>
      webhooks.update(at, {
        id: params.id,
        change: body,
        isCurrent,
        assertReadable: (patterns) => catalog.assertReadable(caller.scopes, patterns),
      }),
  }),
  operation.write({
    id: 'webhooks.delete',
    method: 'DELETE',
    path: `${path}/:id`,
    scope: 'webhooks:write',
    summary: 'Delete a webhook',
    description: 'Deletes the webhook with its deliveries. Pending deliveries are not sent.',
    params: ById,
    response: Deleted,
    run: (at, { params, isCurrent }) => webhooks.remove(at, { id: params.id, isCurrent }),
  }),
  operation.write({
    id: 'webhooks.rotate_secret',
    method: 'POST',
    path: `${path}/:id/rotate_secret`,
    scope: 'webhooks:write',
    summary: "Rotate a webhook's secret",
    description:
      'Returns the new secret, only this once. For 24 hours the previous secret also signs: the header has both signatures. ' +
      'A secret from an earlier rotation stops at once.',
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
    is_audited: false,
    summary: 'Test a webhook',
    description:
      'Sends a `webhook.test` event to this webhook. It does not need to subscribe to it. Get the delivery to see the result.',
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
    description: 'Newest first. Deliveries are kept as long as their events.',
    params: ById,
    query: schema.DeliveryQuery,
    items: schema.Delivery,
    isExpensive: ({ status }) => status !== undefined,
    async run(at, { params, query, caller }) {
      const names = new Set(catalog.readableNames(caller.scopes))
      const found = await deliveries.list(at, { webhook_id: params.id, query })
      return { ...found, data: found.data.map((one) => withoutUnreadable(one, names)) }
    },
  }),
  operation.get({
    id: 'webhooks.count_deliveries',
    path: `${path}/:id/delivery_counts`,
    scope: 'webhooks:read',
    summary: "Count a webhook's deliveries",
    description: 'Counts the deliveries of the current hour and the 23 before it by their status, for each hour.',
    params: ById,
    is_expensive: true,
    response: schema.DeliveryCounts,
    run: (at, { params }) => deliveries.countByHour(at, params.id),
  }),
  operation.get({
    id: 'webhooks.get_delivery',
    path: `${path}/:id/deliveries/:delivery_id`,
    scope: 'webhooks:read',
    summary: 'Get a delivery',
    description:
      'Returns the delivery with the body of its request and its attempts. A key needs the scope of the event: `call.ended`, ' +
      'for example, requires `calls:read`.',
    params: schema.ByDeliveryId,
    response: schema.DeliveryWithAttempts,
    async run(at, { params, caller }) {
      const delivery = await deliveries.get(at, { webhook_id: params.id, id: params.delivery_id })
      catalog.assertReadable(caller.scopes, [delivery.type])
      return delivery
    },
  }),
  operation.write({
    id: 'webhooks.resend_delivery',
    method: 'POST',
    path: `${path}/:id/deliveries/:delivery_id/resend`,
    scope: 'webhooks:write',
    is_audited: false,
    summary: 'Resend a delivery',
    description:
      'Sends the delivery again at once. It may have any status, and starts over with the first attempt. If the webhook no ' +
      'longer subscribes to its type, a key needs the scope of the event.',
    params: schema.ByDeliveryId,
    errors: ['INVALID_STATE'],
    response: schema.Delivery,
    run: (at, { params, caller }) =>
      deliveries.resend(at, {
        webhook_id: params.id,
        id: params.delivery_id,
        assertReadable: (patterns) => catalog.assertReadable(caller.scopes, patterns),
      }),
  }),
  operation.write({
    id: 'webhooks.recover',
    method: 'POST',
    path: `${path}/:id/recover`,
    scope: 'webhooks:write',
    summary: 'Recover deliveries',
    description:
      'Sends failed deliveries of events since `since` again, and events that the webhook missed while it was disabled: of ' +
      'types that it subscribes to, and test events. It runs in the background: get the recovery to follow it. It ends early ' +
      'if the webhook is disabled. A webhook can have one recovery at a time: while one is running, `details.recovery_id` of ' +
      'the error is its ID.',
    params: ById,
    body: schema.NewRecovery,
    errors: ['INVALID_STATE'],
    response: schema.Recovery,
    status: 201,
    collection: `${path}/:id/recoveries`,
    run: (at, { params, body }) => recoveries.start(at, { webhook_id: params.id, input: body }),
  }),
  operation.get({
    id: 'webhooks.get_recovery',
    path: `${path}/:id/recoveries/:recovery_id`,
    scope: 'webhooks:read',
    summary: 'Get a recovery',
    description: 'Recoveries are kept as long as events.',
    params: schema.ByRecoveryId,
    response: schema.Recovery,
    run: (at, { params }) => recoveries.get(at, { webhook_id: params.id, id: params.recovery_id }),
  }),
  operation.list({
    id: 'webhooks.list_inbox',
    path: `${path}/:id/inbox`,
    scope: 'webhooks:read',
    summary: "List an inbox's requests",
    description:
      'Returns the last 50 requests, newest first, each with the steps of its signature check. The list is empty for webhooks ' +
      'that are not inboxes. A key sees only the requests of events that it may read, as in the list of events.',
    params: ById,
    query: page.query({}, ['-id', sample_id]),
    items: schema.InboxRequest,
    run: (at, { params, query, caller }) => {
      const names = toNamesFilter(catalog, catalog.readableNames(caller.scopes))
      return inbox.list(at, { webhook_id: params.id, query, names })
    },
  }),
]

/** Leaves out a server's response if the caller may not read the event, which it may repeat. */
const withoutUnreadable = (delivery: schema.Delivery, names: Set<string>): schema.Delivery =>
  names.has(delivery.type) ? delivery : { ...delivery, last_attempt: null }

/** Requests to inboxes have no API key: the token in the path identifies the inbox. */
export const inbox_operations: operation.Operation[] = [
  operation.raw({
    id: 'webhooks.receive',
    path: '/inbox/:workspace/:token',
    summary: 'Send a request to an inbox',
    description:
      'This is the `url` of a webhook that was created with the `url` `inbox`. Stores the request, checks its signature, and ' +
      'answers as `inbox_answer` says: with 200, 410 or 500, or with `hang` after 20 seconds with 504.',
    params: schema.ByInbox,
    errors: ['NOT_FOUND'],
    body_example: { type: 'webhook.test' },
    responses: schema.inbox_responses,
    run: (at, { params }, request) => inbox.receive(at, { token: params.token, request }),
  }),
]
