import { type Static, Type } from 'typebox'
import { json_filters } from '../contacts/schema.ts'
import { variables } from '../conversations/schema.ts'
import { id } from '../kit/field.ts'
import { total } from './schema.ts'

export const enroll_at_once_max = 1_000
const enroll_max = 10_000
export const enrollments_max = 1_000_000
const { sort: _sort, ...contact_filters } = json_filters

/** Exactly one of the members is given. */
export const NewEnrollments = Type.Object(
  {
    contact_ids: Type.Optional(
      Type.Array(Type.String({ format: 'uuid' }), { maxItems: enroll_max, description: 'The contacts.' }),
    ),
    contacts: Type.Optional(
      Type.Array(
        Type.Object(
          { contact_id: id('The contact.'), variables: Type.Optional(variables) },
          { additionalProperties: false },
        ),
        { maxItems: enroll_max, description: 'The contacts, with values that the agent may use.' },
      ),
    ),
    filter: Type.Optional(
      Type.Object(contact_filters, {
        additionalProperties: false,
        description:
          'All contacts that match, as in the list of contacts. `tag` and `custom_field` take a text, or a list of which all must match.',
      }),
    ),
  },
  {
    title: 'NewEnrollments',
    additionalProperties: false,
    examples: [{ filter: { tag: ['customer'] } }],
  },
)
export type NewEnrollments = Static<typeof NewEnrollments>

export const Enrolled = Type.Object(
  {
    enrolled: total('Contacts that were enrolled. The rest follows in the background when the status is 202.', 2),
    already_enrolled: total('Contacts that were in the campaign before.', 0),
  },
  { title: 'Enrolled' },
)
/** The result for contacts that were enrolled in part. */
export interface PartlyEnrolled extends Enrolled {
  /** The number of contacts for which the campaign has no room. */
  not_enrolled: number
}

export type Enrolled = Static<typeof Enrolled>
