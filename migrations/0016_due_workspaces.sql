-- Where background work is due: a hint, so that polling reads a small table. Written after the commit of the work itself; a sweep finds
-- what a killed process has not written.
create table due_workspaces (
  workspace_id uuid not null,
  kind text collate "C" not null,
  due_at timestamptz(3) not null,
  constraint due_workspaces_pkey primary key (workspace_id, kind),
  constraint due_workspaces_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);
create index due_workspaces_due on due_workspaces (kind, due_at);
insert into due_workspaces (workspace_id, kind, due_at)
  select workspace_id, 'imports', min(due_at) from imports where due_at is not null group by workspace_id;
insert into due_workspaces (workspace_id, kind, due_at)
  select workspace_id, 'deliveries', min(due_at) from webhook_deliveries where due_at is not null
    and workspace_id in (select id from workspaces) group by workspace_id;

-- Of all processes, the one with the lease runs the periodic tasks.
create table process_leases (
  name text collate "C" not null,
  lease_token uuid not null,
  lease_until timestamptz(3) not null,
  constraint process_leases_pkey primary key (name)
);
