-- Who has changed settings, signed in, or copied much at once. It has ids and no names; the address is the only thing of a person.
create table audit_log (
  workspace_id uuid not null,
  id uuid not null,
  -- Wall time, also in test workspaces.
  at timestamptz(3) not null,
  actor_type text collate "C" not null,
  actor_id uuid,
  -- The name of the operation.
  action text collate "C" not null,
  subject_type text collate "C",
  subject_id uuid,
  ip text collate "C",
  request_id text collate "C",
  -- How often it happened in the minute after `at`, of what is counted.
  count integer not null default 1,
  constraint audit_log_pkey primary key (workspace_id, id),
  constraint audit_log_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);
create index audit_log_at on audit_log (workspace_id, at, id);
create index audit_log_actor on audit_log (workspace_id, actor_id, at, id);
create index audit_log_subject on audit_log (workspace_id, subject_id, at, id);
create index audit_log_action on audit_log (workspace_id, action, at, id);
