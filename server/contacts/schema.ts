import { type Static, Type } from 'typebox'
import {
  allOptional,
  body,
  email,
  id,
  multiline,
  oneOf,
  optionalText,
  optionalTimestamp,
  text,
  timestamp,
} from '../kit/field.ts'
import * as page from '../kit/postgres/page.ts'
import { PhoneNumber } from './phone.ts'

export { DefaultCountry } from './phone.ts'

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
    description: 'Kept as given; need not be unique.',
    examples: ['ada@example.com'],
  }),
  company: optionalText({ maxLength: 200, examples: ['Analytical Engines'] }),
  notes: optionalText({
    maxLength: 2000,
    ...multiline,
    description: 'Internal notes; tabs and line breaks are allowed.',
    examples: [null],
  }),
}

const tags = {
  description: 'Categorisation tags. Duplicates, without regard to case, are dropped; the first spelling stays.',
  examples: [['vip', 'newsletter']],
}

export const sources = ['api', 'import', 'manual', 'inbound', 'webhook'] as const
const source_meanings =
  '`api`: created via the API. `import`: from a CSV file. `manual`: in the dashboard. ' +
  '`inbound`: from an inbound call or message. `webhook`: from a webhook integration.'

const common = {
  id: id('Unique identifier; treat it as opaque.'),
  phone_number: PhoneNumber,
  ...profile,
  tags: Type.Array(Tag, { maxItems: tags_max, ...tags }),
  source: oneOf(sources, { description: `How the contact was added. ${source_meanings}`, examples: ['api'] }),
}
const contacted = {
  first_contact_at: optionalTimestamp('When an agent first spoke with the contact; `null` before that.'),
  last_contact_at: optionalTimestamp('When an agent last spoke with the contact; `null` before that.'),
}
const times = {
  created_at: timestamp('When it was created.'),
  updated_at: timestamp('When it was last changed; grows strictly with each update.'),
}
const crm_ids = {
  crm_ids: Type.Record(Type.String(), Type.String(), {
    description: "Names of external CRM systems, each with that system's identifier for this contact.",
    examples: [{ hubspot: '301' }],
  }),
}

/** As in lists and after an update. */
export const Contact = Type.Object({ ...common, ...contacted, ...times }, { title: 'Contact' })
export type Contact = Static<typeof Contact>

export const ContactCreated = Type.Object({ ...common, ...times }, { title: 'ContactCreated' })
export type ContactCreated = Static<typeof ContactCreated>

export const ContactWithCrmIds = Type.Object(
  { ...common, ...contacted, ...times, ...crm_ids },
  { title: 'ContactWithCrmIds' },
)
export type ContactWithCrmIds = Static<typeof ContactWithCrmIds>

const editable = {
  ...allOptional(profile),
  tags: Type.Optional(
    Type.Unsafe<string[] | null>({ type: ['array', 'null'], items: Tag, maxItems: tags_max, ...tags }),
  ),
}

export const NewContact = body('NewContact', { phone_number: PhoneNumber, ...editable }, ContactWithCrmIds)
export type NewContact = Static<typeof NewContact>

export const ContactChange = body(
  'ContactChange',
  { phone_number: Type.Optional(PhoneNumber), ...editable },
  ContactWithCrmIds,
)
export type ContactChange = Static<typeof ContactChange>

export const CrmId = Type.Object(
  { id: text({ maxLength: crm_id_length_max, description: "The external system's identifier.", examples: ['301'] }) },
  { title: 'CrmId', additionalProperties: false },
)

export const crm_system = {
  pattern: '^[a-z0-9_-]{1,50}$',
  description: 'The external system: 1 to 50 of a-z, 0-9, _ and -.',
}

export const ByCrmSystem = Type.Object({
  id: id("The contact's identifier."),
  system: text({ ...crm_system, examples: ['hubspot'] }),
})

/** What others can say of a contact. */
export const fields = [
  ...(['phone_number', 'first_name', 'last_name', 'display_name', 'email', 'company', 'notes', 'tags'] as const),
]
export type Field = (typeof fields)[number]

const sorts = ['created_at', '-created_at', 'updated_at', '-updated_at', 'last_contact_at', '-last_contact_at'] as const

const filters = {
  search: Type.Optional(
    text({
      maxLength: 200,
      description:
        'Partial match, without regard to case and accents, against phone number, first name, last name, ' +
        '"first last", display name and email. `%`, `_` and `\\` are plain characters.',
    }),
  ),
  tag: Type.Optional(
    Type.Array(Tag, {
      maxItems: tags_max,
      description: 'The whole tag, without regard to case. Given several times, all must match.',
    }),
  ),
  source: Type.Optional(oneOf(sources, { description: 'How the contact was added.' })),
  created_after: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only those created after this time.' }),
  ),
  created_before: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only those created before this time.' }),
  ),
  crm_system: Type.Optional(
    text({ ...crm_system, description: 'Together with `crm_id`: the contact known there so.' }),
  ),
  crm_id: Type.Optional(text({ maxLength: crm_id_length_max, description: 'Together with `crm_system`.' })),
  sort: oneOf(sorts, {
    default: '-created_at',
    description: 'The order; a minus turns it round. Those without the value come last.',
  }),
}

export const ContactQuery = page.query(filters)
export type ContactQuery = Static<typeof ContactQuery>

export const ExportQuery = Type.Object(filters)
export type ExportQuery = Static<typeof ExportQuery>

/** `sort=last_contact_at`: the only one of the sorts that can be without a value. */
export function sortOf(name: ContactQuery['sort']): page.Sort {
  const column = name.replace('-', '')
  return { name, column, is_descending: name.startsWith('-'), is_nullable: column === 'last_contact_at' }
}
