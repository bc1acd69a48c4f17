import { type Static, Type } from 'typebox'
import {
  allOptional,
  also_called,
  body,
  check,
  checked_apart,
  email,
  id,
  multiline,
  oneOf,
  optionalText,
  optionalTimestamp,
  text,
  timestamp,
} from '../kit/field.ts'
import { batchResults } from '../kit/http/envelope.ts'
import * as page from '../kit/postgres/page.ts'
import { PhoneNumber } from './phone.ts'

export { DefaultCountry } from '../workspaces/countries.ts'

const tag_length_max = 64
const tags_max = 50
const crm_id_length_max = 255

const Tag = text({ maxLength: tag_length_max })

const profile = {
  first_name: optionalText({ maxLength: 100, examples: ['Ada'] }),
  last_name: optionalText({ maxLength: 100, examples: ['Lovelace'] }),
  display_name: optionalText({ maxLength: 200, examples: [null] }),
  email: optionalText({
    ...email,
    description: 'Stored as sent. Several contacts may have the same email.',
    examples: ['ada@example.com'],
  }),
  company: optionalText({ maxLength: 200, examples: ['Analytical Engines'] }),
  time_zone: optionalText({
    format: 'time-zone',
    description:
      "The contact's time zone, as an IANA name. Campaigns and agents use it. Without it campaigns use the zones that the number " +
      'may be in, and agents use the only one that it can be in, or that of the workspace.',
    examples: ['America/New_York'],
  }),
  notes: optionalText({
    maxLength: 2000,
    ...multiline,
    description: 'Internal notes. Tabs and line breaks are allowed.',
    examples: [null],
  }),
}

const tags = {
  description: 'Tags that categorize the contact. Of tags that differ only in case, the first one is kept.',
  examples: [['vip', 'newsletter']],
}

const custom_field_name = '[a-z][a-z0-9_]{0,49}'
const custom_field_length_max = 500
export const custom_fields_max = 50
export const custom_field_names = { pattern: `^${custom_field_name}$` }
const custom_fields = {
  type: 'object',
  propertyNames: custom_field_names,
  description:
    'Fields of your own: at most 50 texts of up to 500 characters, numbers and booleans. Names have 1 to 50 lower-case letters, ' +
    'digits and `_`, and begin with a letter.',
  examples: [{ plan: 'gold', seats: 12, is_partner: true }],
}

type CustomField = string | number | boolean
export type CustomFields = Record<string, CustomField>

/**
 * Returns the value of a custom field, which may be named like a property that every object has, such as `constructor`.
 */
export const customField = (
  { custom_fields }: { custom_fields: CustomFields },
  name: string,
): CustomField | undefined => (Object.hasOwn(custom_fields, name) ? custom_fields[name] : undefined)

const CustomFields = Type.Unsafe<CustomFields>({
  title: 'CustomFields',
  ...custom_fields,
  additionalProperties: { type: ['string', 'number', 'boolean'] },
  maxProperties: custom_fields_max,
})

/** Sets the fields that are given. `null` removes one, or all. */
const customFieldsChange = (maxProperties: number) =>
  Type.Optional(
    Type.Unsafe<Record<string, CustomField | null> | null>({
      ...custom_fields,
      type: ['object', 'null'],
      additionalProperties: { type: ['string', 'number', 'boolean', 'null'], maxLength: custom_field_length_max },
      maxProperties,
      description: `${custom_fields.description} \`null\` removes one. Those that are not sent keep their values.`,
    }),
  )

/** How imports, exports and agents name a custom field. */
export type CustomFieldPath = `custom_fields.${string}`
/** The path of a custom field, such as `custom_fields.plan`, as part of a pattern. */
export const custom_field_path_pattern = `custom_fields\\.${custom_field_name}`
const custom_field_path = new RegExp(`^${custom_field_path_pattern}$`)
export const isCustomFieldPath = (name: string): name is CustomFieldPath => custom_field_path.test(name)
export const customFieldPath = (name: string): CustomFieldPath => `custom_fields.${name}`
/** Returns the name of the field at the path. */
export const customFieldName = (path: CustomFieldPath): string => path.slice('custom_fields.'.length)

export const sources = ['api', 'import', 'manual', 'inbound', 'webhook'] as const
const source_meanings =
  '`api`: created with the API. `import`: imported from a CSV file. `manual`: created in the dashboard. ' +
  '`inbound`: created by an inbound call or message. `webhook`: received by an integration.'

const common = {
  id: id('The unique id of the contact. Treat it as opaque.'),
  phone_number: PhoneNumber,
  ...profile,
  tags: Type.Array(Tag, { maxItems: tags_max, ...tags }),
  custom_fields: CustomFields,
  source: oneOf(sources, { description: `How the contact was created. ${source_meanings}`, examples: ['api'] }),
}
const contact_times = {
  first_contact_at: optionalTimestamp(
    'When the contact first wrote, called, answered a call, or was sent a message that the carrier accepted. `null` if never.',
  ),
  last_contact_at: optionalTimestamp('The same, for the last time.'),
}
const times = {
  created_at: timestamp('When the contact was created.'),
  updated_at: timestamp('When the contact was last updated. Every update makes it later.'),
}

