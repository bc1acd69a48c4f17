import { Type } from 'typebox'
import type { EventType } from '../events/catalog.ts'
import { OnlyId } from '../events/schema.ts'
import { Contact, ContactWithCrmIds } from './schema.ts'

const scope = 'contacts:read'

/** Deleting a contact reduces its events to its id. */
const data = Type.Union([ContactWithCrmIds, OnlyId])

export const event_types = {
  created: {
    name: 'contact.created',
    description: 'A contact was created, in whatever way. Once the contact is deleted, `data` holds its `id` only.',
    data,
    scope,
  },
  updated: {
    name: 'contact.updated',
    description:
      'A contact was changed, or its `crm_ids`. `previous` has the former values of what changed. Once the contact is ' +
      'deleted, `data` holds its `id` only, and `previous` is gone.',
    data,
    previous: Type.Partial(Type.Object({ ...Contact.properties, crm_ids: ContactWithCrmIds.properties.crm_ids })),
    scope,
  },
  deleted: { name: 'contact.deleted', description: 'A contact was deleted.', data: OnlyId, scope },
} satisfies Record<string, EventType>
