-- Persons who are erased. An erasure has ids, counts and keyed hashes only, except for the numbers while it runs.
create table erasures (
  workspace_id uuid not null,
  id uuid not null,
  contact_id uuid not null,
  status text collate "C" not null default 'queued',
  -- What is erased next: `talks`, `uploads` or `rest`, after what is in progress was ended (`ends`).
  step text collate "C" not null default 'ends',
  -- Where the step goes on.
  position jsonb,
  -- The numbers of the person. Null when all is erased.
  phone_numbers text[] collate "C",
  -- What stands for the numbers, for an export and for what is restored from a backup.
  phone_hmacs bytea[] not null default '{}',
  conversations integer not null default 0,
  calls integer not null default 0,
  messages integer not null default 0,
  events integer not null default 0,
  files integer not null default 0,
  -- Wall time, as the next one.
  created_at timestamptz(3) not null,
  ended_at timestamptz(3),
  due_at timestamptz(3),
  lease_until timestamptz(3),
  lease_token uuid,
  attempt smallint not null default 0,
  constraint erasures_pkey primary key (workspace_id, id),
  constraint erasures_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade,
  constraint erasures_status_known check (status in ('queued', 'running', 'done')),
  constraint erasures_step_known check (step in ('ends', 'talks', 'uploads', 'rest'))
);
create unique index erasures_running on erasures (workspace_id, contact_id) where status <> 'done';
create index erasures_created_at on erasures (workspace_id, created_at, id);
create index erasures_due on erasures (workspace_id, due_at, id) where due_at is not null;

-- What stands for the number of a contact that was deleted, so that what is left of it can be found when the person is erased.
alter table conversations add column phone_hmac bytea;
alter table calls add column phone_hmac bytea;

-- A suppression of a person who was erased has what stands for the number alone.
alter table suppressions alter column phone_number drop not null;
alter table suppressions add column phone_hmac bytea;
