import { type Static, Type } from 'typebox'
import {
  allOptional,
  body,
  check,
  id,
  oneOf,
  optionalText,
  optionalTimestamp,
  sample_id,
  text,
  timestamp,
} from '../kit/field.ts'
import * as page from '../kit/postgres/page.ts'

export const webhooks_max = 100
const url_length_max = 2_000
const patterns_max = 50
/** This `url` of a new webhook creates an inbox. */
export const inbox_url = 'inbox'

export const inbox_answers = ['200', '500', '410', 'hang'] as const
const delivery_statuses = ['pending', 'succeeded', 'failed'] as const
export type DeliveryStatus = (typeof delivery_statuses)[number]

const description_text = { maxLength: 200, description: 'What the webhook is for.', examples: ['CRM sync'] }
const events_text = {
  description:
    'The event types to send, or patterns such as `contact.*`. `*` matches all types, including those of later versions, except `api_key.*`, which is added by name.',
  examples: [['contact.*', 'agent.created']],
}
const inbox_answer_text =
  "For inboxes: how it answers. `hang` doesn't answer in time; `410` gets the webhook disabled. `null` for other webhooks."

const webhook = {
  id: id('The unique id of the webhook. Treat it as opaque.'),
  url: Type.String({
    description: 'Where events are sent. For an inbox, its path on this server.',
    examples: ['https://hooks.shop.example/parley'],
  }),
  events: Type.Array(Type.String(), events_text),
  description: Type.Unsafe<string | null>({ type: ['string', 'null'], ...description_text }),
  status: oneOf(['active', 'disabled'], {
    description: 'A `disabled` webhook gets no events, and its pending deliveries become `failed`.',
    examples: ['active'],
  }),
  disabled_reason: Type.Unsafe<'asked' | 'gone' | 'failing' | null>({
    type: ['string', 'null'],
    enum: ['asked', 'gone', 'failing', null],
    description:
      'Why the webhook is disabled: an update disabled it (`asked`), the endpoint answered 410 (`gone`), or all ' +
      'attempts failed for five days, at least ten of them (`failing`).',
    examples: [null],
  }),
  failing_since: optionalTimestamp(
    'When the first attempt failed since the last success. `null` when the webhook is not failing.',
  ),
  previous_secret_until: optionalTimestamp('Until when the previous secret also signs requests, after a rotation.'),
  inbox_answer: Type.Unsafe<(typeof inbox_answers)[number] | null>({
    type: ['string', 'null'],
    enum: [...inbox_answers, null],
    description: inbox_answer_text,
    examples: [null],
  }),
  created_at: timestamp('When the webhook was created.'),
  updated_at: timestamp('When the webhook was last changed.'),
}

export const Webhook = Type.Object(webhook, { title: 'Webhook' })
export type Webhook = Static<typeof Webhook>

/**
 * A webhook as shown in events, which more people may read than webhooks. It has no URL, because URLs often contain
 * secrets.
 */
export const WebhookSummary = Type.Object(
  {
    id: webhook.id,
    host: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The host that events are sent to, with the port unless it is the default. `null` for an inbox.',
      examples: ['hooks.shop.example'],
    }),
    events: webhook.events,
    description: webhook.description,
    status: webhook.status,
    disabled_reason: webhook.disabled_reason,
    failing_since: webhook.failing_since,
    created_at: webhook.created_at,
    updated_at: webhook.updated_at,
  },
  { title: 'WebhookSummary' },
)
export type WebhookSummary = Static<typeof WebhookSummary>

export const WebhookWithSecret = Type.Object(
  {
    ...webhook,
    secret: Type.String({
      description: 'Signs requests, by Standard Webhooks. It is returned only this once.',
      examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwm0Y1u8xJtAo='],
    }),
  },
  { title: 'WebhookWithSecret' },
)
export type WebhookWithSecret = Static<typeof WebhookWithSecret>

const url_pattern = '^(https?://.+|inbox|/inbox/.+)$'

