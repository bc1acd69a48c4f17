import { type Static, Type } from 'typebox'
import {
  custom_field_names,
  custom_fields_max,
  DefaultCountry,
  type Field,
  fields,
  NewContact,
} from '../contacts/schema.ts'
import { isSigningSecret, signing_secret_pattern } from '../kit/crypto/signing.ts'
import { body, check, id, oneOf, optionalText, optionalTimestamp, text, timestamp } from '../kit/field.ts'
import { hashState } from '../kit/http/etag.ts'
import { isPointer } from '../kit/json.ts'
import * as page from '../kit/postgres/page.ts'

const pointer_length_max = 500
const token_example = '3hJ0Xw5rQm8yVtZbN1kLcP7sDfG2aUeI9oRiTqYxW4E'

export type FieldMap = Partial<Record<Field, string>> & {
  custom_fields?: Record<string, string>
  crm_ids?: Record<string, string>
}
/** A field map as clients send it. `null` means that the field is not mapped. */
export type FieldMapInput = Partial<Record<Field, string | null>> & {
  custom_fields?: Record<string, string | null>
  crm_ids?: Record<string, string | null>
}

const outcomes = ['created', 'updated', 'unchanged', 'refused'] as const
const received_outcomes = ['created', 'updated', 'unchanged', 'repeated'] as const

export const payload_example = { answers: { phone: '+14155550100', name: 'Ada' }, id: '301' }

const name = text({
  maxLength: 200,
  description: 'A name for people, such as what sends to it.',
  examples: ['Contact form'],
})
const status = oneOf(['active', 'disabled'], {
  description: 'A disabled integration accepts nothing: its URL returns 409.',
  examples: ['active'],
})
const pointer = {
  maxLength: pointer_length_max,
  // The pattern is unambiguous, so that matching never backtracks.
  pattern: '^#?(/([^/~]|~[01])*)*$',
  examples: ['/answers/phone'],
}
const Pointer = optionalText({
  ...pointer,
  [check]: (value) =>
    isPointer(value) ? undefined : { code: 'format', message: 'must be a JSON pointer such as /answers/0/phone.' },
})
const fieldMapSchema = (title: string, value: object) => ({
  title,
  type: 'object',
  properties: {
    ...Object.fromEntries(fields.map((field) => [field, value])),
    custom_fields: {
      type: 'object',
      propertyNames: custom_field_names,
      additionalProperties: value,
      maxProperties: custom_fields_max,
      description: 'Pointers by the name of the custom field.',
    },
    crm_ids: { type: 'object', additionalProperties: value, description: 'Pointers by the name of the CRM system.' },
  },
  additionalProperties: false,
  description:
    'The JSON pointer (RFC 6901) to the value of each contact field. Payloads are refused until `phone_number` is mapped. ' +
    'The value of `tags` may be a list, or a text with commas. A missing, `null` or empty value leaves the field unchanged.',
  examples: [{ phone_number: '/answers/phone', first_name: '/answers/name', crm_ids: { hubspot: '/id' } }],
})

export const Integration = Type.Object(
  {
    id: id('The unique id of the integration. Treat it as opaque.'),
    name,
    status,
    url: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description:
        'The URL to post JSON to. Anyone who knows it can send. `null` if it was encrypted with another `SECRETS_KEY`: the URL ' +
        'still works, but can no longer be shown.',
      examples: [`https://parley.example.com/in/${token_example}`],
    }),
    field_map: Type.Unsafe<FieldMap>(fieldMapSchema('FieldMap', { type: 'string' })),
    default_country: Type.Unsafe<string | null>({ type: ['string', 'null'], examples: ['US'] }),
    is_signed: Type.Boolean({
      description: 'Whether requests must be signed with the `signing_secret`.',
      examples: [false],
    }),
    last_received_at: optionalTimestamp('When it last received a request; `null` if never, or more than 30 days ago.'),
    created_at: timestamp('When it was created.'),
    updated_at: timestamp('When it was last changed.'),
  },
  { title: 'Integration' },
)
export type Integration = Static<typeof Integration>

/**
 * Returns the version of an integration without `last_received_at`: while requests arrive, a change with If-Match would
 * never succeed.
 */
export const integrationVersion = ({ updated_at, url }: Integration): string => hashState(updated_at, url)

