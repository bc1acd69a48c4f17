-- One row for each workspace. Where Citus shards the database, it is on the node of the workspace: there it is locked instead
-- of the row in workspaces, and rows are inserted beside it. Nothing else reads it, so the version before, which doesn't add
-- rows to it, may go on during the deployment: whoever shards a database adds those that are missing.
create table tenants (
  workspace_id uuid not null,
  constraint tenants_pkey primary key (workspace_id),
  constraint tenants_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);

insert into tenants (workspace_id) select id from workspaces;
