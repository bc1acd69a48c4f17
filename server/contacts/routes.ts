import { ById, Deleted } from '../kit/field.ts'
import * as operation from '../kit/http/operation.ts'
import { type RequestSchema, validate } from '../kit/http/validate.ts'
import { isObject } from '../kit/json.ts'
import { type Fault, invalid, Problem } from '../kit/problem.ts'
import { arrange } from './batch-order.ts'
import { exportCsv } from './export.ts'
import { isFiltered } from './filters.ts'
import { list } from './find.ts'
import * as schema from './schema.ts'
import { setCrmId } from './set-crm-id.ts'
import * as contacts from './store.ts'
import { type UpsertedContact, upsert } from './upsert.ts'

/** The `source` of a new contact, by how the caller was authenticated. */
const source_by_authentication = { key: 'api', command: 'api', session: 'manual', token: 'webhook' } as const

/** Leaves out `custom_fields` if there are none. */
function asCreated({ custom_fields, ...contact }: schema.Contact): schema.ContactCreated {
  return Object.keys(custom_fields).length === 0 ? contact : { ...contact, custom_fields }
}

const create_contact = operation.writeMany({
  id: 'contacts.create',
  method: 'POST',
  path: '/contacts',
  scope: 'contacts:write',
  is_audited: false,
  summary: 'Create a contact',
  description:
    'The contact gets the source `api`. If another contact has the phone number or one of the `crm_ids`, the response is 409 `CONFLICT` with the ' +
    'id of that contact in `details.existing_id`. The response of a create has no `first_contact_at`, `last_contact_at` and `crm_ids`, and no `custom_fields` if none were given. ' +
    'Use "Get a contact" to read these.',
  body: schema.NewContact,
  errors: ['CONFLICT'],
  response: schema.ContactCreated,
  version: schema.contactVersion,
  status: 201,
  run: async (at, requests) => {
    const inputs = requests.map(({ body, caller }) => ({
      ...body,
      source: source_by_authentication[caller.authenticated_by],
    }))
    return (await contacts.create(at, inputs)).map((one) => (one instanceof Problem ? one : asCreated(one)))
  },
})

const update_contact = operation.writeMany({
  id: 'contacts.update',
  method: 'PATCH',
  path: '/contacts/:id',
  scope: 'contacts:write',
  is_audited: false,
  summary: 'Update a contact',
  description:
    'Fields that are not sent keep their values. `tags` replaces all tags, and `custom_fields` and `crm_ids` change those that are sent. `null` or `""` clears any field but ' +
    '`phone_number`. `{}` changes nothing. With `If-Match`, an outdated `ETag` gives 412.',
  params: ById,
  body: schema.ContactChange,
  errors: ['CONFLICT'],
  response: schema.Contact,
  version: schema.contactVersion,
  run: (at, requests) =>
    contacts.update(
      at,
      requests.map(({ params, body, isCurrent }) => ({ id: params.id, change: body, isCurrent })),
    ),
})

const upsert_contact = operation.writeMany({
  id: 'contacts.upsert',
  method: 'PUT',
  path: '/contacts/by_phone_number/:phone_number',
  scope: 'contacts:write',
  tool: {
    name: 'upsert_contact',
    description:
      'Creates the contact with this phone number, or changes the fields that are given. Phone numbers are in the format +15551234567.',
  },
  is_audited: false,
  summary: 'Create or update a contact',
  description:
    'Creates the contact that has this phone number (201), or updates it as "Update a contact" does (200). If another contact has one of the `crm_ids`, the response is 409 `CONFLICT`. A `phone_number` in the ' +
    'body must be the one in the path. Safe to repeat: concurrent requests make one contact, and one that has all the values already stays as it is, without an event. With `If-Match`, a contact ' +
    'that has changed or does not exist gives 412. With `If-None-Match: *`, one that exists does.',
  params: schema.ByPhoneNumber,
  body: schema.ContactChange,
  errors: ['CONFLICT'],
  response: schema.Contact,
  version: schema.contactVersion,
  status: 201,
  isCreated: ({ is_created }: UpsertedContact) => is_created,
  collection: '/contacts',
  run: (at, requests) =>
    upsert(
      at,
      requests.map(({ params, body, caller, isCurrent }) => ({
        phone_number: params.phone_number,
        change: body,
        source: source_by_authentication[caller.authenticated_by],
        isCurrent,
      })),
    ),
})

/** Reads an operation of a batch. Each is checked alone, so that one of the wrong shape has an outcome of its own. */
function partOf(sent: unknown): operation.Part {
  if (!isObject(sent)) return noPart({ path: '', code: 'type', message: 'An operation must be an object.' })
  // `assertSupportedSchema` has checked that the schema uses no other keywords.
  const { value, faults } = validate(schema.ContactOperation as RequestSchema, sent)
  if (faults.length > 0) return noPart(...faults)
  const { op, data, ...names } = value as schema.ContactOperation
  const { named_by, operation } = batched[op]
  if (named_by === undefined) return { operation, params: {}, body: data }
  const name = names[named_by]
  if (name === undefined) return noPart({ path: named_by, code: 'required', message: `${named_by} is required.` })
  return { operation, params: { [named_by]: name }, body: data }
}

const noPart = (...faults: Fault[]): operation.Part => ({
  operation: create_contact,
  params: {},
  body: undefined,
  problem: invalid(faults),
})