const map = {
  field_map: Type.Optional(Type.Unsafe<FieldMapInput>(fieldMapSchema('FieldMapInput', Pointer))),
  default_country: Type.Optional(DefaultCountry),
}
const settings = {
  ...map,
  signing_secret: Type.Optional(
    optionalText({
      maxLength: 200,
      description:
        'A secret of Standard Webhooks: `whsec_` and 24 to 64 bytes in base64. With it, requests must be signed, and a ' +
        'repeated `webhook-id` has no effect. `null` turns signing off. The secret is never returned.',
      pattern: signing_secret_pattern,
      examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      [check]: (value) =>
        isSigningSecret(value)
          ? undefined
          : { code: 'format', message: 'must be whsec_ and 24 to 64 bytes in base64. Copy it from the sender.' },
    }),
  ),
}

export const NewIntegration = body('NewIntegration', { name, ...settings }, Integration)
export type NewIntegration = Static<typeof NewIntegration>

export const IntegrationChange = body(
  'IntegrationChange',
  { name: Type.Optional(name), status: Type.Optional(status), ...settings },
  Integration,
)
export type IntegrationChange = Static<typeof IntegrationChange>

const outcome = { description: 'What happened to the contact.', examples: ['created'] }
const reasons = Type.Array(Type.String(), { description: 'Why the payload was refused.', examples: [[]] })
const contact_id = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  format: 'uuid',
  description: 'The contact that was created, updated or found.',
  examples: ['019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa'],
})

export const Receipt = Type.Object(
  {
    id: id('The unique id of the receipt.'),
    outcome: oneOf(outcomes, outcome),
    reasons,
    contact_id,
    payload: Type.Unsafe<unknown>({
      description:
        'The JSON that was received. `null` if it was not valid JSON, larger than 64 kB or not signed correctly, and after the ' +
        'contact is deleted.',
      examples: [payload_example],
    }),
    received_at: timestamp('When it was received.'),
  },
  { title: 'Receipt' },
)
export type Receipt = Static<typeof Receipt>

/** The response to the sender. */
export const Received = Type.Object(
  {
    receipt_id: id('The receipt of this request, or of the first one with the same `webhook-id`.'),
    outcome: oneOf(received_outcomes, {
      description: `${outcome.description} \`repeated\`: a request with the same \`webhook-id\` was accepted before.`,
      examples: outcome.examples,
    }),
    contact_id: Type.Unsafe<string | null>({
      ...contact_id,
      description: 'The contact that was created, updated or found; `null` if `repeated`.',
    }),
  },
  { title: 'Received' },
)
export type Received = Static<typeof Received>

export const Sample = Type.Object(
  {
    sample: Type.Unsafe<unknown>({
      description: 'JSON as the sender would post it.',
      examples: [payload_example],
    }),
    ...map,
  },
  { title: 'Sample', additionalProperties: false },
)
export type Sample = Static<typeof Sample>

const { properties } = NewContact as unknown as { properties: Record<string, object> }

export const DryRun = Type.Object(
  {
    outcome: oneOf(outcomes, outcome),
    reasons,
    contact_id,
    contact: Type.Unsafe<Record<string, unknown> | null>({
      type: ['object', 'null'],
      properties: {
        ...Object.fromEntries([...fields, 'custom_fields'].map((field) => [field, properties[field]])),
        crm_ids: { type: 'object', additionalProperties: { type: 'string' } },
      },
      description: 'The fields that the sample sets; `null` if it is refused.',
      examples: [{ phone_number: '+14155550100', first_name: 'Ada' }],
    }),
  },
  { title: 'DryRun' },
)
export type DryRun = Static<typeof DryRun>

export const ByToken = Type.Object({
  token: text({
    pattern: '^[\\w-]{43}$',
    description: "The last part of the integration's `url`.",
    examples: [token_example],
  }),
})

const header = (description: string, example: string) =>
  Type.Optional(Type.String({ description, examples: [example] }))

/** The headers of Standard Webhooks. */
export const SignatureHeaders = Type.Object({
  'webhook-id': header(
    'A unique id of the message. Required if the integration has a signing secret.',
    'msg_2Yw1xkQbN8',
  ),
  'webhook-timestamp': header(
    'When the message was signed, in seconds since 1970. At most 5 minutes from now.',
    '1794735000',
  ),
  'webhook-signature': header(
    'One or more signatures, separated by spaces: `v1,` and an HMAC-SHA256 in base64.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
})

export const IntegrationQuery = page.query({})
export const ReceiptQuery = page.query(
  {
    outcome: Type.Optional(oneOf(outcomes, { description: 'Only receipts with this outcome.' })),
  },
  ['-received_at', '2026-11-15T09:30:00.000Z'],
)
export type ReceiptQuery = Static<typeof ReceiptQuery>
