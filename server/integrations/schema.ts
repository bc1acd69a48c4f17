import { type Static, Type } from 'typebox'
import { DefaultCountry, type Field, fields, NewContact } from '../contacts/schema.ts'
import { isSigningSecret, signing_secret_pattern } from '../kit/crypto/signing.ts'
import { body, check, id, oneOf, optionalText, optionalTimestamp, text, timestamp } from '../kit/field.ts'
import { hashState } from '../kit/http/etag.ts'
import { isPointer } from '../kit/pointer.ts'
import * as page from '../kit/postgres/page.ts'

const pointer_length_max = 500

export type FieldMap = Partial<Record<Field, string>> & { crm_ids?: Record<string, string> }
/** As it is said: `null` is as good as nothing. */
export type SaidMap = Partial<Record<Field, string | null>> & { crm_ids?: Record<string, string | null> }

export const outcomes = ['created', 'updated', 'unchanged', 'refused'] as const

const name = text({ maxLength: 200, description: 'What sends to it.', examples: ['Contact form'] })
const status = oneOf(['active', 'disabled'], {
  description: 'A disabled one takes nothing: its address answers 409.',
  examples: ['active'],
})
const pointer = {
  maxLength: pointer_length_max,
  // No text can be read in two ways, or a refusal would take for ever.
  pattern: '^#?(/([^/~]|~[01])*)*$',
  examples: ['/answers/phone'],
}
const Pointer = optionalText({
  ...pointer,
  [check]: (said) =>
    isPointer(said) ? undefined : { code: 'format', message: 'must be a JSON pointer such as /answers/0/phone.' },
})
const mapOf = (value: object) => ({
  type: 'object',
  properties: {
    ...Object.fromEntries(fields.map((field) => [field, value])),
    crm_ids: { type: 'object', additionalProperties: value, description: 'By the name of the CRM system.' },
  },
  additionalProperties: false,
  description:
    'Which value of the JSON that arrives goes into which field of the contact: JSON pointers (RFC 6901). Without ' +
    '`phone_number` nothing can be made of it yet. `tags` may be a list, or a text with commas. A value that is missing, ' +
    '`null` or empty leaves the field as it is.',
  examples: [{ phone_number: '/answers/phone', first_name: '/answers/name', crm_ids: { hubspot: '/id' } }],
})

export const Integration = Type.Object(
  {
    id: id('Unique identifier; treat it as opaque.'),
    name,
    status,
    url: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description:
        'Where JSON is posted to. Who knows it can send to it. `null`: it was sealed with another `SECRETS_KEY` than there is ' +
        'now, and still leads here, but can no longer be shown.',
      examples: ['https://parley.example.com/in/3hJ0Xw5rQm8yVtZbN1kLcP7sDfG2aUeI9oRiTqYxW4E'],
    }),
    field_map: Type.Unsafe<FieldMap>(mapOf({ type: 'string' })),
    default_country: Type.Unsafe<string | null>({ type: ['string', 'null'], examples: ['US'] }),
    is_signed: Type.Boolean({
      description: 'Whether only what is signed with its `signing_secret` is taken.',
      examples: [false],
    }),
    last_received_at: optionalTimestamp('When something last arrived; `null`: never, or more than 30 days ago.'),
    created_at: timestamp('When it was created.'),
    updated_at: timestamp('When it was last changed.'),
  },
  { title: 'Integration' },
)
export type Integration = Static<typeof Integration>

/** What arrives is no change of the integration, but is shown. */
export const stateOf = ({ updated_at, last_received_at, url }: Integration): string =>
  hashState(updated_at, last_received_at, url)

const map = {
  field_map: Type.Optional(Type.Unsafe<SaidMap>(mapOf(Pointer))),
  default_country: Type.Optional(DefaultCountry),
}
const settings = {
  ...map,
  signing_secret: Type.Optional(
    optionalText({
      maxLength: 200,
      description:
        'Of Standard Webhooks: `whsec_` and 24 to 64 bytes in base64. With it only what is signed is taken, and what has ' +
        'the same `webhook-id` is done once. `null`: not signed. It is never shown.',
      pattern: signing_secret_pattern,
      examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      [check]: (said) =>
        isSigningSecret(said)
          ? undefined
          : { code: 'format', message: 'must be whsec_ and 24 to 64 bytes in base64, as the sender gives it.' },
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

const outcome = { description: 'What became of it.', examples: ['created'] }
const reasons = Type.Array(Type.String(), { description: 'Why it was refused.', examples: [[]] })
const contact_id = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  format: 'uuid',
  description: 'The contact that it made, changed or met.',
  examples: ['019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa'],
})

export const Receipt = Type.Object(
  {
    id: id('Unique identifier.'),
    outcome: oneOf(outcomes, outcome),
    reasons,
    contact_id,
    payload: Type.Unsafe<unknown>({
      description:
        'The JSON that arrived. `null` when it was none, had more than 64 kB or a wrong signature, and once the contact is deleted.',
      examples: [{ answers: { phone: '+14155550100', name: 'Ada' } }],
    }),
    received_at: timestamp('When it arrived.'),
  },
  { title: 'Receipt' },
)
export type Receipt = Static<typeof Receipt>

/** What a sender is told. */
export const Received = Type.Object(
  {
    receipt_id: id('The receipt that says more.'),
    outcome: oneOf([...outcomes, 'repeated'], outcome),
    contact_id,
  },
  { title: 'Received' },
)
export type Received = Static<typeof Received>

export const Sample = Type.Object(
  {
    sample: Type.Unsafe<unknown>({
      description: 'JSON as it would arrive.',
      examples: [{ answers: { phone: '+14155550100', name: 'Ada' } }],
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
        ...Object.fromEntries(fields.map((field) => [field, properties[field]])),
        crm_ids: { type: 'object', additionalProperties: { type: 'string' } },
      },
      description: 'What it says of the contact; `null` when it is refused.',
      examples: [{ phone_number: '+14155550100', first_name: 'Ada' }],
    }),
  },
  { title: 'DryRun' },
)
export type DryRun = Static<typeof DryRun>

export const ByToken = Type.Object({ token: text({ pattern: '^[\\w-]{43}$' }) })

export const IntegrationQuery = page.query({})
export const ReceiptQuery = page.query({
  outcome: Type.Optional(oneOf(outcomes, { description: 'Only receipts with this outcome.' })),
})
export type ReceiptQuery = Static<typeof ReceiptQuery>
