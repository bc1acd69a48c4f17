-- A workspace is live or test, and stays so. In a test workspace time stands still until its clock is advanced.
alter table workspaces add column kind text collate "C" not null default 'live';
alter table workspaces add constraint workspaces_kind_known check (kind in ('live', 'test'));

-- The clock of each test workspace. An advance is background work: the row has a target until the clock has reached it.
create table test_clocks (
  workspace_id uuid not null,
  id uuid not null,
  now timestamptz(3) not null,
  target timestamptz(3),
  seed integer not null,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  lease_token uuid,
  attempt smallint not null default 0,
  constraint test_clocks_pkey primary key (workspace_id),
  constraint test_clocks_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);
