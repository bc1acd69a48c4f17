import { isWrite } from '../kit/http/operation.ts'
import type { Served } from '../kit/http/served.ts'
import { isId } from '../kit/id.ts'
import { isObject } from '../kit/json.ts'
import type { Reference } from '../kit/postgres/names.ts'

/** What people do with their accounts and memberships is recorded by `people/`, because its operations open their own transactions. */
export const isAudited = ({ operation }: Pick<Served, 'operation'>): boolean =>
  operation.kind === 'file' || (isWrite(operation) && operation.is_audited)

/**
 * Returns the actions of the entries that a request leaves. One that forces a deployment leaves a second entry with a
 * name of its own.
 */
export const actionsOf = ({ operation: { id }, request: { body } }: Served): string[] =>
  isObject(body) && body.force === true ? [id, 'agents.force'] : [id]

/** Returns what the request is about: the resource in its path, or else the one that it has created. */
export function subjectOf({ operation, request, result }: Served, workspace: string): Reference | null {
  const [noun = ''] = operation.id.split('.')
  if (noun === 'workspace') return { type: noun, id: workspace }
  const id = idOf(request.params) ?? idOf(result)
  // An entry about a test names its agent.
  const type = noun === 'agent_tests' ? 'agent' : noun.replace(/s$/, '')
  return id === undefined ? null : { type, id }
}

function idOf(value: unknown): string | undefined {
  const id = isObject(value) ? value.id : undefined
  return typeof id === 'string' && isId(id) ? id : undefined
}
