import type { Operation } from '../kit/http/operation.ts'
import { account_operations } from './account-routes.ts'
import { installation_operations } from './installation-routes.ts'
import { invitation_operations } from './invitation-routes.ts'
import { member_operations } from './member-routes.ts'
import { password_link_operations } from './password-link-routes.ts'
import { session_operations } from './session-routes.ts'
import { speech_operations } from './speech-routes.ts'
import { two_factor_operations } from './two-factor-routes.ts'

/**
 * The operations of the dashboard that are not part of the public API. The scope says who may call one: `anyone:` all visitors,
 * `person:` everyone who is signed in, any other scope by role in the requested workspace.
 */
export const operations: Operation[] = [
  ...session_operations,
  ...account_operations,
  ...two_factor_operations,
  ...member_operations,
  ...invitation_operations,
  ...password_link_operations,
  ...speech_operations,
  ...installation_operations,
]
