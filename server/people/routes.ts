import type { Operation } from '../kit/http/operation.ts'
import { account_operations } from './account-routes.ts'
import { invitation_operations } from './invitation-routes.ts'
import { member_operations } from './member-routes.ts'
import { session_operations } from './session-routes.ts'

/**
 * What people do in the dashboard. Their scopes say who may call them: `anyone:` everyone, `person:` everyone who is signed in, all
 * others by the role in the requested workspace.
 */
export const operations: Operation[] = [
  ...session_operations,
  ...account_operations,
  ...member_operations,
  ...invitation_operations,
]
