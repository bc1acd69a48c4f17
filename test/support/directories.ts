/** Tables that are read without a workspace, and are the same on every node of a sharded database. */
export const directories = [
  'api_key_directory',
  'integration_directory',
  'channel_directory',
  'memberships',
  'invitations',
  'due_workspaces',
  'test_clocks',
  'webhook_senders',
]
