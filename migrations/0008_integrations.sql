create table integrations (
  workspace_id uuid not null,
  id uuid not null,
  name text collate "C" not null,
  status text collate "C" not null,
  -- contact fields, each with the JSON pointer to its value
  field_map jsonb not null,
  default_country text collate "C",
  -- both sealed: the token is part of the address, which is shown again
  token text collate "C" not null,
  signing_secret text collate "C",
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint integrations_pkey primary key (workspace_id, id),
  constraint integrations_status_known check (status in ('active', 'disabled')),
  constraint integrations_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);
create index integrations_created_at on integrations (workspace_id, created_at desc, id desc);

-- A request arrives without its workspace: this small table, the same on every node, tells which it is.
create table integration_directory (
  hash bytea not null,
  workspace_id uuid not null,
  integration_id uuid not null,
  constraint integration_directory_pkey primary key (hash)
);

create table integration_receipts (
  workspace_id uuid not null,
  integration_id uuid not null,
  id uuid not null,
  outcome text collate "C" not null,
  reasons text[] collate "C" not null,
  contact_id uuid,
  -- as json, which may hold what jsonb can't; null once the contact was deleted
  payload json,
  received_at timestamptz(3) not null,
  constraint integration_receipts_pkey primary key (workspace_id, integration_id, id),
  constraint integration_receipts_outcome_known check (outcome in ('created', 'updated', 'unchanged', 'refused')),
  constraint integration_receipts_integration_fkey foreign key (workspace_id, integration_id)
    references integrations (workspace_id, id) on delete cascade
);
create index integration_receipts_contact on integration_receipts (workspace_id, contact_id) where contact_id is not null;

-- What was received with a signature, by the sender's id for it: a repeat is not done again.
create table integration_messages (
  workspace_id uuid not null,
  integration_id uuid not null,
  webhook_id text collate "C" not null,
  receipt_id uuid not null,
  received_at timestamptz(3) not null,
  constraint integration_messages_pkey primary key (workspace_id, integration_id, webhook_id),
  constraint integration_messages_integration_fkey foreign key (workspace_id, integration_id)
    references integrations (workspace_id, id) on delete cascade
);
