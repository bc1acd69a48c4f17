import type { TableClasses } from './kit/postgres/citus/sharding.ts'

/** The class of each table when the database is sharded by workspace. Tables that are not named here are sharded. */
export const table_classes: TableClasses = {
  shard_column: 'workspace_id',
  // Each node has a copy of these: they are read with the rows of every workspace, or to find the workspace of a
  // request, and written seldom.
  reference: ['workspaces', 'api_key_directory', 'integration_directory', 'channel_directory'],
  // Only the coordinator has these: they are read without a workspace, and a look-up in a sharded table would ask every
  // node and fail when one is down.
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
