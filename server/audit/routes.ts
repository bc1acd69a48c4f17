import { readerWith } from '../events/named.ts'
import * as operation from '../kit/http/operation.ts'
import * as schema from './schema.ts'
import * as audit from './store.ts'

export const operations: operation.Operation[] = [
  operation.list({
    id: 'audit_log.list',
    path: '/audit_log',
    scope: 'audit:read',
    summary: 'List the audit log',
    description:
      'Newest first. Who has signed in, changed settings, keys, members, agents or integrations, started or stopped campaigns, ' +
      'deleted, redacted, exported, imported or listened. Entries are kept for 365 days. A key needs the scope `audit:read`, ' +
      'granted by name; in the dashboard owners see it.',
    query: schema.AuditQuery,
    items: schema.AuditEntry,
    isExpensive: () => true,
    run: (at, { query, caller }) => audit.list(at, query, readerWith(caller.scopes)),
  }),
]
