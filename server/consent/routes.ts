import { ById, Deleted } from '../kit/field.ts'
import * as operation from '../kit/http/operation.ts'
import { exportCsv } from './export.ts'
import * as schema from './schema.ts'
import * as consents from './store.ts'
import * as suppressions from './suppressions.ts'
import { verify } from './verify.ts'

const of_contact = '/contacts/:id/consents'
const path = '/consents'
const suppressions_path = '/suppressions'
const read = 'consents:read'
const write = 'consents:write'

const source_by_authentication = { key: 'api', command: 'api', session: 'dashboard', token: 'api' } as const

/** Returns the version of a suppression, which is never changed. */
const suppression_version = ({ created_at }: schema.Suppression): string => created_at

export const operations: operation.Operation[] = [
  operation.list({
    id: 'consents.list_of_contact',
    path: of_contact,
    scope: read,
    summary: "List a contact's consents",
    description:
      "The ledger's entries for the contact's phone number, newest first. They include those of an earlier contact with this " +
      'number: an opt-out outlives the deletion of a contact.',
    params: ById,
    query: schema.ContactConsentQuery,
    items: schema.Consent,
    run: (at, { params, query }) => consents.listOfContact(at, { contact_id: params.id, query }),
  }),
  operation.writeMany({
    id: 'consents.create',
    method: 'POST',
    path: of_contact,
    collection: of_contact,
    scope: write,
    is_audited: false,
    summary: 'Record a consent',
    description:
      "Adds an entry to the ledger. The contact's latest entry of a kind, or of the kind `all`, decides whether it is called or " +
      'written to. Entries are never changed or deleted: to correct one, add another.',
    params: ById,
    body: schema.NewConsent,
    response: schema.Consent,
    status: 201,
    before: (_at, { body }) => consents.checkEvidence(body),
    run: (at, requests) =>
      consents.create(
        at,
        requests.map(({ params, body, caller }) => ({
          ...body,
          contact_id: params.id,
          source: source_by_authentication[caller.authenticated_by],
        })),
      ),
  }),
  operation.list({
    id: 'consents.list',
    path,
    scope: read,
    summary: 'List consents',
    description: 'All entries of the ledger, newest first.',
    query: schema.ConsentQuery,
    items: schema.Consent,
    isExpensive: () => true,
    run: (at, { query }) => consents.list(at, query),
  }),
  operation.file({
    id: 'consents.export',
    path: `${path}/export`,
    scope: read,
    summary: 'Export consents',
    description:
      'Returns all entries of the ledger as CSV, oldest first. `evidence` is JSON. There are no phone numbers. If the contact of an ' +
      'entry was deleted, `contact_id` is the contact that has the phone number now, or empty.',
    file: {
      content_type: 'text/csv; charset=utf-8',
      name: 'consents.csv',
      example:
        'id,contact_id,kind,status,source,evidence,created_at\r\n' +
        '019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa,,sms,revoked,sms_keyword,,2026-11-15T09:30:00.000Z\r\n',
    },
    isExpensive: () => true,
    run: (at) => exportCsv(at),
  }),
  operation.remote({
    id: 'consents.verify',
    path: `${path}/verify`,
    scope: read,
    summary: 'Verify the consent ledger',
    description:
      'Computes the hashes of all entries again, and names the first that is broken. This can take a minute for a million ' +
      'entries. A workspace verifies once at a time: another request then gets 503.',
    response: schema.Verification,
    run: verify,
  }),
  operation.write({
    id: 'suppressions.create',
    method: 'POST',
    path: suppressions_path,
    scope: write,
    is_audited: false,
    summary: 'Suppress a phone number',
    description:
      'The number is never called or written to, in any spelling, whether it belongs to a contact or not. If it is already ' +
      'suppressed for this kind, the response is 409 `CONFLICT` with the id in `details.existing_id`.',
    body: schema.NewSuppression,
    errors: ['CONFLICT'],
    response: schema.Suppression,
    status: 201,
    run: (at, { body }) => suppressions.create(at, body),
  }),
  operation.list({
    id: 'suppressions.list',
    path: suppressions_path,
    scope: read,
    summary: 'List suppressions',
    description: 'Newest first.',
    query: schema.SuppressionQuery,
    items: schema.Suppression,
    run: (at, { query }) => suppressions.list(at, query),
  }),
  operation.get({
    id: 'suppressions.get',
    path: `${suppressions_path}/:id`,
    scope: read,
    summary: 'Get a suppression',
    params: ById,
    response: schema.Suppression,
    version: suppression_version,
    run: (at, { params }) => suppressions.get(at, params.id),
  }),
  operation.write({
    id: 'suppressions.delete',
    method: 'DELETE',
    path: `${suppressions_path}/:id`,
    scope: write,
    summary: 'Delete a suppression',
    description: 'The number can be called and written to again, unless the person has opted out.',
    params: ById,
    response: Deleted,
    erases: true,
    version: suppression_version,
    run: (at, { params, isCurrent }) => suppressions.remove(at, { id: params.id, isCurrent }),
  }),
]
