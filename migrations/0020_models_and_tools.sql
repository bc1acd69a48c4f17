create table providers (
  workspace_id uuid not null,
  id uuid not null,
  name text collate "C" not null,
  kind text collate "C" not null,
  base_url text collate "C" not null,
  -- sealed
  api_key text collate "C",
  default_model text collate "C" not null,
  is_default boolean not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint providers_pkey primary key (workspace_id, id),
  constraint providers_name_unique unique (workspace_id, name),
  constraint providers_kind_known check (kind in ('openai_compatible', 'anthropic')),
  constraint providers_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);
create unique index providers_default on providers (workspace_id) where is_default;

create table tools (
  workspace_id uuid not null,
  id uuid not null,
  name text collate "C" not null,
  description text collate "C",
  parameters jsonb not null,
  url text collate "C" not null,
  method text collate "C" not null,
  header_names text[] collate "C" not null,
  -- the headers with their values as JSON, sealed
  headers text collate "C",
  timeout_ms integer not null,
  has_side_effects boolean not null,
  say_while text collate "C",
  -- both sealed
  secret text collate "C" not null,
  previous_secret text collate "C",
  previous_secret_until timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint tools_pkey primary key (workspace_id, id),
  constraint tools_name_unique unique (workspace_id, name),
  constraint tools_method_known check (method in ('GET', 'POST', 'PUT', 'PATCH', 'DELETE')),
  constraint tools_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);