export const crm_system = {
  pattern: '^[a-z0-9_-]{1,50}$',
  description: 'The name of the CRM system: 1 to 50 characters of a-z, 0-9, _ and -.',
}
export const crm_ids_max = 50
const crm_ids_meaning = 'The ids of this contact in external CRM systems, by the name of the system.'
const crm_ids_example = { examples: [{ hubspot: '301' }] }

export type CrmIds = Record<string, string>

const crm_ids = {
  crm_ids: Type.Unsafe<CrmIds>({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: crm_ids_meaning,
    ...crm_ids_example,
  }),
}

/** Sets the ids that are given. `null` removes one, or all. */
const crmIdsChange = (maxProperties: number) =>
  Type.Optional(
    Type.Unsafe<Record<string, string | null> | null>({
      type: ['object', 'null'],
      propertyNames: { pattern: crm_system.pattern },
      additionalProperties: { type: ['string', 'null'], maxLength: crm_id_length_max },
      maxProperties,
      description:
        `${crm_ids_meaning} At most ${crm_ids_max}, each of 1 to ${crm_id_length_max} characters. Names have 1 to 50 characters of a-z, 0-9, _ and -. ` +
        'Two contacts can\'t have the same id in one system. `null` or `""` removes one. Those that are not sent keep their values. Only "Get a contact" returns them.',
      ...crm_ids_example,
    }),
  )

/** The answer of lists and updates, which don't read CRM ids. */
export const Contact = Type.Object({ ...common, ...contact_times, ...times }, { title: 'Contact' })
export type Contact = Static<typeof Contact>

/** The version includes these times, because a stamp changes what is shown, and not `updated_at`. */
export const contactVersion = ({ updated_at, first_contact_at, last_contact_at }: StampedContact): string =>
  [updated_at, first_contact_at, last_contact_at].filter(Boolean).join('_')

type StampedContact = Pick<Contact, 'updated_at'> & Partial<Pick<Contact, 'first_contact_at' | 'last_contact_at'>>

/** A new contact. It has no `custom_fields` if none were given. */
export const ContactCreated = Type.Object(
  { ...common, custom_fields: Type.Optional(CustomFields), ...times },
  { title: 'ContactCreated' },
)
export type ContactCreated = Static<typeof ContactCreated>

export const ContactWithCrmIds = Type.Object(
  { ...common, ...contact_times, ...times, ...crm_ids },
  { title: 'ContactWithCrmIds' },
)
export type ContactWithCrmIds = Static<typeof ContactWithCrmIds>

const editable = {
  ...allOptional(profile),
  tags: Type.Optional(
    Type.Unsafe<string[] | null>({ type: ['array', 'null'], items: Tag, maxItems: tags_max, ...tags }),
  ),
}

export const NewContact = body(
  'NewContact',
  {
    phone_number: PhoneNumber,
    ...editable,
    custom_fields: customFieldsChange(custom_fields_max),
    crm_ids: crmIdsChange(crm_ids_max),
  },
  ContactWithCrmIds,
)
export type NewContact = Static<typeof NewContact>

export const ContactChange = body(
  'ContactChange',
  {
    phone_number: Type.Optional(PhoneNumber),
    ...editable,
    // A change may remove as many fields as it adds.
    custom_fields: customFieldsChange(2 * custom_fields_max),
    crm_ids: crmIdsChange(2 * crm_ids_max),
  },
  ContactWithCrmIds,
)
export type ContactChange = Static<typeof ContactChange>

export const ByPhoneNumber = Type.Object({
  phone_number: Type.Unsafe<string>({
    ...PhoneNumber,
    description: 'E.164. Write `+` as `%2B`.',
  }),
})

const batch_operations_max = 100

export const ContactOperation = Type.Object(
  {
    op: oneOf(['create', 'update', 'upsert'], {
      description:
        '`create`: as "Create a contact". `update`: as "Update a contact", with `id`. `upsert`: as "Create or update a contact", ' +
        'with `phone_number`.',
    }),
    id: Type.Optional(Type.String({ description: 'The contact to update.' })),
    phone_number: Type.Optional(
      Type.String({ description: 'The phone number to create or update a contact by, in E.164 form.' }),
    ),
    data: Type.Unsafe<object>({
      type: 'object',
      additionalProperties: {},
      description: 'The body of the single request.',
    }),
  },
  { additionalProperties: false },
)
export type ContactOperation = Static<typeof ContactOperation>

export const ContactBatch = Type.Object(
  {
    operations: Type.Array(ContactOperation, { minItems: 1, maxItems: batch_operations_max, [checked_apart]: true }),
    atomic: Type.Optional(
      Type.Boolean({ description: 'Whether all operations take effect, or none. `false` if it is not sent.' }),
    ),
  },
  {
    title: 'ContactBatch',
    additionalProperties: false,
    examples: [
      {
        operations: [
          { op: 'create', data: { phone_number: '+14155550101', first_name: 'Grace' } },
          { op: 'upsert', phone_number: '+14155550100', data: { first_name: 'Ada', tags: ['vip'] } },
        ],
      },
    ],
  },
)
export type ContactBatch = Static<typeof ContactBatch>

