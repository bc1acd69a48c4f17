-- Files of recordings that are to be deleted, or that a process is storing: if it is killed, the file may belong to a deleted
-- recording. `id` is that of the call, which may be gone.
create table recording_files (
  workspace_id uuid not null,
  id uuid not null,
  blob_key text collate "C" not null,
  -- Wall time. Until then the file may appear, although it was deleted.
  upload_until timestamptz(3),
  due_at timestamptz(3),
  lease_until timestamptz(3),
  lease_token uuid,
  attempt smallint not null default 0,
  constraint recording_files_pkey primary key (workspace_id, id),
  constraint recording_files_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);
create index recording_files_due on recording_files (workspace_id, due_at, id) where due_at is not null;
