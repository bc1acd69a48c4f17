import type { TableClasses } from './kit/postgres/sharding.ts'

/** Where the rows of each table are when the database is sharded. Tables that are not named here are sharded. */
export const table_classes: TableClasses = {
  shard_column: 'workspace_id',
  // Read with the rows of every workspace, or to find the workspace of a request. Written seldom.
  reference: ['workspaces', 'api_key_directory', 'integration_directory', 'channel_directory'],
  // Read without a workspace. A look-up in a sharded table would ask every node, and fail when one is down.
  local: [
    'api_keys',
    'due_workspaces',
    'invitations',
    'memberships',
    'password_links',
    'people',
    'process_leases',
    'recovery_codes',
    'schema_migrations',
    'sessions',
    'setup_tokens',
    'test_clocks',
    'two_factor_secrets',
    'webhook_senders',
  ],
}