const fieldsFor = (patterns: string[]) => ({
  url: text({
    maxLength: url_length_max,
    pattern: url_pattern,
    [check]: (url) =>
      new RegExp(url_pattern).test(url)
        ? undefined
        : { code: 'format', message: 'must begin with https:// or http://, or be inbox.' },
    description:
      'A URL that begins with https:// or http://, on a public host, without user name and password. Or `inbox`, for a ' +
      'built-in endpoint that stores the requests it gets.',
    examples: ['https://hooks.shop.example/parley'],
  }),
  events: Type.Unsafe<string[]>({
    type: 'array',
    items: { type: 'string', enum: patterns },
    maxItems: patterns_max,
    ...events_text,
  }),
  description: Type.Optional(optionalText(description_text)),
  inbox_answer: Type.Optional(
    Type.Unsafe<(typeof inbox_answers)[number] | null>({
      type: ['string', 'null'],
      enum: [...inbox_answers, null],
      description: inbox_answer_text,
      examples: [null],
    }),
  ),
})

export const newWebhook = (patterns: string[]) => body('NewWebhook', fieldsFor(patterns), WebhookWithSecret)
export type NewWebhook = Static<ReturnType<typeof newWebhook>>

export const webhookChange = (patterns: string[]) =>
  body(
    'WebhookChange',
    {
      ...allOptional(fieldsFor(patterns)),
      status: Type.Optional(
        oneOf(['active', 'disabled'], {
          description:
            '`active` enables the webhook again. Deliveries that failed before are not sent again, except by "Recover deliveries".',
          examples: ['active'],
        }),
      ),
    },
    WebhookWithSecret,
  )
export type WebhookChange = Static<ReturnType<typeof webhookChange>>

export const WebhookQuery = page.query({})

const delivery = {
  id: id("The event's identifier, and the header `webhook-id`."),
  webhook_id: id('The webhook that it is sent to.'),
  type: Type.String({ description: 'The type of the event.', examples: ['contact.created'] }),
  status: oneOf(delivery_statuses, {
    description: '`pending` until an attempt has `succeeded`, or the last one has `failed`.',
    examples: ['succeeded'],
  }),
  attempt: Type.Integer({
    description: 'The number of attempts, since the last resend if there was one.',
    examples: [1],
  }),
  created_at: timestamp('When the event happened.'),
  due_at: optionalTimestamp('When the next attempt is due. `null` when there will be none.'),
}

const nullableText = (description: string, example: string | null) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description, examples: [example] })

export const Attempt = Type.Object(
  {
    url: nullableText(
      'The URL that was called. `null` for old attempts: the URL of the webhook at that time.',
      'https://hooks.shop.example/parley',
    ),
    created_at: timestamp('When the attempt started. The header `webhook-timestamp` has it in seconds.'),
    status: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'The status code of the response. `null` when there was none.',
      examples: [200],
    }),
    duration_ms: Type.Integer({ description: 'How long the attempt took.', examples: [42] }),
    error: nullableText('Why there was no response.', null),
    answer: nullableText(
      'The first kilobyte of the response. `null` when the contact that the event is about was deleted.',
      'ok',
    ),
  },
  { title: 'Attempt' },
)
export type Attempt = Static<typeof Attempt>

export const Delivery = Type.Object(
  {
    ...delivery,
    last_attempt: Type.Unsafe<Attempt | null>({
      ...Attempt,
      type: ['object', 'null'],
      title: 'LastAttempt',
      description:
        'The latest attempt. `null` before the first one, in the response of a resend, and for keys without the scope of the event: `call.ended`, for example, requires `calls:read`.',
    }),
  },
  { title: 'Delivery' },
)
export type Delivery = Static<typeof Delivery>

export const DeliveryWithAttempts = Type.Object(
  {
    ...delivery,
    body: Type.String({
      description: 'The body of the request, byte for byte.',
      examples: ['{"id":"019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa","type":"contact.created"}'],
    }),
    attempts: Type.Array(Attempt, { description: 'The latest 20, oldest first.' }),
  },
  { title: 'DeliveryWithAttempts' },
)
export type DeliveryWithAttempts = Static<typeof DeliveryWithAttempts>

