import { type Static, Type } from 'typebox'
import { allOptional, body, check, id, oneOf, optionalText, optionalTimestamp, text, timestamp } from '../kit/field.ts'
import * as page from '../kit/postgres/page.ts'

export const webhooks_max = 100
const url_length_max = 2_000
const patterns_max = 50
/** What stands in the place of an address to get one of our own. */
export const inbox_url = 'inbox'

export const inbox_answers = ['200', '500', '410', 'hang'] as const
export const delivery_statuses = ['pending', 'succeeded', 'failed'] as const
export type DeliveryStatus = (typeof delivery_statuses)[number]

const description_said = { maxLength: 200, description: 'What it is for.', examples: ['CRM sync'] }
const events_said = {
  description:
    'Which events are sent: types, or patterns such as `contact.*`. `*` stands for all, also those of later versions.',
  examples: [['contact.*', 'agent.created']],
}
const inbox_answer_said =
  "Of an inbox: what it answers. `hang` doesn't answer in time; `410` asks to be disabled. `null`: this is no inbox."

const kept = {
  id: id('Unique identifier; treat it as opaque.'),
  url: Type.String({
    description: 'Where the events are sent. Of an inbox: its path on this server.',
    examples: ['https://hooks.shop.example/parley'],
  }),
  events: Type.Array(Type.String(), events_said),
  description: Type.Unsafe<string | null>({ type: ['string', 'null'], ...description_said }),
  status: oneOf(['active', 'disabled'], {
    description: 'One that is `disabled` is sent nothing, and what was still to be sent is `failed`.',
    examples: ['active'],
  }),
  disabled_reason: Type.Unsafe<'asked' | 'gone' | 'failing' | null>({
    type: ['string', 'null'],
    enum: ['asked', 'gone', 'failing', null],
    description:
      'Why it is disabled: it was `asked` for, the endpoint answered 410 (`gone`), or for five days at least ten attempts failed ' +
      'and none succeeded (`failing`).',
    examples: [null],
  }),
  failing_since: optionalTimestamp('Since when there was nothing but failure; `null`: the last attempt succeeded.'),
  previous_secret_until: optionalTimestamp('How long the secret before the last rotation signs too.'),
  inbox_answer: Type.Unsafe<(typeof inbox_answers)[number] | null>({
    type: ['string', 'null'],
    enum: [...inbox_answers, null],
    description: inbox_answer_said,
    examples: [null],
  }),
  created_at: timestamp('When it was created.'),
  updated_at: timestamp('When it was last changed.'),
}

export const Webhook = Type.Object(kept, { title: 'Webhook' })
export type Webhook = Static<typeof Webhook>

/** For the log of events, which more people may read than webhooks: addresses often hold secrets in path and query. */
export const WebhookSummary = Type.Object(
  {
    id: kept.id,
    host: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The host that events are sent to, with the port unless it is the default. `null`: an inbox.',
      examples: ['hooks.shop.example'],
    }),
    events: kept.events,
    description: kept.description,
    status: kept.status,
    disabled_reason: kept.disabled_reason,
    failing_since: kept.failing_since,
    created_at: kept.created_at,
    updated_at: kept.updated_at,
  },
  { title: 'WebhookSummary' },
)
export type WebhookSummary = Static<typeof WebhookSummary>

export const WebhookWithSecret = Type.Object(
  {
    ...kept,
    secret: Type.String({
      description: 'Signs what is sent, by Standard Webhooks. It is shown here and never again.',
      examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwm0Y1u8xJtAo='],
    }),
  },
  { title: 'WebhookWithSecret' },
)
export type WebhookWithSecret = Static<typeof WebhookWithSecret>

const url_form = '^(https?://.+|inbox|/inbox/.+)$'

