-- People belong to no workspace, and what leads to them is found by an email, a token's hash or a person: small tables, the
-- same on every node, as api_key_directory is. Of tokens only the hashes are kept.

create table people (
  id uuid not null,
  -- in lower case
  email text collate "C" not null,
  name text collate "C" not null,
  password_hash text collate "C" not null,
  created_at timestamptz(3) not null,
  constraint people_pkey primary key (id),
  constraint people_email_unique unique (email)
);

create table memberships (
  workspace_id uuid not null,
  person_id uuid not null,
  role text collate "C" not null,
  created_at timestamptz(3) not null,
  constraint memberships_pkey primary key (workspace_id, person_id),
  constraint memberships_role_known check (role in ('owner', 'member')),
  constraint memberships_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade,
  constraint memberships_person_fkey foreign key (person_id) references people (id) on delete cascade
);
create index memberships_person on memberships (person_id);

create table sessions (
  id uuid not null,
  hash bytea not null,
  person_id uuid not null,
  user_agent text collate "C" not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3) not null,
  constraint sessions_pkey primary key (id),
  constraint sessions_hash_unique unique (hash),
  constraint sessions_person_fkey foreign key (person_id) references people (id) on delete cascade
);
create index sessions_person on sessions (person_id);

create table invitations (
  workspace_id uuid not null,
  id uuid not null,
  hash bytea not null,
  role text collate "C" not null,
  -- null: whoever has the link
  email text collate "C",
  invited_by uuid not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  constraint invitations_pkey primary key (workspace_id, id),
  constraint invitations_hash_unique unique (hash),
  constraint invitations_role_known check (role in ('owner', 'member')),
  constraint invitations_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade,
  constraint invitations_person_fkey foreign key (invited_by) references people (id) on delete cascade
);

-- The link that makes the first person.
create table setup_tokens (
  hash bytea not null,
  expires_at timestamptz(3) not null,
  constraint setup_tokens_pkey primary key (hash)
);

-- Contacts are counted by source and by day, so that the home page reads no contact.
lock table contacts in share mode;
drop table contact_counts;
create table contact_counts (
  workspace_id uuid not null,
  source text collate "C" not null,
  slot smallint not null,
  total bigint not null,
  constraint contact_counts_pkey primary key (workspace_id, source, slot)
) with (fillfactor = 50);
insert into contact_counts (workspace_id, source, slot, total)
  select workspace_id, source, 0, count(*) from contacts group by workspace_id, source;

-- By the day in UTC on which they were created.
create table contact_day_counts (
  workspace_id uuid not null,
  day date not null,
  slot smallint not null,
  total bigint not null,
  constraint contact_day_counts_pkey primary key (workspace_id, day, slot)
) with (fillfactor = 50);
insert into contact_day_counts (workspace_id, day, slot, total)
  select workspace_id, (created_at at time zone 'UTC')::date, 0, count(*) from contacts group by 1, 2;
