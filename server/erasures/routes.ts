import { ById } from '../kit/field.ts'
import * as operation from '../kit/http/operation.ts'
import { exportEverything } from './everything.ts'
import * as schema from './schema.ts'
import * as erasures from './store.ts'

/** Owners have this scope, and API keys only if they list it. */
const scope = 'contacts:erase'

export const operations: operation.Operation[] = [
  operation.write({
    id: 'contacts.erase',
    method: 'POST',
    path: '/contacts/:id/erase',
    scope,
    erases: true,
    summary: 'Erase a person',
    description:
      'Erases everything about the person, for good, in the background: conversations and calls of the contact and of its number are ended and redacted, with recordings, text messages, ' +
      'events, webhook deliveries, stored answers, rows of imports and receipts of integrations. Then the contact is deleted. The consent ledger keeps its hashes, and a suppression a keyed hash, so ' +
      'that an opt-out still holds. Get the erasure to see how far it is. While it runs, the answer to another request is 200 with this erasure; afterwards it is 404. See "Erase or export a person" in the guide.',
    params: ById,
    response: schema.Erasure,
    status: 202,
    isCreated: ({ is_new }: erasures.BegunErasure) => is_new,
    run: (at, { params }) => erasures.begin(at, params.id),
  }),
  operation.file({
    id: 'contacts.get_everything',
    path: '/contacts/:id/everything',
    scope,
    summary: 'Export a person',
    description:
      'All that is known about the person, as one ZIP file: the contact, conversations and what was said, calls and their recordings, enrollments, consents, suppressions, events, ' +
      'rows of imports and receipts of integrations. It finds what "Erase a person" would erase. Files end with `.jsonl` and have one JSON object in each line; `README.txt` names them.',
    params: ById,
    file: { content_type: 'application/zip', name: 'everything.zip' },
    // A workspace runs as many of these at once as of other expensive queries.
    isExpensive: () => true,
    run: (at, { params }) => exportEverything(at, params.id),
  }),
  operation.get({
    id: 'erasures.get',
    path: '/erasures/:id',
    scope,
    summary: 'Get an erasure',
    description: 'It has ids and counts only, and is kept for 365 days.',
    params: ById,
    response: schema.Erasure,
    run: (at, { params }) => erasures.get(at, params.id),
  }),
]
