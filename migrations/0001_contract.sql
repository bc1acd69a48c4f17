-- Every tenant table starts its keys and indexes with workspace_id, so that it can be sharded by it.
-- Tables that are written at every request have no foreign key to workspaces: its row would be locked each time.

create extension if not exists pg_trgm;
create extension if not exists btree_gin;

create table workspaces (
  id uuid not null,
  name text collate "C" not null,
  created_at timestamptz(3) not null,
  constraint workspaces_pkey primary key (id),
  constraint workspaces_name_unique unique (name)
);

create table api_keys (
  workspace_id uuid not null,
  id uuid not null,
  name text collate "C" not null,
  last_four text collate "C" not null,
  -- null: every scope, those of later versions too
  scopes text[] collate "C",
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null,
  constraint api_keys_pkey primary key (workspace_id, id),
  constraint api_keys_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);

-- A key arrives without its workspace: this small table, the same on every node, tells which it is.
create table api_key_directory (
  hash bytea not null,
  workspace_id uuid not null,
  api_key_id uuid not null,
  constraint api_key_directory_pkey primary key (hash)
);

create table contacts (
  workspace_id uuid not null,
  id uuid not null,
  phone_number text collate "C" not null,
  first_name text collate "C",
  last_name text collate "C",
  display_name text collate "C",
  email text collate "C",
  company text collate "C",
  notes text collate "C",
  tags text[] collate "C" not null,
  source text collate "C" not null,
  first_contact_at timestamptz(3),
  last_contact_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- as shown; contact_crm_ids finds by them and keeps them apart
  crm_ids jsonb not null default '{}',
  -- what search and tag look at, folded by the server
  search_text text collate "C" not null,
  tags_folded text[] collate "C" not null,
  constraint contacts_pkey primary key (workspace_id, id),
  constraint contacts_phone_number_unique unique (workspace_id, phone_number),
  constraint contacts_source_known check (source in ('api', 'import', 'manual', 'inbound', 'webhook'))
);
create index contacts_created_at on contacts (workspace_id, created_at desc, id desc);
create index contacts_updated_at on contacts (workspace_id, updated_at desc, id desc);
create index contacts_search on contacts using gin (workspace_id, search_text gin_trgm_ops);
create index contacts_tags on contacts using gin (workspace_id, tags_folded);

-- The sum over a workspace's slots is its number of contacts; slots, so that writers don't queue behind one row.
create table contact_counts (
  workspace_id uuid not null,
  slot smallint not null,
  total bigint not null,
  constraint contact_counts_pkey primary key (workspace_id, slot)
) with (fillfactor = 50);

create table contact_crm_ids (
  workspace_id uuid not null,
  contact_id uuid not null,
  system text collate "C" not null,
  crm_id text collate "C" not null,
  constraint contact_crm_ids_pkey primary key (workspace_id, contact_id, system),
  constraint contact_crm_ids_crm_id_unique unique (workspace_id, system, crm_id),
  constraint contact_crm_ids_contact_fkey foreign key (workspace_id, contact_id)
    references contacts (workspace_id, id) on delete cascade
);

create table agents (
  workspace_id uuid not null,
  id uuid not null,
  name text collate "C" not null,
  description text collate "C" not null,
  -- no foreign key: the version points at its agent, and a circle of keys could only be closed by deferring one
  deployed_version_id uuid not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint agents_pkey primary key (workspace_id, id),
  constraint agents_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);
create index agents_created_at on agents (workspace_id, created_at desc, id desc);

create table agent_versions (
  workspace_id uuid not null,
  id uuid not null,
  agent_id uuid not null,
  version_label text collate "C" not null,
  instructions text collate "C",
  created_at timestamptz(3) not null,
  constraint agent_versions_pkey primary key (workspace_id, id),
  constraint agent_versions_label_unique unique (workspace_id, agent_id, version_label),
  constraint agent_versions_agent_fkey foreign key (workspace_id, agent_id)
    references agents (workspace_id, id) on delete cascade
);
create index agent_versions_created_at on agent_versions (workspace_id, agent_id, created_at desc, id desc);

create table events (
  workspace_id uuid not null,
  id uuid not null,
  type text collate "C" not null,
  resource_id uuid not null,
  data jsonb not null,
  created_at timestamptz(3) not null,
  constraint events_pkey primary key (workspace_id, id)
);
create index events_resource on events (workspace_id, resource_id);

create table idempotency_keys (
  workspace_id uuid not null,
  key text collate "C" not null,
  fingerprint text collate "C" not null,
  -- the answer, written in the transaction that claimed the key
  status smallint,
  headers jsonb,
  body text collate "C",
  expires_at timestamptz(3) not null,
  constraint idempotency_keys_pkey primary key (workspace_id, key)
);
create index idempotency_keys_expires_at on idempotency_keys (workspace_id, expires_at);