/** A create answers with fewer fields than the others. */
export const ContactBatchResults = batchResults('ContactBatchResults', Type.Partial(Contact), {
  id: '019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa',
  phone_number: '+14155550101',
  first_name: 'Grace',
})

export const CrmId = Type.Object(
  {
    id: text({
      maxLength: crm_id_length_max,
      description: 'The id of the contact in the CRM system.',
      examples: ['301'],
    }),
  },
  { title: 'CrmId', additionalProperties: false },
)

export const ByCrmSystem = Type.Object({
  id: id('The id of the contact.'),
  system: text({ ...crm_system, examples: ['hubspot'] }),
})

/** The fields that imports and integrations can set. */
// The keys of a literal are those of its type.
export const fields = ['phone_number', ...(Object.keys(profile) as (keyof typeof profile)[]), 'tags'] as const
export type Field = (typeof fields)[number]

/** `NAME:VALUE`, as `custom_field` filters by it. */
const CustomFieldValue = text({
  maxLength: 50 + 1 + custom_field_length_max,
  pattern: `^${custom_field_name}:.`,
  examples: ['plan:gold'],
  [check]: (value) =>
    new RegExp(`^${custom_field_name}:.`).test(value)
      ? undefined
      : { code: 'format', message: 'must be a name, a colon and a value, such as plan:gold.' },
})

const sorts = ['created_at', '-created_at', 'updated_at', '-updated_at', 'last_contact_at', '-last_contact_at'] as const

const filters = {
  search: Type.Optional(
    text({
      maxLength: 200,
      description:
        'Returns contacts that have every word of this text, in any order, as a part of their phone number, first name, last name, ' +
        'display name, email or company. Ignores case and accents. Digits with spaces, dots, dashes, brackets or `+` are one word, ' +
        'and also match the digits of the phone number: `(415) 555-1003` finds `+14155551003`. In a search of more than ten words, what follows the ninth is found as it is. `%`, `_` and `\\` are plain characters.',
      examples: ['ada'],
      [also_called]: ['q', 'query'],
    }),
  ),
  tag: Type.Optional(
    Type.Array(Tag, {
      maxItems: tags_max,
      description: 'Returns contacts that have this tag. Ignores case. Repeat the parameter to require several tags.',
      examples: [['vip']],
    }),
  ),
  custom_field: Type.Optional(
    Type.Array(CustomFieldValue, {
      maxItems: custom_fields_max,
      description:
        'Returns contacts whose custom field has this value: `plan:gold`. Numbers and booleans are compared by their text: ' +
        '`seats:12`, `is_partner:true`. Repeat the parameter to require several.',
    }),
  ),
  phone_number: Type.Optional(
    Type.Unsafe<string>({
      ...PhoneNumber,
      description: 'Returns the contact that has exactly this phone number. Write `+` as `%2B` in a URL.',
    }),
  ),
  email: Type.Optional(
    text({
      ...email,
      description: 'Returns contacts that have exactly this email. Ignores the case of the letters A to Z.',
      examples: ['ada@example.com'],
    }),
  ),
  source: Type.Optional(oneOf(sources, { description: 'Returns contacts that were created in this way.' })),
  created_after: Type.Optional(timestamp('Returns contacts that were created after this time.')),
  created_before: Type.Optional(timestamp('Returns contacts that were created before this time.')),
  crm_system: Type.Optional(
    text({
      ...crm_system,
      description: 'Used together with `crm_id`: returns the contact that has this id in this CRM system.',
      examples: ['hubspot'],
    }),
  ),
  crm_id: Type.Optional(
    text({ maxLength: crm_id_length_max, description: 'Used together with `crm_system`.', examples: ['51'] }),
  ),
  sort: oneOf(sorts, {
    default: '-created_at',
    description: 'The field to sort by. A minus sorts in descending order. Contacts without a value come last.',
  }),
}

/** Filters in JSON, in which what may be repeated is a text or a list. */
export const json_filters = {
  ...filters,
  tag: textOrList(filters.tag, Tag),
  custom_field: textOrList(filters.custom_field, CustomFieldValue),
}

function textOrList(list: object, item: object) {
  return Type.Optional(Type.Unsafe<string | string[]>({ ...item, ...list, type: ['string', 'array'] }))
}

export const ContactQuery = page.query(filters)
export type ContactQuery = Static<typeof ContactQuery>

/** The filters and the sort of a list, without paging. */
export const ContactFilters = Type.Object(filters)
export type ContactFilters = Static<typeof ContactFilters>

export function parseSort(name: ContactQuery['sort']): page.Sort {
  const column = name.replace('-', '')
  return { name, column, is_descending: name.startsWith('-'), is_nullable: column === 'last_contact_at' }
}
