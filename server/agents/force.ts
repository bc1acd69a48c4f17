import type { Caller } from '../kit/http/operation.ts'
import { forbidden, Problem } from '../kit/problem.ts'

/**
 * Lets callers deploy what tests forbid. Owners have it, and API keys only if they list it. No operation has it as its
 * scope.
 */
export const force_scope = 'agents:force'

/** Throws a Problem unless the caller may deploy what tests forbid, and say whether tests are required. */
export function assertMayForce({ scopes, authenticated_by }: Caller): void {
  if (scopes.has(force_scope)) return
  if (authenticated_by !== 'session') throw forbidden(force_scope)
  throw new Problem('FORBIDDEN', 'Only owners may do this.', { required_role: 'owner' })
}
