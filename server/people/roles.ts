import type { Operation, Scopes } from '../kit/http/operation.ts'
import { Problem } from '../kit/problem.ts'

/** All roles, the highest first. */
export const roles = ['owner', 'member', 'viewer'] as const
export type Role = (typeof roles)[number]

type ScopedOperation = Pick<Exclude<Operation, { kind: 'raw' }>, 'scope' | 'kind'> & {
  second_scope?: string | undefined
  erases?: boolean
}

/** The lowest role that has each scope. Scopes that are missing here belong to owners, so that no new one is exposed by mistake. */
const lowest_roles: Record<string, Role> = {
  'contacts:read': 'viewer',
  'agents:read': 'viewer',
  'overview:read': 'viewer',
  'analytics:read': 'viewer',
  'conversations:read': 'viewer',
  'events:read': 'viewer',
  'documents:read': 'viewer',
  'calls:read': 'viewer',
  'campaigns:read': 'viewer',
  'test_clock:read': 'viewer',
  'contacts:write': 'member',
  'agents:write': 'member',
  'documents:write': 'member',
  'conversations:write': 'member',
  'calls:write': 'member',
  'campaigns:write': 'member',
  'recordings:read': 'member',
  'test_clock:write': 'member',
  'consents:read': 'member',
  'consents:write': 'member',
  // All roles see these, but not where the servers are: see the routes.
  'providers:read': 'viewer',
  'tools:read': 'viewer',
  'channels:read': 'viewer',
  'membership:write': 'viewer',
  // These scopes need no workspace.
  'anyone:read': 'viewer',
  'anyone:write': 'viewer',
  'person:read': 'viewer',
  'person:write': 'viewer',
}
/**
 * The lowest role for expensive operations. A download copies everything at once, and a write that changes nothing
 * takes long: the right to read is not enough.
 */
const lowest_to_load: Role = 'member'
const isLoad = ({ kind, scope }: ScopedOperation): boolean =>
  kind === 'file' || (kind === 'write' && scope.endsWith(':read'))

const isAtLeast = (role: Role, required: Role): boolean => roles.indexOf(role) <= roles.indexOf(required)

const higherOf = (role: Role, other: Role): Role => (isAtLeast(role, other) ? role : other)

const lowestFor = (scope: string): Role => lowest_roles[scope] ?? 'owner'

function requiredRole(operation: ScopedOperation): Role {
  if (operation.erases) return 'owner'
  const required = higherOf(lowestFor(operation.scope), lowestFor(operation.second_scope ?? operation.scope))
  return isLoad(operation) && isAtLeast(lowest_to_load, required) ? lowest_to_load : required
}

/** @internal */
export const may = (role: Role, operation: ScopedOperation): boolean => isAtLeast(role, requiredRole(operation))

export function assertMay(role: Role, operation: ScopedOperation): void {
  if (!may(role, operation)) throw roleRequired(requiredRole(operation))
}

const role_scopes = Object.fromEntries(
  roles.map((role): [Role, Scopes] => [
    role,
    { has: (scope) => isAtLeast(role, lowestFor(scope)), is_open: role === 'owner' },
  ]),
)
/** The scopes of visitors who have no role in the workspace. */
const no_scopes: Scopes = { has: (scope) => /^(anyone|person):/.test(scope), is_open: false }

export const scopesForRole = (role: Role | null | undefined): Scopes => (role && role_scopes[role]) || no_scopes

export const roleRequired = (required: Role) =>
  new Problem('FORBIDDEN', `Only ${required === 'owner' ? 'owners' : 'members and owners'} may do this.`, {
    required_role: required,
  })
