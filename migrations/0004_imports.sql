-- A file as it was read: lists of cells, in chunks that are each carried out as one batch.

create table import_files (
  workspace_id uuid not null,
  id uuid not null,
  columns text[] collate "C" not null,
  -- null until all of it has arrived
  row_count integer,
  created_at timestamptz(3) not null,
  constraint import_files_pkey primary key (workspace_id, id),
  constraint import_files_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);
create index import_files_created_at on import_files (workspace_id, created_at);

create table import_chunks (
  workspace_id uuid not null,
  file_id uuid not null,
  first_row integer not null,
  -- a list of lists of cells; null in the place of a row whose contact was deleted
  rows json not null,
  constraint import_chunks_pkey primary key (workspace_id, file_id, first_row),
  constraint import_chunks_file_fkey foreign key (workspace_id, file_id)
    references import_files (workspace_id, id) on delete cascade
);
-- Packing takes longer than writing.
alter table import_chunks alter column rows set storage external;

create table imports (
  workspace_id uuid not null,
  id uuid not null,
  status text collate "C" not null,
  is_dry_run boolean not null,
  file_name text collate "C",
  on_known text collate "C" not null,
  default_country text collate "C",
  columns text[] collate "C" not null,
  mapping jsonb not null,
  total integer,
  done integer not null default 0,
  created integer not null default 0,
  updated integer not null default 0,
  skipped integer not null default 0,
  refused integer not null default 0,
  not_undone integer not null default 0,
  error text collate "C",
  created_at timestamptz(3) not null,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  undone_at timestamptz(3),
  -- null once its file and rows are gone
  file_id uuid,
  -- while it is undone: rows from here on are done with
  undone_from integer,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  lease_token uuid,
  attempt smallint not null default 0,
  constraint imports_pkey primary key (workspace_id, id),
  constraint imports_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade,
  constraint imports_status_known
    check (status in ('queued', 'running', 'finished', 'cancelled', 'failed', 'undoing', 'undone')),
  constraint imports_on_known_known check (on_known in ('skip', 'update'))
);
create index imports_created_at on imports (workspace_id, created_at desc, id desc);
create index imports_file on imports (workspace_id, file_id) where file_id is not null;
create index imports_due on imports (workspace_id, due_at) where due_at is not null;

-- What became of each row. No foreign keys: they would be checked a million times.
create table import_rows (
  workspace_id uuid not null,
  import_id uuid not null,
  row_number integer not null,
  outcome text collate "C" not null,
  reason text collate "C",
  contact_id uuid,
  -- the contact's updated_at as the row left it: another one tells that it was changed since
  written_at timestamptz(3),
  -- what an updated contact was
  before jsonb,
  constraint import_rows_pkey primary key (workspace_id, import_id, row_number),
  constraint import_rows_outcome_known check (outcome in ('created', 'updated', 'skipped', 'refused'))
);
create index import_rows_contact on import_rows (workspace_id, contact_id) where contact_id is not null;
create index import_rows_outcome on import_rows (workspace_id, import_id, outcome, row_number)
  where outcome <> 'created';

-- Numbers that a dry run has met, as long as it runs: a run finds them among the contacts.
create table import_numbers (
  workspace_id uuid not null,
  import_id uuid not null,
  phone_number text collate "C" not null,
  row_number integer not null,
  constraint import_numbers_pkey primary key (workspace_id, import_id, phone_number)
);
