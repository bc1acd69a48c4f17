import { Type } from 'typebox'
import { ById } from '../kit/field.ts'
import * as operation from '../kit/http/operation.ts'
import { setCrmId } from './crm-ids.ts'
import { exportCsv } from './export.ts'
import { isFiltered, list } from './find.ts'
import * as schema from './schema.ts'
import * as contacts from './store.ts'

const Deleted = Type.Object({ deleted: Type.Literal(true) }, { title: 'Deleted' })

/** The `source` of a contact, by how its creator was authenticated. */
const source_of = { key: 'api', session: 'manual', token: 'webhook' } as const

export const operations: operation.Operation[] = [
  operation.list({
    id: 'contacts.list',
    path: '/contacts',
    scope: 'contacts:read',
    summary: 'List contacts',
    description:
      'Newest first unless `sort` says otherwise. Filters narrow each other; `total` is exact for any of them.',
    query: schema.ContactQuery,
    items: schema.Contact,
    isExpensive: isFiltered,
    run: (at, { query }) => list(at, query),
  }),
  operation.file({
    id: 'contacts.export',
    path: '/contacts/export',
    scope: 'contacts:read',
    summary: 'Export contacts',
    description:
      'All contacts that the filters of "List contacts" find, as CSV. `tags` are separated by semicolons; a tag ' +
      'that holds `,`, `;` or `|` stands in double quotes, with those inside doubled. A cell that a ' +
      'spreadsheet might take for a formula, since it begins with = + - @ tab or CR, has an apostrophe before it; a plus ' +
      'and digits alone, such as a phone number, has not. An import reads all of that back.',
    query: schema.ExportQuery,
    file: {
      content_type: 'text/csv; charset=utf-8',
      name: 'contacts.csv',
      example: 'id,phone_number,first_name\r\n019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa,+14155550100,Ada\r\n',
    },
    isExpensive: isFiltered,
    run: (at, { query }) => exportCsv(at, query),
  }),
  operation.writeMany({
    id: 'contacts.create',
    method: 'POST',
    path: '/contacts',
    scope: 'contacts:write',
    summary: 'Create a contact',
    description:
      'The contact has the source `api`. A phone number that is in use gives 409 `CONFLICT`, with its holder in ' +
      '`details.existing_id`. The answer has no `first_contact_at`, `last_contact_at` and `crm_ids`: see "Get a contact".',
    body: schema.NewContact,
    errors: ['CONFLICT'],
    response: schema.ContactCreated,
    status: 201,
    run: (at, calls) =>
      contacts.create(
        at,
        calls.map(({ body, caller }) => ({ ...body, source: source_of[caller.authenticated_by] })),
      ),
  }),
  operation.get({
    id: 'contacts.get',
    path: '/contacts/:id',
    scope: 'contacts:read',
    summary: 'Get a contact',
    description: 'With its `crm_ids`.',
    params: ById,
    response: schema.ContactWithCrmIds,
    run: (at, { params }) => contacts.get(at, params.id),
  }),
  operation.writeMany({
    id: 'contacts.update',
    method: 'PATCH',
    path: '/contacts/:id',
    scope: 'contacts:write',
    summary: 'Update a contact',
    description:
      'Fields that are not sent keep their values; `tags` replaces the tags as a whole; `null` or `""` clears a field, ' +
      'but never `phone_number`. With `{}` nothing changes. With `If-Match` a stale `ETag` gives 412.',
    params: ById,
    body: schema.ContactChange,
    errors: ['CONFLICT'],
    response: schema.Contact,
    run: (at, calls) =>
      contacts.update(
        at,
        calls.map(({ params, body, is_current }) => ({ id: params.id, change: body, is_current })),
      ),
  }),
  operation.write({
    id: 'contacts.delete',
    method: 'DELETE',
    path: '/contacts/:id',
    scope: 'contacts:write',
    summary: 'Delete a contact',
    description:
      'Permanent and irreversible; a second time gives 404. ' +
      'What the event log, deliveries, import rows and receipts of integrations hold of the person is reduced to the id.',
    params: ById,
    response: Deleted,
    run: (at, { params, is_current }) => contacts.remove(at, { id: params.id, is_current }),
  }),
  operation.write({
    id: 'contacts.set_crm_id',
    method: 'PUT',
    path: '/contacts/:id/crm_ids/:system',
    scope: 'contacts:write',
    summary: "Set a contact's id in a CRM system",
    description:
      'One contact per system and id in a workspace: another one gives 409. Counts as an update of the contact.',
    params: schema.ByCrmSystem,
    body: schema.CrmId,
    errors: ['CONFLICT'],
    response: schema.ContactWithCrmIds,
    run: (at, { params, body, is_current }) => setCrmId(at, { ...params, crm_id: body.id, is_current }),
  }),
  operation.write({
    id: 'contacts.delete_crm_id',
    method: 'DELETE',
    path: '/contacts/:id/crm_ids/:system',
    scope: 'contacts:write',
    summary: "Remove a contact's id in a CRM system",
    description: 'Counts as an update of the contact. 404 when there is none.',
    params: schema.ByCrmSystem,
    response: schema.ContactWithCrmIds,
    run: (at, { params, is_current }) => setCrmId(at, { ...params, crm_id: undefined, is_current }),
  }),
]