/** The patterns come from the catalog of event types. */
const fieldsFor = (patterns: string[]) => ({
  url: text({
    maxLength: url_length_max,
    pattern: url_form,
    [check]: (said) =>
      new RegExp(url_form).test(said)
        ? undefined
        : { code: 'format', message: 'must begin with https:// or http://, or be inbox.' },
    description:
      'An address that begins with https:// or http://, on a public host, without name and password. Or `inbox`, for a ' +
      'built-in one that keeps what it gets.',
    examples: ['https://hooks.shop.example/parley'],
  }),
  events: Type.Unsafe<string[]>({
    type: 'array',
    items: { type: 'string', enum: patterns },
    maxItems: patterns_max,
    ...events_said,
  }),
  description: Type.Optional(optionalText(description_said)),
  inbox_answer: Type.Optional(
    Type.Unsafe<(typeof inbox_answers)[number] | null>({
      type: ['string', 'null'],
      enum: [...inbox_answers, null],
      description: inbox_answer_said,
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
          description: '`active` begins anew: what failed before is sent again only by "Recover".',
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
  webhook_id: id('Where it is sent.'),
  type: Type.String({ description: 'The type of the event.', examples: ['contact.created'] }),
  status: oneOf(delivery_statuses, {
    description: '`pending` until an attempt has `succeeded`, or the last one has `failed`.',
    examples: ['succeeded'],
  }),
  attempt: Type.Integer({
    description: 'How many attempts there were since it was sent, or sent again.',
    examples: [1],
  }),
  created_at: timestamp('When the event happened.'),
  due_at: optionalTimestamp('When the next attempt is due; `null`: there is none.'),
}

export const Delivery = Type.Object(delivery, { title: 'Delivery' })
export type Delivery = Static<typeof Delivery>

const nullableText = (description: string, example: string | null) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description, examples: [example] })

export const Attempt = Type.Object(
  {
    url: nullableText('Where it was sent; `null`: to where the webhook then was.', 'https://hooks.shop.example/parley'),
    created_at: timestamp('When it began; the header `webhook-timestamp` has the seconds of it.'),
    status: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'What was answered; `null`: nothing.',
      examples: [200],
    }),
    duration_ms: Type.Integer({ description: 'How long it took.', examples: [42] }),
    error: nullableText('What went wrong, if there was no answer.', null),
    answer: nullableText(
      'The first kilobyte of the answer; `null` once the contact that it may tell of was deleted.',
      'ok',
    ),
  },
  { title: 'Attempt' },
)
export type Attempt = Static<typeof Attempt>

export const DeliveryWithAttempts = Type.Object(
  {
    ...delivery,
    body: Type.String({
      description: 'What is sent, byte for byte.',
      examples: ['{"id":"019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa","type":"contact.created"}'],
    }),
    attempts: Type.Array(Attempt, { description: 'The latest 20, oldest first.' }),
  },
  { title: 'DeliveryWithAttempts' },
)
export type DeliveryWithAttempts = Static<typeof DeliveryWithAttempts>

export const DeliveryQuery = page.query({
  status: Type.Optional(oneOf(delivery_statuses, { description: 'Only those with this status.' })),
})
export type DeliveryQuery = Static<typeof DeliveryQuery>

export const ByDeliveryId = Type.Object({
  id: id("The endpoint's identifier."),
  delivery_id: id("The delivery's identifier."),
})

export const Recovery = Type.Object(
  { since: timestamp('Events from then on count.') },
  { title: 'Recovery', additionalProperties: false },
)

export const Recovered = Type.Object(
  { recovered: Type.Integer({ description: 'How many are sent.', examples: [3] }) },
  { title: 'Recovered' },
)
export type Recovered = Static<typeof Recovered>

export const InboxRequest = Type.Object(
  {
    id: id('Unique identifier.'),
    headers: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'As they came.',
      examples: [{ 'webhook-id': '019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa' }],
    }),
    body: Type.String({
      description: 'As it came; empty once the contact that it tells of was deleted.',
      examples: ['{}'],
    }),
    answered: oneOf(inbox_answers, { description: 'What it was answered.', examples: ['200'] }),
    steps: Type.Array(
      Type.Object({
        name: Type.String({ examples: ['signature'] }),
        is_ok: Type.Boolean({ examples: [true] }),
        detail: Type.String({ examples: ['One of the signatures is the one that the secret gives.'] }),
      }),
      { description: 'How the signature was checked, step by step, as any receiver would.' },
    ),
    created_at: timestamp('When it came.'),
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
