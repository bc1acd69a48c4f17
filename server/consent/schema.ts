import { type Static, Type } from 'typebox'
import { PhoneNumber } from '../contacts/phone.ts'
import { body, id, oneOf, optionalText, timestamp } from '../kit/field.ts'
import * as page from '../kit/postgres/page.ts'

export const kinds = ['voice', 'sms', 'all'] as const
const statuses = ['granted', 'revoked'] as const
const sources = ['sms_keyword', 'voice_request', 'api', 'import', 'dashboard'] as const
export type Kind = (typeof kinds)[number]
export type Status = (typeof statuses)[number]
export type Source = (typeof sources)[number]

const kind = oneOf(kinds, { description: 'Calls, messages, or both.', examples: ['sms'] })
const status = oneOf(statuses, {
  description: 'Whether the person has agreed (`granted`) or opted out (`revoked`).',
  examples: ['revoked'],
})
const source_text =
  '`sms_keyword`: by a word such as STOP, or a sentence, by SMS. `voice_request`: in a call. `api`: with an API key, or in words over the API or in a web chat. `import`: with an import. ' +
  '`dashboard`: by a person in the dashboard.'

export const Consent = Type.Object(
  {
    id: id('The unique id of the entry. Treat it as opaque.'),
    contact_id: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'uuid',
      description: 'The contact. `null` after it was deleted, or when there was none.',
      examples: ['019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa'],
    }),
    kind,
    status,
    source: oneOf(sources, { description: `How the consent was given or revoked. ${source_text}`, examples: ['api'] }),
    evidence: Type.Unsafe<Record<string, unknown> | null>({
      type: ['object', 'null'],
      additionalProperties: true,
      description: 'What shows that it happened, such as the id of a message or the name of a form.',
      examples: [{ form: 'newsletter' }],
    }),
    created_at: timestamp('When the entry was added.'),
  },
  { title: 'Consent' },
)
export type Consent = Static<typeof Consent>

export const NewConsent = body(
  'NewConsent',
  {
    kind,
    status,
    evidence: Type.Optional(
      Type.Unsafe<Record<string, string> | null>({
        type: ['object', 'null'],
        additionalProperties: { type: 'string', maxLength: 500 },
        description:
          'What shows that it happened: at most 20 members, with names of up to 40 characters and texts of up to 500. It is kept ' +
          "forever, also after the contact is deleted, so don't put personal data there, such as the phone number or a name.",
        examples: [{ form: 'newsletter' }],
      }),
    ),
  },
  Consent,
)
export type NewConsent = Static<typeof NewConsent>

export const ConsentQuery = page.query(
  {
    kind: Type.Optional(oneOf(kinds, { description: 'Returns entries of this kind.' })),
    status: Type.Optional(oneOf(statuses, { description: 'Returns entries with this status.' })),
  },
  ['-seq', 20],
)
export type ConsentQuery = Static<typeof ConsentQuery>

export const ContactConsentQuery = page.query({}, ['-seq', 20])

export const Verification = Type.Object(
  {
    is_valid: Type.Boolean({ description: 'Whether all entries are as they were added.', examples: [true] }),
    rows: Type.Integer({
      description: 'How many entries were checked. The check ends at the first one that is broken.',
      examples: [1042],
    }),
    first_broken_id: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'uuid',
      description:
        'The first entry that was changed, or that follows one that was removed. `null` if there is none, also when the last ' +
        'entries were removed.',
      examples: [null],
    }),
  },
  { title: 'Verification' },
)
export type Verification = Static<typeof Verification>

const suppressed_number = Type.Unsafe<string>({
  ...PhoneNumber,
  description: 'The number, in E.164 form. It need not be that of a contact.',
})

export const Suppression = Type.Object(
  {
    id: id('The unique id of the suppression. Treat it as opaque.'),
    phone_number: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The number, in E.164 form. `null` after the person was erased.',
      examples: ['+14155550100'],
    }),
    is_erased: Type.Boolean({
      description:
        'Whether the person was erased. The suppression then has a keyed hash instead of the number, and still holds, in any spelling of it.',
      examples: [false],
    }),
    kind,
    reason: optionalText({ maxLength: 500, description: 'Why, in your words.', examples: ['Wrong number'] }),
    created_at: timestamp('When the suppression was created.'),
  },
  { title: 'Suppression' },
)
export type Suppression = Static<typeof Suppression>

export const NewSuppression = body(
  'NewSuppression',
  {
    phone_number: suppressed_number,
    kind: Type.Optional(
      oneOf(kinds, { description: 'Calls, messages, or both. The default is `all`.', examples: ['sms'] }),
    ),
    reason: Type.Optional(Suppression.properties.reason),
  },
  Suppression,
)
export type NewSuppression = Static<typeof NewSuppression>

export const SuppressionQuery = page.query({
  phone_number: Type.Optional(
    Type.Unsafe<string>({ ...PhoneNumber, description: 'Returns the suppressions of this number, in any spelling.' }),
  ),
  kind: Type.Optional(oneOf(kinds, { description: 'Returns suppressions of this kind.' })),
})
export type SuppressionQuery = Static<typeof SuppressionQuery>
