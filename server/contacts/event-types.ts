import { Type } from 'typebox'
import type { EventType } from '../events/catalog.ts'
import { OnlyId } from '../events/schema.ts'
import { Contact, ContactWithCrmIds } from './schema.ts'

const scope = 'contacts:read'

/** Deleting a contact reduces its events to its id. */
const data = Type.Union([ContactWithCrmIds, OnlyId])
const changing = Type.Object({ ...Contact.properties, crm_ids: ContactWithCrmIds.properties.crm_ids })
const previous = Type.Partial(changing, { title: 'PreviousContact' })

export const event_types = {
  created: {
    name: 'contact.created',
    description: 'A contact was created. After the contact is deleted, `data` has only its `id`.',
    data,
    scope,
  },
  updated: {
    name: 'contact.updated',
    description:
      'A contact or its `crm_ids` were changed. `previous` has the previous values of the changed fields. After the ' +
      'contact is deleted, `data` has only its `id`, and there is no `previous`.',
    data,
    previous,
    scope,
  },
  deleted: { name: 'contact.deleted', description: 'A contact was deleted.', data: OnlyId, scope },
} satisfies Record<string, EventType>