export const DeliveryQuery = page.query(
  {
    status: Type.Optional(oneOf(delivery_statuses, { description: 'Only deliveries with this status.' })),
  },
  ['-id', sample_id],
)
export type DeliveryQuery = Static<typeof DeliveryQuery>

const total = (description: string, example: number) => Type.Integer({ description, examples: [example] })

export const DeliveryCounts = Type.Object(
  {
    hours: Type.Array(
      Type.Object({
        start: timestamp('When the hour begins.'),
        succeeded: total('How many have succeeded.', 12),
        failed: total('How many have failed.', 1),
        pending: total('How many are pending.', 0),
      }),
      { description: 'The current hour and the 23 before it, oldest first.' },
    ),
    is_complete: Type.Boolean({
      description: 'Whether these are all deliveries of these hours. Only the latest 10,000 are counted.',
      examples: [true],
    }),
  },
  { title: 'DeliveryCounts' },
)
export type DeliveryCounts = Static<typeof DeliveryCounts>

export const ByDeliveryId = Type.Object({
  id: id("The webhook's identifier."),
  delivery_id: id("The delivery's identifier."),
})

export const NewRecovery = Type.Object(
  {
    since: timestamp('Only events since this time are sent.'),
    until: Type.Optional(optionalTimestamp('Only events until this time are sent. The default is now.')),
  },
  { title: 'NewRecovery', additionalProperties: false },
)
export type NewRecovery = Static<typeof NewRecovery>

export const Recovery = Type.Object(
  {
    id: id('Unique identifier; treat it as opaque.'),
    status: oneOf(['running', 'finished'], {
      description: '`running` until all deliveries are due, or the webhook is disabled.',
      examples: ['running'],
    }),
    since: timestamp('Only events since this time are sent.'),
    until: timestamp('Only events until this time are sent.'),
    recovered: Type.Integer({ description: 'How many deliveries are sent so far.', examples: [0] }),
    created_at: timestamp('When the recovery was started.'),
    finished_at: optionalTimestamp('When the recovery was finished. `null` while it is running.'),
  },
  { title: 'Recovery' },
)
export type Recovery = Static<typeof Recovery>

export const ByRecoveryId = Type.Object({
  id: id("The webhook's identifier."),
  recovery_id: id("The recovery's identifier."),
})

export const InboxRequest = Type.Object(
  {
    id: id('The unique id of the request.'),
    headers: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'The headers of the request, with lower-case names.',
      examples: [{ 'webhook-id': '019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa' }],
    }),
    body: Type.String({
      description: 'The body of the request. Empty when the contact that it is about was deleted meanwhile.',
      examples: ['{}'],
    }),
    answered: oneOf(inbox_answers, { description: 'How the inbox answered.', examples: ['200'] }),
    steps: Type.Array(
      Type.Object({
        name: Type.String({ examples: ['signature'] }),
        is_ok: Type.Boolean({ examples: [true] }),
        detail: Type.String({ examples: ['The header contains v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4='] }),
      }),
      { description: 'The steps of the signature check, as any receiver does it.' },
    ),
    created_at: timestamp('When the request was received.'),
  },
  { title: 'InboxRequest' },
)
export type InboxRequest = Static<typeof InboxRequest>

export const ByInbox = Type.Object({
  workspace: id("The workspace's identifier."),
  token: text({ pattern: '^[\\w-]{43}$', examples: ['x3Q0c2n1yWm4kJ8rT5vZ7bH9dL6pF0sA1eG2uI3oC4t'] }),
})

const InboxAnswer = Type.Object({ answer: oneOf(inbox_answers) }, { title: 'InboxAnswer' })
const answered = (description: string) => ({ description, schema: InboxAnswer })
export const inbox_responses = {
  200: answered('`inbox_answer` is `200`.'),
  410: answered('`inbox_answer` is `410`.'),
  500: answered('`inbox_answer` is `500`.'),
  504: answered('`inbox_answer` is `hang`: sent after 20 seconds.'),
}