/** Returns what names the contact of a valid part, which is a request of one of the operations of `batched`. */
function namedBy({ params, body }: operation.ValidRequest) {
  const { id, phone_number } = params as { id?: string; phone_number?: string }
  const { phone_number: sent } = body as { phone_number?: string }
  return {
    id,
    phone_number: id === undefined ? (phone_number ?? sent) : undefined,
    renames: id !== undefined && sent !== undefined,
  }
}

/** The operation of each part, and what names its contact. */
const batched = {
  create: { operation: create_contact, named_by: undefined },
  update: { operation: update_contact, named_by: 'id' },
  upsert: { operation: upsert_contact, named_by: 'phone_number' },
} as const

export const operations: operation.Operation[] = [
  operation.list({
    id: 'contacts.list',
    path: '/contacts',
    scope: 'contacts:read',
    tool: {
      name: 'find_contacts',
      description:
        'Finds contacts by words (name, email, company, digits of the phone number) or by filters. Without any, the newest.',
    },
    summary: 'List contacts',
    description:
      'Returns the newest contacts first, unless `sort` is set. Contacts must match all filters. `total` is always exact.',
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
      'Returns all contacts that match, as CSV. The filters are those of "List contacts". `tags` are separated by ' +
      'semicolons. Each custom field that is in use in the workspace has a column, such as `custom_fields.plan`. If more than 1,000 are in use, only 1,000 of them have columns: "List contacts" returns all. A tag that contains `,`, `;` or `|` is in double quotes, with double quotes inside it doubled. ' +
      'A cell that begins with = + - @ tab or CR gets a leading apostrophe, so that a spreadsheet does not run it as a ' +
      'formula, unless it is a plus sign and digits, such as a phone number. An import of up to 200 columns reverses all of this.',
    query: schema.ContactFilters,
    file: {
      content_type: 'text/csv; charset=utf-8',
      name: 'contacts.csv',
      example: 'id,phone_number,first_name\r\n019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa,+14155550100,Ada\r\n',
    },
    isExpensive: isFiltered,
    run: (at, { query }) => exportCsv(at, query),
  }),
  create_contact,
  operation.get({
    id: 'contacts.get',
    path: '/contacts/:id',
    scope: 'contacts:read',
    tool: { name: 'get_contact', description: 'Returns a contact by its id.' },
    summary: 'Get a contact',
    description: 'Returns the contact with its `crm_ids`.',
    params: ById,
    response: schema.ContactWithCrmIds,
    version: schema.contactVersion,
    run: (at, { params }) => contacts.get(at, params.id),
  }),
  update_contact,
  upsert_contact,
  operation.batch({
    id: 'contacts.batch',
    path: '/contacts/batch',
    scope: 'contacts:write',
    summary: 'Create and update many contacts',
    description:
      'Runs 1 to 100 operations in order. Each has the status and the `data` or `error` of the single request, and failed ones, also those of the wrong shape, ' +
      'do not keep the others from taking effect. With `atomic`, all take effect or none: if one fails, the response is its ' +
      'error, with `details.index`. `If-Match` and `If-None-Match` are ignored. A request with an `Idempotency-Key` that was interrupted goes on when it is repeated. Each ' +
      'operation counts as a request for the rate limit.',
    body: schema.ContactBatch,
    errors: ['NOT_FOUND', 'CONFLICT'],
    response: schema.ContactBatchResults,
    batch: ({ body }) => ({
      parts: body.operations.map(partOf),
      is_atomic: body.atomic ?? false,
      arrange: (at, parts) => arrange(at, parts.map(namedBy)),
    }),
  }),
  operation.write({
    id: 'contacts.delete',
    method: 'DELETE',
    path: '/contacts/:id',
    scope: 'contacts:write',
    summary: 'Delete a contact',
    description:
      'Deletes the contact permanently. Its data in events, webhook deliveries, import rows, integration receipts and stored idempotent responses is ' +
      'reduced to the id. Deleting it again gives 404. Its conversations and calls stay, without a link to it and without its number, with what was said and with recordings; so do suppressions ' +
      'of the number and entries of the consent ledger. To erase all that, use "Erase a person" instead.',
    params: ById,
    response: Deleted,
    version: schema.contactVersion,
    run: (at, { params, isCurrent }) => contacts.remove(at, { id: params.id, isCurrent }),
  }),
  operation.write({
    id: 'contacts.set_crm_id',
    method: 'PUT',
    path: '/contacts/:id/crm_ids/:system',
    scope: 'contacts:write',
    is_audited: false,
    summary: "Set a contact's id in a CRM system",
    description:
      'If another contact of the workspace has this id in this system, the response is 409 `CONFLICT`. ' +
      'Counts as an update of the contact.',
    params: schema.ByCrmSystem,
    body: schema.CrmId,
    errors: ['CONFLICT'],
    response: schema.ContactWithCrmIds,
    version: schema.contactVersion,
    run: (at, { params, body, isCurrent }) => setCrmId(at, { ...params, crm_id: body.id, isCurrent }),
  }),
  operation.write({
    id: 'contacts.delete_crm_id',
    method: 'DELETE',
    path: '/contacts/:id/crm_ids/:system',
    scope: 'contacts:write',
    is_audited: false,
    summary: "Remove a contact's id in a CRM system",
    description: 'Counts as an update of the contact. If the contact has no id in this system, the response is 404.',
    params: schema.ByCrmSystem,
    response: schema.ContactWithCrmIds,
    version: schema.contactVersion,
    run: (at, { params, isCurrent }) => setCrmId(at, { ...params, crm_id: undefined, isCurrent }),
  }),
]
