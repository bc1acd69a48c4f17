import type { AuditEntry } from '../../../server/audit/schema.ts'

/** What is done, by the name of its operation. A test compares this with the server's list. @internal */
export const action_names: Record<string, string> = {
  'session.create': 'Signed in',
  'session.create_failed': 'Failed to sign in',
  'setup.complete': 'Created the owner account',
  'password.update': 'Changed a password',
  'password_links.create': 'Created a password link',
  'password_links.use': 'Set a password with a link',
  'two_factor.reset': 'Reset two-factor sign-in',
  'two_factor.turn_on': 'Turned on two-factor sign-in',
  'two_factor.turn_off': 'Turned off two-factor sign-in',
  'invitations.create': 'Created an invitation',
  'invitations.accept': 'Accepted an invitation',
  'invitations.delete': 'Revoked an invitation',
  'members.create': 'Added a member',
  'members.update': 'Changed a member’s role',
  'members.delete': 'Removed a member',
  'workspaces.create': 'Created the workspace',
  'workspace.update': 'Changed workspace settings',
  'api_keys.create': 'Created an API key',
  'api_keys.rotate': 'Rotated an API key',
  'api_keys.revoke': 'Revoked an API key',
  'agents.create': 'Created an agent',
  'agents.update': 'Changed an agent',
  'agents.publish': 'Published an agent version',
  'agents.deploy': 'Deployed an agent',
  'agents.rollback': 'Rolled back an agent',
  'agents.delete': 'Deleted an agent',
  'agents.force': 'Deployed without passed tests',
  'agent_tests.create': 'Added a test to an agent',
  'agent_tests.update': 'Changed a test of an agent',
  'agent_tests.delete': 'Deleted a test of an agent',
  'campaigns.start': 'Started a campaign',
  'campaigns.pause': 'Paused a campaign',
  'campaigns.resume': 'Resumed a campaign',
  'campaigns.cancel': 'Canceled a campaign',
  'campaigns.delete': 'Deleted a campaign',
  'campaigns.get_report': 'Downloaded a campaign report',
  'enrollments.delete': 'Removed a contact from a campaign',
  'contacts.batch': 'Changed contacts in bulk',
  'contacts.export': 'Exported contacts',
  'contacts.delete': 'Deleted a contact',
  'contacts.erase': 'Erased a person',
  'contacts.get_everything': 'Exported all about a person',
  'suppressions.delete': 'Removed a number from Do not contact',
  'consents.export': 'Exported consents',
  'conversations.make_test': 'Made a test of a conversation',
  'conversations.redact': 'Redacted a conversation',
  'calls.get_recording': 'Played or downloaded a recording',
  'calls.delete_recording': 'Deleted a recording',
  'calls.redact': 'Redacted a call',
  'documents.create': 'Added a document',
  'documents.update': 'Changed a document',
  'documents.refresh': 'Refreshed a document',
  'documents.delete': 'Deleted a document',
  'imports.create': 'Created an import',
  'imports.run': 'Ran an import',
  'imports.cancel': 'Canceled an import',
  'imports.undo': 'Undid an import',
  'imports.download_rows': 'Downloaded the rows of an import',
  'channels.create': 'Created a channel',
  'channels.update': 'Changed a channel',
  'channels.delete': 'Deleted a channel',
  'integrations.create': 'Created an integration',
  'integrations.update': 'Changed an integration',
  'integrations.delete': 'Deleted an integration',
  'providers.create': 'Added a model provider',
  'providers.update': 'Changed a model provider',
  'providers.delete': 'Deleted a model provider',
  'tools.create': 'Created a tool',
  'tools.update': 'Changed a tool',
  'tools.delete': 'Deleted a tool',
  'tools.rotate_secret': 'Rotated the secret of a tool',
  'webhooks.create': 'Created a webhook',
  'webhooks.update': 'Changed a webhook',
  'webhooks.delete': 'Deleted a webhook',
  'webhooks.rotate_secret': 'Rotated the secret of a webhook',
  'webhooks.recover': 'Resent failed deliveries',
}

/** Names an action. One that this page doesn't know yet is shown by its operation. */
export const actionName = (action: string): string => action_names[action] ?? action

export function describeAction({ action, actor, subject }: AuditEntry): string {
  const is_own = actor.id !== null && actor.id === subject?.id
  return action === 'members.delete' && is_own ? 'Left the workspace' : actionName(action)
}

const group_names: Record<string, string> = {
  session: 'Accounts',
  setup: 'Accounts',
  password: 'Accounts',
  password_links: 'Accounts',
  two_factor: 'Accounts',
  invitations: 'Members',
  members: 'Members',
  workspaces: 'Workspace',
  workspace: 'Workspace',
  api_keys: 'API keys',
  enrollments: 'Campaigns',
  suppressions: 'Consent',
  consents: 'Consent',
  providers: 'Model providers',
}

/** The choices of a filter, grouped by what they are about. */
export const action_choices = Object.entries(
  Object.groupBy(Object.entries(action_names), ([action]) => groupOf(action)),
).map(([group, actions = []]) => ({ group, items: actions.map(([value, label]) => ({ value, label })) }))

function groupOf(action: string): string {
  const [noun = ''] = action.split('.')
  return group_names[noun] ?? noun.charAt(0).toUpperCase() + noun.slice(1)
}
