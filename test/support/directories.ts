/** Tables with a workspace that a sharded database has on one node, or on each. */
export const directories = [
  'api_keys',
  'api_key_directory',
  'integration_directory',
  'channel_directory',
  'memberships',
  'invitations',
  'due_workspaces',
  'test_clocks',
  'webhook_senders',
]
