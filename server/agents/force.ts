import type { Caller } from '../kit/http/operation.ts'
import { forbidden, Problem } from '../kit/problem.ts'

/** Owners have it, and API keys only if they list it. No operation has it as its scope. */
export const force_scope = 'agents:force'

/** Only some may deploy what tests forbid, and say whether tests are required. Throws a Problem for others. */
export function assertMayForce({ scopes, authenticated_by }: Caller): void {
  if (scopes.has(force_scope)) return
  if (authenticated_by !== 'session') throw forbidden(force_scope)
  throw new Problem('FORBIDDEN', 'Only owners may do this.', { required_role: 'owner' })
}
