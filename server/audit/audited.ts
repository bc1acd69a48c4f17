import type { Served } from '../kit/http/served.ts'
import { isId } from '../kit/id.ts'
import { isObject } from '../kit/json.ts'
import type { Reference } from '../kit/postgres/names.ts'

/**
 * The operations that leave an entry in the audit log, besides all files. What people do with their accounts and memberships is
 * recorded by `people/` itself, because its operations open their own transactions.
 */
export const audited: ReadonlySet<string> = new Set([
  'agent_tests.create',
  'agent_tests.update',
  'agent_tests.delete',
  'agents.create',
  'agents.update',
  'agents.delete',
  'agents.publish',
  'agents.deploy',
  'agents.rollback',
  'api_keys.create',
  'api_keys.rotate',
  'api_keys.revoke',
  'calls.delete_recording',
  'calls.redact',
  'campaigns.start',
  'campaigns.pause',
  'campaigns.resume',
  'campaigns.cancel',
  'campaigns.delete',
  'channels.create',
  'channels.update',
  'channels.delete',
  'contacts.batch',
  'contacts.delete',
  'contacts.erase',
  'conversations.make_test',
  'conversations.redact',
  'documents.create',
  'documents.update',
  'documents.refresh',
  'documents.delete',
  'enrollments.delete',
  'imports.create',
  'imports.run',
  'imports.cancel',
  'imports.undo',
  'integrations.create',
  'integrations.update',
  'integrations.delete',
  'providers.create',
  'providers.update',
  'providers.delete',
  'suppressions.delete',
  'tools.create',
  'tools.update',
  'tools.delete',
  'tools.rotate_secret',
  'webhooks.create',
  'webhooks.update',
  'webhooks.delete',
  'webhooks.rotate_secret',
  'webhooks.recover',
  'workspace.update',
])

export const isAudited = ({ operation }: Pick<Served, 'operation'>): boolean =>
  operation.kind === 'file' || audited.has(operation.id)

/** What an entry calls it. Whoever forces a deployment leaves an entry with a name of its own, too. */
export const actionsOf = ({ operation: { id }, request: { body } }: Served): string[] =>
  isObject(body) && body.force === true ? [id, 'agents.force'] : [id]

/** What the request is about: the resource in its path, or else the one that it has created. */
export function subjectOf({ operation, request, result }: Served, workspace: string): Reference | null {
  const [noun = ''] = operation.id.split('.')
  if (noun === 'workspace') return { type: noun, id: workspace }
  const id = idOf(request.params) ?? idOf(result)
  // A test is changed for its agent.
  const type = noun === 'agent_tests' ? 'agent' : noun.replace(/s$/, '')
  return id === undefined ? null : { type, id }
}

function idOf(value: unknown): string | undefined {
  const id = isObject(value) ? value.id : undefined
  return typeof id === 'string' && isId(id) ? id : undefined
}
