-- The whole schema, by room. Each table is followed by its indexes.
--
-- Every table of a workspace begins its keys and indexes with workspace_id, so that it can be sharded by it. Tables that are written at
-- every request have no foreign key to workspaces: its row would be locked each time.
--
-- Where something is done in the background, `due_at` is when, and null when nothing is. `lease_until` and `lease_token` say which process
-- does it, and `attempt` how often one has begun.

create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- == Workspaces and their clocks

create table workspaces (
  id uuid not null,
  name text collate "C" not null,
  -- A workspace is live or test, and stays so. In a test workspace time stands still until its clock is advanced.
  kind text collate "C" not null default 'live',
  -- Only settings that were changed: the server fills in the defaults.
  settings jsonb not null default '{}',
  -- Null until the first change.
  updated_at timestamptz(3),
  created_at timestamptz(3) not null,
  constraint workspaces_pkey primary key (id),
  constraint workspaces_name_unique unique (name),
  constraint workspaces_kind_known check (kind in ('live', 'test'))
);

-- One row for each workspace, which is locked instead of the one in workspaces: where Citus shards the database, it is on the node of
-- the workspace, beside its other rows.
create table tenants (
  workspace_id uuid not null,
  constraint tenants_pkey primary key (workspace_id),
  constraint tenants_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);

-- The clock of each test workspace. An advance is background work: the row has a target until the clock has reached it.
create table test_clocks (
  workspace_id uuid not null,
  id uuid not null,
  now timestamptz(3) not null,
  target timestamptz(3),
  seed integer not null,
  -- Why the last advance has ended before its target. The next advance clears it.
  error text collate "C",
  -- Wall time at which work of the advance was last done.
  progress_at timestamptz(3),
  due_at timestamptz(3),
  lease_until timestamptz(3),
  lease_token uuid,
  attempt smallint not null default 0,
  constraint test_clocks_pkey primary key (workspace_id),
  constraint test_clocks_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);

-- == Background work

-- Where background work is due: a hint, so that polling reads a small table. Written after the commit of the work itself; a sweep finds
-- what a killed process has not written.
create table due_workspaces (
  workspace_id uuid not null,
  kind text collate "C" not null,
  due_at timestamptz(3) not null,
  constraint due_workspaces_pkey primary key (workspace_id, kind),
  constraint due_workspaces_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);
create index due_workspaces_turn on due_workspaces (kind, due_at, workspace_id);

-- Of all processes, the one with the lease runs the periodic tasks.
create table process_leases (
  name text collate "C" not null,
  lease_token uuid not null,
  lease_until timestamptz(3) not null,
  constraint process_leases_pkey primary key (name)
);

-- == Requests

-- The answers of requests that may be sent again.
create table idempotency_keys (
  workspace_id uuid not null,
  key text collate "C" not null,
  fingerprint text collate "C" not null,
  -- The answer, written in the transaction that claimed the key.
  status smallint,
  headers jsonb,
  body text collate "C",
  -- What a stored answer is about, so that it can be redacted with it.
  resource_id uuid,
  expires_at timestamptz(3) not null,
  -- In a test workspace an answer is also not stored for longer than a day of wall time. Null in a live workspace.
  wall_expires_at timestamptz(3),
  constraint idempotency_keys_pkey primary key (workspace_id, key)
);
create index idempotency_keys_expires_at on idempotency_keys (workspace_id, expires_at);
create index idempotency_keys_resource on idempotency_keys (workspace_id, resource_id) where resource_id is not null;

-- == People

-- People belong to no workspace, and what leads to them is found by an email, a token's hash or a person. These tables are small, and
-- stay on the coordinator. Only hashes of tokens are stored.

create table people (
  id uuid not null,
  -- In lower case.
  email text collate "C" not null,
  name text collate "C" not null,
  password_hash text collate "C" not null,
  created_at timestamptz(3) not null,
  constraint people_pkey primary key (id),
  constraint people_email_unique unique (email)
);

-- A link with which a person sets a new password. A person has at most one.
create table password_links (
  person_id uuid not null,
  hash bytea not null,
  -- Null: the command line made it.
  created_by uuid,
  expires_at timestamptz(3) not null,
  constraint password_links_pkey primary key (person_id),
  constraint password_links_hash_unique unique (hash),
  constraint password_links_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint password_links_created_by_fkey foreign key (created_by) references people (id) on delete cascade
);

create table two_factor_secrets (
  person_id uuid not null,
  -- Sealed.
  secret text collate "C" not null,
  created_at timestamptz(3) not null,
  -- Null until the person has entered a first code: two-factor sign-in is off.
  confirmed_at timestamptz(3),
  -- That of the last code that was used: this one and older ones don't work again.
  last_step bigint not null default 0,
  -- When the last codes were entered, the oldest first: the limit holds for all processes.
  tried_at timestamptz(3)[] not null default '{}',
  constraint two_factor_secrets_pkey primary key (person_id),
  constraint two_factor_secrets_person_fkey foreign key (person_id) references people (id) on delete cascade
);

-- Codes that were not used yet.
create table recovery_codes (
  person_id uuid not null,
  hash bytea not null,
  constraint recovery_codes_pkey primary key (person_id, hash),
  constraint recovery_codes_person_fkey foreign key (person_id) references two_factor_secrets (person_id) on delete cascade
);

create table sessions (
  id uuid not null,
  hash bytea not null,
  person_id uuid not null,
  user_agent text collate "C" not null,
  -- Whether the person has entered a code at sign-in, or set up two-factor sign-in in this session.
  is_two_factor boolean not null default false,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3) not null,
  constraint sessions_pkey primary key (id),
  constraint sessions_hash_unique unique (hash),
  constraint sessions_person_fkey foreign key (person_id) references people (id) on delete cascade
);
create index sessions_person on sessions (person_id);

-- The link that makes the first person.
create table setup_tokens (
  hash bytea not null,
  expires_at timestamptz(3) not null,
  constraint setup_tokens_pkey primary key (hash)
);

create table memberships (
  workspace_id uuid not null,
  person_id uuid not null,
  role text collate "C" not null,
  created_at timestamptz(3) not null,
  constraint memberships_pkey primary key (workspace_id, person_id),
  constraint memberships_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade,
  constraint memberships_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint memberships_role_known check (role in ('owner', 'member', 'viewer'))
);
create index memberships_person on memberships (person_id);

create table invitations (
  workspace_id uuid not null,
  id uuid not null,
  hash bytea not null,
  role text collate "C" not null,
  -- Null: whoever has the link.
  email text collate "C",
  invited_by uuid not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  constraint invitations_pkey primary key (workspace_id, id),
  constraint invitations_hash_unique unique (hash),
  constraint invitations_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade,
  constraint invitations_person_fkey foreign key (invited_by) references people (id) on delete cascade,
  constraint invitations_role_known check (role in ('owner', 'member', 'viewer'))
);

-- == API keys

create table api_keys (
  workspace_id uuid not null,
  id uuid not null,
  name text collate "C" not null,
  last_four text collate "C" not null,
  -- Null: every scope, those of later versions too.
  scopes text[] collate "C",
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  -- A key is rotated once: a second rotation, or one at the same moment, would leave a key too many.
  rotated_at timestamptz(3),
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

-- == Events and the audit log

create table events (
  workspace_id uuid not null,
  id uuid not null,
  type text collate "C" not null,
  resource_id uuid not null,
  -- json and not jsonb, because what is sent again later must be the same bytes.
  data json not null,
  -- What an update changed, as it was before.
  previous json,
  -- Assigned after the commit, in its order, one by one for each workspace. Ids are made before the commit: a reader who goes by them can
  -- miss what was committed late.
  position bigint,
  -- Who or what caused the event.
  actor_type text collate "C",
  actor_id uuid,
  created_at timestamptz(3) not null,
  constraint events_pkey primary key (workspace_id, id)
);
create index events_resource on events (workspace_id, resource_id);
create unique index events_position on events (workspace_id, position) where position is not null;
create index events_type on events (workspace_id, type, position) where position is not null;
create index events_unplaced on events (workspace_id, id) where position is null;

-- The last position of each workspace.
create table event_positions (
  workspace_id uuid not null,
  position bigint not null,
  constraint event_positions_pkey primary key (workspace_id)
);

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

-- == Contacts

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
  time_zone text collate "C",
  -- Fields that a workspace names itself: texts, numbers and booleans.
  custom_fields jsonb not null default '{}',
  -- As they are shown: contact_crm_ids finds contacts by them, and keeps them unique.
  crm_ids jsonb not null default '{}',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint contacts_pkey primary key (workspace_id, id),
  constraint contacts_phone_number_unique unique (workspace_id, phone_number),
  constraint contacts_source_known check (source in ('api', 'import', 'manual', 'inbound', 'webhook'))
);
create index contacts_created_at on contacts (workspace_id, created_at desc, id desc);
create index contacts_updated_at on contacts (workspace_id, updated_at desc, id desc);
-- Contacts that were never reached come last in both orders.
create index contacts_last_contact_descending on contacts (workspace_id, last_contact_at desc nulls last, id desc);
create index contacts_last_contact_ascending on contacts (workspace_id, last_contact_at, id);
-- Contacts are found by their email without regard to case.
create index contacts_email on contacts (workspace_id, lower(email)) where email is not null;

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

-- What contacts are found by is in narrow tables beside them: a search or a count reads these alone, and a change of a contact that
-- touches none of it leaves them and their indexes as they are.

-- What searches look at, normalized by the server: a line for each field.
create table contact_texts (
  workspace_id uuid not null,
  id uuid not null,
  created_at timestamptz(3) not null,
  text text collate "C" not null,
  constraint contact_texts_pkey primary key (workspace_id, id)
);
create index contact_texts_text on contact_texts using gin (workspace_id, text gin_trgm_ops);

-- Tags as they are compared, in the order in which contacts are listed.
create table contact_tags (
  workspace_id uuid not null,
  tag text collate "C" not null,
  created_at timestamptz(3) not null,
  id uuid not null,
  constraint contact_tags_pkey primary key (workspace_id, tag, created_at, id)
);

-- A row for each custom field of a contact, in the order in which contacts are listed. It finds and counts contacts by a value.
create table contact_custom_fields (
  workspace_id uuid not null,
  -- The name, a colon and the value as text.
  field text collate "C" not null,
  created_at timestamptz(3) not null,
  id uuid not null,
  constraint contact_custom_fields_pkey primary key (workspace_id, field, created_at, id)
);

-- How many contacts there are, by source: the sum of the slots. There are slots so that writers don't queue behind one row.
create table contact_counts (
  workspace_id uuid not null,
  source text collate "C" not null,
  slot smallint not null,
  total bigint not null,
  constraint contact_counts_pkey primary key (workspace_id, source, slot)
) with (fillfactor = 50);

-- The same by the day, in UTC, on which they were created.
create table contact_day_counts (
  workspace_id uuid not null,
  day date not null,
  slot smallint not null,
  total bigint not null,
  constraint contact_day_counts_pkey primary key (workspace_id, day, slot)
) with (fillfactor = 50);

-- How many texts of a workspace have each one or two characters, once it has so many contacts that it is worth it. What was written
-- since it was last summed up is in contact_text_changes: the two together are exact.
create table contact_search_tallies (
  workspace_id uuid not null,
  is_built boolean not null default false,
  constraint contact_search_tallies_pkey primary key (workspace_id)
);

create table contact_search_totals (
  workspace_id uuid not null,
  term text collate "C" not null,
  total bigint not null,
  constraint contact_search_totals_pkey primary key (workspace_id, term)
);

create table contact_text_changes (
  workspace_id uuid not null,
  id uuid not null,
  removed text collate "C",
  added text collate "C",
  constraint contact_text_changes_pkey primary key (workspace_id, id)
);

-- == Models and tools

create table providers (
  workspace_id uuid not null,
  id uuid not null,
  name text collate "C" not null,
  kind text collate "C" not null,
  base_url text collate "C" not null,
  -- Sealed.
  api_key text collate "C",
  default_model text collate "C",
  is_default boolean not null,
  embedding_model text collate "C",
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint providers_pkey primary key (workspace_id, id),
  constraint providers_name_unique unique (workspace_id, name),
  constraint providers_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade,
  constraint providers_kind_known check (kind in ('openai_compatible', 'anthropic', 'elevenlabs', 'deepgram')),
  constraint providers_speech_not_default check (not is_default or kind in ('openai_compatible', 'anthropic'))
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
  -- The headers with their values as JSON, sealed.
  headers text collate "C",
  timeout_ms integer not null,
  has_side_effects boolean not null,
  say_while text collate "C",
  -- Both are sealed.
  secret text collate "C" not null,
  previous_secret text collate "C",
  previous_secret_until timestamptz(3),
  -- Tools are requests to a client's server, or all tools of a server that speaks the Model Context Protocol.
  kind text collate "C" not null default 'http',
  -- How often a model may run a tool, and whether the contact is asked before.
  calls_max integer,
  may_repeat boolean not null default false,
  confirm boolean not null default false,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint tools_pkey primary key (workspace_id, id),
  constraint tools_name_unique unique (workspace_id, name),
  constraint tools_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade,
  constraint tools_method_known check (method in ('GET', 'POST', 'PUT', 'PATCH', 'DELETE')),
  constraint tools_kind_known check (kind in ('http', 'mcp')),
  constraint tools_calls_max_range check (calls_max between 1 and 100)
);

-- == Webhooks

create table webhooks (
  workspace_id uuid not null,
  id uuid not null,
  -- For an inbox, a path of this server.
  url text collate "C" not null,
  events text[] collate "C" not null,
  description text collate "C",
  status text collate "C" not null,
  disabled_reason text collate "C",
  inbox_answer text collate "C",
  -- Both are sealed.
  secret text collate "C" not null,
  previous_secret text collate "C",
  previous_secret_until timestamptz(3),
  -- Since when all attempts have failed.
  failing_since timestamptz(3),
  -- How many attempts have failed since failing_since, with none successful.
  failed_attempts integer not null default 0,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint webhooks_pkey primary key (workspace_id, id),
  constraint webhooks_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade,
  constraint webhooks_status_known check (status in ('active', 'disabled')),
  constraint webhooks_inbox_answer_known check (inbox_answer in ('200', '410', '500', 'hang'))
);

-- One for each event and webhook. No foreign key: a webhook that is deleted at the same moment must not make the change fail that the
-- event is about. What is left of deleted webhooks is never sent, and is removed in the background.
create table webhook_deliveries (
  workspace_id uuid not null,
  webhook_id uuid not null,
  -- That of the event.
  id uuid not null,
  type text collate "C" not null,
  status text collate "C" not null default 'pending',
  -- How many there were since it was sent, or sent again.
  attempt integer not null default 0,
  -- The latest of them, with what was answered.
  attempts jsonb not null default '[]',
  created_at timestamptz(3) not null,
  due_at timestamptz(3),
  constraint webhook_deliveries_pkey primary key (workspace_id, webhook_id, id),
  constraint webhook_deliveries_status_known check (status in ('pending', 'succeeded', 'failed'))
) with (fillfactor = 70);
-- With the id, so that a sender can go on where it was: what it has passed stays in the index until the next vacuum.
create index webhook_deliveries_due on webhook_deliveries (workspace_id, webhook_id, due_at, id) where due_at is not null;
create index webhook_deliveries_failed on webhook_deliveries (workspace_id, webhook_id, id) where status = 'failed';

-- The sum over a webhook's rows is the number of its deliveries. A transaction that adds or removes deliveries adds a row, so
-- that none waits for another; rows are summed up in the background.
create table webhook_delivery_counts (
  workspace_id uuid not null,
  webhook_id uuid not null,
  id uuid not null,
  total bigint not null,
  constraint webhook_delivery_counts_pkey primary key (workspace_id, webhook_id, id)
);

-- A recovery sends failed deliveries again, and events that the webhook missed while it was disabled. It runs in the background.
create table webhook_recoveries (
  workspace_id uuid not null,
  id uuid not null,
  webhook_id uuid not null,
  since timestamptz(3) not null,
  until timestamptz(3) not null,
  recovered integer not null default 0,
  -- All events up to this id are done. Null before the first batch.
  last_event_id uuid,
  created_at timestamptz(3) not null,
  -- Null while it runs.
  finished_at timestamptz(3),
  due_at timestamptz(3),
  lease_until timestamptz(3),
  lease_token uuid,
  attempt smallint not null default 0,
  constraint webhook_recoveries_pkey primary key (workspace_id, id),
  constraint webhook_recoveries_webhook_fkey foreign key (workspace_id, webhook_id)
    references webhooks (workspace_id, id) on delete cascade
);
create index webhook_recoveries_webhook on webhook_recoveries (workspace_id, webhook_id, finished_at);
create index webhook_recoveries_due on webhook_recoveries (workspace_id, due_at) where due_at is not null;

-- One process at a time sends what is due in a workspace. Which deliveries are in flight only that process knows: to write it into
-- each row cost as much as all the rest.
create table webhook_senders (
  workspace_id uuid not null,
  lease_token uuid not null,
  lease_until timestamptz(3) not null,
  constraint webhook_senders_pkey primary key (workspace_id),
  constraint webhook_senders_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);

-- Webhooks that were deleted, until their deliveries are removed as well: deleting millions in one statement takes longer
-- than a statement may.
create table deleted_webhooks (
  workspace_id uuid not null,
  webhook_id uuid not null,
  deleted_at timestamptz(3) not null,
  -- When its deliveries are looked for.
  due_at timestamptz(3) not null,
  constraint deleted_webhooks_pkey primary key (workspace_id, webhook_id),
  constraint deleted_webhooks_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);
create index deleted_webhooks_due on deleted_webhooks (workspace_id, due_at);

-- The last requests to each inbox.
create table inbox_requests (
  workspace_id uuid not null,
  webhook_id uuid not null,
  id uuid not null,
  -- As the request's header says, whoever sent it.
  event_id uuid,
  headers jsonb not null,
  body text collate "C" not null,
  answered text collate "C" not null,
  steps jsonb not null,
  created_at timestamptz(3) not null,
  constraint inbox_requests_pkey primary key (workspace_id, webhook_id, id),
  constraint inbox_requests_webhook_fkey foreign key (workspace_id, webhook_id)
    references webhooks (workspace_id, id) on delete cascade
);
create index inbox_requests_event on inbox_requests (workspace_id, event_id) where event_id is not null;

-- == Documents

-- What agents can look up. The passages of a document are those of its edition: a new one replaces it as a whole.
create table documents (
  workspace_id uuid not null,
  id uuid not null,
  name text collate "C" not null,
  language text collate "C" not null,
  source text collate "C" not null,
  url text collate "C",
  tags text[] collate "C" not null default '{}',
  status text collate "C" not null,
  error text collate "C",
  content_type text collate "C",
  file_id uuid,
  -- Of the file.
  bytes integer not null default 0,
  characters integer not null default 0,
  passages integer not null default 0,
  edition_id uuid,
  -- The file is to be parsed, and of a URL it is to be fetched before.
  must_parse boolean not null default true,
  must_fetch boolean not null default false,
  fetched_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  lease_token uuid,
  attempt integer not null default 0,
  constraint documents_pkey primary key (workspace_id, id),
  constraint documents_name_unique unique (workspace_id, name),
  constraint documents_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade,
  constraint documents_source_known check (source in ('text', 'file', 'url')),
  constraint documents_status_known check (status in ('processing', 'ready', 'failed'))
);
create index documents_created_at on documents (workspace_id, created_at desc, id desc);
create index documents_due on documents (workspace_id, due_at) where due_at is not null;

-- A file as it was uploaded or fetched, in chunks.
create table document_files (
  workspace_id uuid not null,
  id uuid not null,
  -- Null until all of it has arrived.
  bytes integer,
  -- The first bytes, which tell what it is.
  head bytea,
  created_at timestamptz(3) not null,
  constraint document_files_pkey primary key (workspace_id, id),
  constraint document_files_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);
create index document_files_created_at on document_files (workspace_id, created_at);

create table document_chunks (
  workspace_id uuid not null,
  file_id uuid not null,
  position integer not null,
  bytes bytea not null,
  constraint document_chunks_pkey primary key (workspace_id, file_id, position),
  constraint document_chunks_file_fkey foreign key (workspace_id, file_id)
    references document_files (workspace_id, id) on delete cascade
);

create table document_passages (
  workspace_id uuid not null,
  document_id uuid not null,
  edition_id uuid not null,
  id uuid not null,
  position integer not null,
  heading text collate "C" not null,
  text text collate "C" not null,
  -- Words of the headings have the weight A, of the document's name B, and of the text D. They are read for each candidate of a search,
  -- and so not moved out of the row.
  words tsvector not null,
  -- It has the length 1, and is by the model that is named.
  vector real[],
  vector_model text collate "C",
  constraint document_passages_pkey primary key (workspace_id, id),
  constraint document_passages_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
) with (toast_tuple_target = 8160);
create index document_passages_position on document_passages (workspace_id, document_id, edition_id, position);
create index document_passages_words on document_passages using gin (workspace_id, words);

-- How many passages of an edition have a word, as `words` has it. Rare words say more, and a word that is written differently is found by
-- its trigrams.
create table document_words (
  workspace_id uuid not null,
  document_id uuid not null,
  edition_id uuid not null,
  word text collate "C" not null,
  passages integer not null,
  constraint document_words_pkey primary key (workspace_id, word, edition_id) include (passages),
  constraint document_words_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
-- With old statistics, words that are written differently would be looked for among all words of the workspace.
) with (autovacuum_analyze_scale_factor = 0.02);
create index document_words_document on document_words (workspace_id, document_id, edition_id);
-- Words are in lower case. Without the function, this index would be used to look words up, which takes a hundred times as long.
create index document_words_trigrams on document_words using gin (workspace_id, lower(word) gin_trgm_ops);

-- What agents were asked, and found nothing about.
create table document_questions (
  workspace_id uuid not null,
  id uuid not null,
  question text collate "C" not null,
  agent_id uuid not null,
  conversation_id uuid,
  created_at timestamptz(3) not null,
  constraint document_questions_pkey primary key (workspace_id, id),
  constraint document_questions_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);
create index document_questions_created_at on document_questions (workspace_id, created_at desc, id desc);
create index document_questions_conversation on document_questions (workspace_id, conversation_id);

-- Documents that were deleted, until their passages and words are deleted too: there may be too many for one transaction.
create table deleted_documents (
  workspace_id uuid not null,
  id uuid not null,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  lease_token uuid,
  attempt integer not null default 0,
  constraint deleted_documents_pkey primary key (workspace_id, id),
  constraint deleted_documents_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);
create index deleted_documents_due on deleted_documents (workspace_id, due_at) where due_at is not null;

-- == Consent

-- Who has agreed to be called or written to, and who has not. Rows are only added, and each has the hash of the one before.
-- A person is known by `phone_hmac`, so that an opt-out outlives the contact without its number.
create table consents (
  workspace_id uuid not null,
  seq bigint not null,
  id uuid not null,
  -- Not part of the hash: null after the contact was deleted.
  contact_id uuid,
  phone_hmac bytea not null,
  kind text collate "C" not null,
  status text collate "C" not null,
  source text collate "C" not null,
  -- json and not jsonb, because its bytes are part of the hash.
  evidence json,
  created_at timestamptz(3) not null,
  hash bytea not null,
  constraint consents_pkey primary key (workspace_id, seq),
  constraint consents_id_unique unique (workspace_id, id),
  constraint consents_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade,
  constraint consents_kind_known check (kind in ('voice', 'sms', 'all')),
  constraint consents_status_known check (status in ('granted', 'revoked'))
);
create index consents_person on consents (workspace_id, phone_hmac, seq);
create index consents_contact on consents (workspace_id, contact_id) where contact_id is not null;

-- The last row of each workspace's ledger, and the sealed secret of `phone_hmac`.
create table consent_ledgers (
  workspace_id uuid not null,
  secret text collate "C" not null,
  last_seq bigint not null default 0,
  last_hash bytea not null,
  constraint consent_ledgers_pkey primary key (workspace_id),
  constraint consent_ledgers_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);

-- Numbers that are never called or written to.
create table suppressions (
  workspace_id uuid not null,
  id uuid not null,
  -- Null for a person who was erased: then there is only what stands for the number.
  phone_number text collate "C",
  phone_hmac bytea,
  kind text collate "C" not null,
  reason text collate "C",
  created_at timestamptz(3) not null,
  constraint suppressions_pkey primary key (workspace_id, id),
  constraint suppressions_number_unique unique (workspace_id, phone_number, kind),
  constraint suppressions_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade,
  constraint suppressions_kind_known check (kind in ('voice', 'sms', 'all'))
);
create index suppressions_created on suppressions (workspace_id, created_at, id);
create index suppressions_phone_hmac on suppressions (workspace_id, phone_hmac) where phone_hmac is not null;

-- == Agents

-- An agent's draft, its published versions and its deployments.

create table agents (
  workspace_id uuid not null,
  id uuid not null,
  name text collate "C" not null,
  description text collate "C" not null,
  -- No foreign key: the version has one to its agent, and one of a circle would have to be deferred.
  deployed_version_id uuid not null,
  -- Null until it is first changed: it is then the deployed version's.
  draft json,
  has_unpublished_changes boolean not null default false,
  version_count integer not null default 1,
  -- A candidate serves some of the counterparts. Both columns are null without one.
  candidate_version_id uuid,
  candidate_percent integer,
  -- The versions that were deployed before, oldest first: a rollback takes the last one.
  earlier_version_ids uuid[] not null default '{}',
  -- What must be there before a version is deployed: `none` or `tests`.
  deploy_requires text collate "C" not null default 'none',
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
  -- Everything else. json and not jsonb, so that a script keeps the order of its members.
  configuration json not null default '{}',
  note text collate "C",
  content_hash text collate "C",
  created_by json,
  created_at timestamptz(3) not null,
  constraint agent_versions_pkey primary key (workspace_id, id),
  constraint agent_versions_label_unique unique (workspace_id, agent_id, version_label),
  constraint agent_versions_agent_fkey foreign key (workspace_id, agent_id)
    references agents (workspace_id, id) on delete cascade
);
create index agent_versions_created_at on agent_versions (workspace_id, agent_id, created_at desc, id desc);
create unique index agent_versions_content_unique on agent_versions (workspace_id, agent_id, content_hash);

create table agent_deployments (
  workspace_id uuid not null,
  id uuid not null,
  agent_id uuid not null,
  version_id uuid not null,
  percent integer not null,
  -- Deployed although tests were required and had not passed.
  is_forced boolean not null default false,
  created_at timestamptz(3) not null,
  created_by json,
  constraint agent_deployments_pkey primary key (workspace_id, id),
  constraint agent_deployments_agent_fkey foreign key (workspace_id, agent_id)
    references agents (workspace_id, id) on delete cascade
);
create index agent_deployments_created_at on agent_deployments (workspace_id, agent_id, created_at desc, id desc);

-- == Channels

-- Where people reach agents: a web chat, or a number.
create table channels (
  workspace_id uuid not null,
  id uuid not null,
  name text collate "C" not null,
  kind text collate "C" not null,
  provider text collate "C" not null,
  -- A number. Null for a web chat.
  address text collate "C",
  -- Who answers. Null for a simulator that only sends.
  agent_id uuid,
  status text collate "C" not null,
  -- The pages that may show the web chat, besides its own.
  origins text[] collate "C" not null default '{}',
  -- The account at the carrier. The token is sealed.
  account_sid text collate "C",
  auth_token text collate "C",
  api_url text collate "C",
  -- Set on the command line: the operator may name an address in the own network.
  is_api_url_trusted boolean not null default false,
  messages_per_minute_max integer not null,
  messages_per_day_max integer not null,
  tokens_per_day_max bigint,
  -- Why the carrier refuses, while the status is `failing`.
  error text collate "C",
  has_voice boolean not null default false,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint channels_pkey primary key (workspace_id, id),
  constraint channels_address_unique unique (workspace_id, kind, address),
  constraint channels_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade,
  constraint channels_kind_known check (kind in ('voice', 'sms', 'web_chat')),
  constraint channels_provider_known check (provider in ('twilio', 'web', 'simulator')),
  constraint channels_status_known check (status in ('active', 'disabled', 'failing'))
);
create index channels_created on channels (workspace_id, created_at, id);

-- Carriers and visitors name a channel without its workspace.
create table channel_directory (
  channel_id uuid not null,
  workspace_id uuid not null,
  constraint channel_directory_pkey primary key (channel_id),
  constraint channel_directory_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);

-- What a channel has sent in a minute (messages) and on a day (messages and tokens), by the workspace's time.
create table channel_usage (
  workspace_id uuid not null,
  channel_id uuid not null,
  period text collate "C" not null,
  began_at timestamptz(3) not null,
  messages integer not null default 0,
  tokens bigint not null default 0,
  constraint channel_usage_pkey primary key (workspace_id, channel_id, period, began_at),
  constraint channel_usage_period_known check (period in ('minute', 'day'))
);
create index channel_usage_began on channel_usage (workspace_id, began_at);

-- Visitors of web chats, by the hash of the token in their browser.
create table chat_visitors (
  workspace_id uuid not null,
  token_hash bytea not null,
  channel_id uuid not null,
  conversation_id uuid not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  constraint chat_visitors_pkey primary key (workspace_id, token_hash),
  constraint chat_visitors_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);
create index chat_visitors_expires on chat_visitors (workspace_id, expires_at);

-- == Conversations

-- One thread between one counterpart and one agent. While an answer is due or a timer runs, `due_at` is set, and a lease says which
-- process drives the conversation.
create table conversations (
  workspace_id uuid not null,
  id uuid not null,
  kind text collate "C" not null,
  status text collate "C" not null,
  channel_id uuid,
  agent_id uuid not null,
  agent_name text collate "C" not null,
  version_id uuid,
  version_label text collate "C" not null,
  -- The configuration that the conversation began with, when it began with a draft.
  draft jsonb,
  contact_id uuid,
  counterpart text collate "C",
  turn_count integer not null default 0,
  last_turn_at timestamptz(3),
  hand_over_reason text collate "C",
  close_reason text collate "C",
  results jsonb not null default '{}',
  summary text collate "C",
  -- The summary covers the turns up to this one.
  summarized_until integer not null default 0,
  needs_summary boolean not null default false,
  variables jsonb not null default '{}',
  metadata jsonb not null default '{}',
  input_tokens integer not null default 0,
  output_tokens integer not null default 0,
  awaits_answer boolean not null default false,
  -- The last turn of the agent or a person that is finished.
  last_answer_seq integer not null default 0,
  -- Due times by the name of the timer, such as `person`.
  timers jsonb not null default '{}',
  script_state jsonb,
  -- When the contact first said something, for the time until the first answer.
  first_asked_at timestamptz(3),
  -- Since when a conversation that is handed over waits for a person.
  waiting_since timestamptz(3),
  -- Whether it is a trial.
  is_test boolean not null default false,
  -- What stands for the number of a contact that was deleted, so that what is left of it can be found when the person is erased.
  phone_hmac bytea,
  -- When the agent asked in writing whether the contact wants no more calls and messages, and the number of the turn that asks it.
  opt_out_asked_at timestamptz,
  opt_out_asked_seq integer,
  redacted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  lease_token uuid,
  attempt smallint not null default 0,
  constraint conversations_pkey primary key (workspace_id, id),
  constraint conversations_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade,
  constraint conversations_kind_known check (kind in ('api', 'web_chat', 'sms', 'voice')),
  constraint conversations_status_known check (status in ('open', 'handed_over', 'closed'))
);
create index conversations_status on conversations (workspace_id, status, created_at, id);
create index conversations_contact on conversations (workspace_id, contact_id, created_at, id) where contact_id is not null;
create index conversations_due on conversations (workspace_id, due_at, id) where due_at is not null;
create index conversations_leased on conversations (workspace_id, lease_until) where lease_until is not null;
-- One open thread with a number on a channel.
create unique index conversations_open_thread on conversations (workspace_id, channel_id, counterpart)
  where kind = 'sms' and status <> 'closed' and counterpart is not null;
create index conversations_counterpart on conversations (workspace_id, counterpart) where counterpart is not null;
create index conversations_channel on conversations (workspace_id, channel_id, created_at, id) where channel_id is not null;
-- The longest wait comes first.
create index conversations_waiting on conversations (workspace_id, waiting_since, id) where status = 'handed_over';
-- Runs of tests leave many trials, which are newer than most conversations. Lists find those that are trials, or are not, without
-- walking over the others.
create index conversations_listed on conversations (workspace_id, is_test, created_at, id);
create index conversations_listed_by_turn on conversations (workspace_id, is_test, last_turn_at desc nulls last, id desc);
create index conversations_listed_of_agent on conversations (workspace_id, agent_id, is_test, created_at, id);
create index conversations_phone_hmac on conversations (workspace_id, phone_hmac) where phone_hmac is not null;
create index conversations_opt_out_asked on conversations (workspace_id, contact_id) where opt_out_asked_at is not null;

-- What one side said until the other may answer. A turn is open while the agent speaks, and never changes after it is closed.
create table conversation_turns (
  workspace_id uuid not null,
  conversation_id uuid not null,
  seq integer not null,
  role text collate "C" not null,
  text text collate "C" not null,
  heard text collate "C",
  is_open boolean not null default false,
  is_interrupted boolean not null default false,
  latency jsonb,
  usage jsonb,
  -- Why no model has answered.
  error text collate "C",
  message_id uuid,
  -- Of spoken turns: the parts of the turn with their times in the call, as `[{text, start_ms, end_ms}]`.
  speech jsonb,
  -- How the agent's answer ended. Null for the turns of others.
  finish_reason text collate "C",
  -- The person who answered in the dashboard.
  author_id uuid,
  -- The step of the script that a turn of the agent has come to, and why. Null for others.
  script jsonb,
  -- The passages of documents that a turn of the agent is based on, as `[{document_id, passage_id, title}]`. Null if there are none.
  citations jsonb,
  created_at timestamptz(3) not null,
  constraint conversation_turns_pkey primary key (workspace_id, conversation_id, seq),
  constraint conversation_turns_conversation_fkey foreign key (workspace_id, conversation_id)
    references conversations (workspace_id, id) on delete cascade,
  constraint conversation_turns_role_known check (role in ('contact', 'agent', 'human', 'system')),
  constraint conversation_turns_finish_reason_known
    check (finish_reason in ('stop', 'length', 'content_filter', 'tool_loop', 'failed', 'interrupted'))
);

-- A tool run has its row before the tool is called, so that a tool with side effects is never called twice.
create table tool_runs (
  workspace_id uuid not null,
  conversation_id uuid not null,
  id uuid not null,
  -- The turn that it belongs to, when that is written.
  seq integer,
  name text collate "C" not null,
  arguments jsonb not null,
  result jsonb,
  status text collate "C" not null,
  duration_ms integer,
  created_at timestamptz(3) not null,
  constraint tool_runs_pkey primary key (workspace_id, conversation_id, id),
  constraint tool_runs_conversation_fkey foreign key (workspace_id, conversation_id)
    references conversations (workspace_id, id) on delete cascade,
  constraint tool_runs_status_known
    check (status in ('running', 'succeeded', 'failed', 'timeout', 'invalid_arguments', 'unknown', 'refused'))
);
create index tool_runs_created on tool_runs (workspace_id, created_at);

-- How many conversations there are, by status: the sum of the slots. Kept by the transactions that change it.
create table conversation_counts (
  workspace_id uuid not null,
  status text collate "C" not null,
  slot smallint not null,
  total bigint not null,
  constraint conversation_counts_pkey primary key (workspace_id, status, slot),
  constraint conversation_counts_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);

-- The tokens that a workspace has used on a day, by its own time.
create table token_days (
  workspace_id uuid not null,
  day date not null,
  tokens bigint not null,
  constraint token_days_pkey primary key (workspace_id, day),
  constraint token_days_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);

-- == Messages

-- What went through a carrier. An outgoing message has its row before it is sent. Its text is that of its turn.
create table messages (
  workspace_id uuid not null,
  id uuid not null,
  conversation_id uuid not null,
  seq integer not null,
  channel_id uuid not null,
  direction text collate "C" not null,
  -- The carrier's own id, when it is known.
  carrier_id text collate "C",
  status text collate "C" not null,
  segments integer not null,
  error text collate "C",
  -- Goes out also to someone who has opted out: the confirmation of an opt-out, for example.
  is_exempt boolean not null default false,
  -- Set before the carrier is asked. Without an answer it is then unknown whether the message went out.
  sent_at timestamptz(3),
  -- Null: received.
  cost_micros bigint,
  created_at timestamptz(3) not null,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  lease_token uuid,
  attempt smallint not null default 0,
  constraint messages_pkey primary key (workspace_id, id),
  constraint messages_carrier_unique unique (workspace_id, channel_id, carrier_id),
  constraint messages_conversation_fkey foreign key (workspace_id, conversation_id)
    references conversations (workspace_id, id) on delete cascade,
  constraint messages_direction_known check (direction in ('inbound', 'outbound')),
  constraint messages_status_known check (status in ('queued', 'sent', 'delivered', 'failed', 'unknown'))
);
create index messages_conversation on messages (workspace_id, conversation_id, seq);
create index messages_due on messages (workspace_id, due_at, id) where due_at is not null;

-- What a simulated person does after a text message: reports about it, and replies. The id is that of the message.
create table simulated_messages (
  workspace_id uuid not null,
  id uuid not null,
  channel_id uuid not null,
  person text collate "C" not null,
  -- What has happened so far: the next thing follows at `due_at`.
  step smallint not null default 0,
  created_at timestamptz(3) not null,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  lease_token uuid,
  attempt smallint not null default 0,
  constraint simulated_messages_pkey primary key (workspace_id, id),
  constraint simulated_messages_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);
create index simulated_messages_due on simulated_messages (workspace_id, due_at, id) where due_at is not null;

-- == Calls

-- A call is a conversation of kind `voice`, with what happened on the line. Its conversation begins when it is dialled.
create table calls (
  workspace_id uuid not null,
  id uuid not null,
  direction text collate "C" not null,
  status text collate "C" not null,
  outcome text collate "C",
  end_reason text collate "C",
  ended_by text collate "C",
  from_number text collate "C",
  to_number text collate "C",
  contact_id uuid,
  conversation_id uuid,
  agent_id uuid not null,
  agent_name text collate "C" not null,
  version_id uuid,
  version_label text collate "C" not null,
  channel_id uuid,
  campaign_id uuid,
  -- The number of the attempt to reach this contact, from 1.
  attempt integer not null default 1,
  scheduled_at timestamptz(3),
  started_at timestamptz(3),
  answered_at timestamptz(3),
  ended_at timestamptz(3),
  duration_ms integer,
  results jsonb not null default '{}',
  turn_count integer not null default 0,
  recording_status text collate "C" not null default 'none',
  recording_format text collate "C",
  recording_deleted_at timestamptz(3),
  recording_deleted_by text collate "C",
  turn_p50_ms integer,
  turn_p95_ms integer,
  input_tokens integer not null default 0,
  output_tokens integer not null default 0,
  cost_micros bigint not null default 0,
  variables jsonb not null default '{}',
  metadata jsonb not null default '{}',
  is_test boolean not null,
  -- The simulated person that answers, from 00 to 19, when the request has chosen one.
  simulate text collate "C",
  -- The voice of the simulated person, for the recording.
  contact_voice text collate "C",
  -- What is known of the line. Status, outcome and times are computed from it.
  facts jsonb not null default '[]',
  -- In a test workspace: where the call is between two advances of the clock.
  state jsonb,
  -- Someone wants the call to end: `cancel`, `hang_up` or `agent_deleted`.
  request text collate "C",
  -- The words of the call, normalized, when it has ended.
  search_text text collate "C",
  -- The attempt of an enrollment that a call makes: `enrollment id:number`. No attempt has two calls.
  dial_key text collate "C",
  -- The carrier is being asked to dial, and has not answered.
  is_dialing boolean not null default false,
  -- A call of a campaign that was not dialled by then is not dialled: its hours may be over. The campaign takes it back.
  dial_before timestamptz(3),
  -- Whether the agent may leave its message when a voicemail answers.
  leaves_voicemail boolean not null default true,
  -- Whether the call is dialled within the quiet hours of the workspace only, as a promised callback is.
  keeps_quiet_hours boolean not null default false,
  -- The last save of a live call by the process that drives it. When the answer to a commit is lost, the save is repeated with the same
  -- id, and what was committed is not written again.
  last_save uuid,
  -- Null for calls that the simulator carries. The process with the socket drives a call in a browser; `due_at` is when the call ends if
  -- nobody opens the socket, or comes back, by then.
  line text collate "C",
  -- A draft has no version, so its configuration is kept until the call is over.
  draft jsonb,
  -- The hash of the token that opens the socket next. It is null when the call is over.
  socket_token text collate "C",
  -- That of the token before: it works until the client has shown that it has the next one.
  socket_token_before text collate "C",
  -- The only origin of pages that may open the socket. Null: any.
  socket_origin text collate "C",
  -- A hash of the network of a visitor, until the call is over.
  visitor_network text collate "C",
  -- How much sound was recognised and spoken.
  speech_ms integer not null default 0,
  -- The carrier's own id: null until it is known, and for calls that no carrier has.
  carrier_id text collate "C",
  -- What stands for the number of a contact that was deleted.
  phone_hmac bytea,
  redacted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  lease_token uuid,
  -- How often a process has begun to drive it.
  claims smallint not null default 0,
  constraint calls_pkey primary key (workspace_id, id),
  constraint calls_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade,
  constraint calls_direction_known check (direction in ('inbound', 'outbound')),
  constraint calls_status_known
    check (status in ('scheduled', 'queued', 'ringing', 'in_progress', 'completed', 'failed', 'canceled')),
  constraint calls_line_known check (line in ('browser', 'phone'))
-- Calls are updated often while they go on.
) with (fillfactor = 60);
create index calls_created on calls (workspace_id, created_at, id);
create index calls_contact on calls (workspace_id, contact_id, created_at, id) where contact_id is not null;
create index calls_agent on calls (workspace_id, agent_id, created_at, id);
create index calls_campaign on calls (workspace_id, campaign_id, created_at, id) where campaign_id is not null;
create index calls_channel on calls (workspace_id, channel_id, created_at, id) where channel_id is not null;
create index calls_status on calls (workspace_id, status, created_at, id);
create index calls_outcome on calls (workspace_id, outcome, created_at, id) where outcome is not null;
create index calls_number on calls (workspace_id, to_number) where to_number is not null;
create index calls_conversation on calls (workspace_id, conversation_id) where conversation_id is not null;
create index calls_due on calls (workspace_id, due_at, id) where due_at is not null;
create index calls_in_flight on calls (workspace_id) where status in ('queued', 'ringing', 'in_progress');
create index calls_simulated on calls (workspace_id, ended_at) where is_test and ended_at is not null;
create index calls_search on calls using gin (workspace_id, search_text gin_trgm_ops) where search_text is not null;
create index calls_recorded on calls (workspace_id, created_at) where recording_status = 'ready';
create unique index calls_dial_key on calls (workspace_id, dial_key) where dial_key is not null;
create index calls_dialing on calls (workspace_id, campaign_id) where is_dialing;
create index calls_campaign_in_flight on calls (workspace_id, campaign_id)
  where campaign_id is not null and status in ('queued', 'ringing', 'in_progress');
create unique index calls_carrier_id on calls (workspace_id, carrier_id) where carrier_id is not null;
create index calls_phone_hmac on calls (workspace_id, phone_hmac) where phone_hmac is not null;
create index calls_from_number on calls (workspace_id, from_number) where direction = 'inbound' and from_number is not null;

-- What happened on the line, each once: a carrier may report it several times.
create table call_events (
  workspace_id uuid not null,
  call_id uuid not null,
  seq integer not null,
  dedupe_key text collate "C" not null,
  kind text collate "C" not null,
  at timestamptz(3) not null,
  source text collate "C" not null,
  constraint call_events_pkey primary key (workspace_id, call_id, seq),
  constraint call_events_once unique (workspace_id, call_id, dedupe_key),
  constraint call_events_call_fkey foreign key (workspace_id, call_id) references calls (workspace_id, id) on delete cascade
);

-- How many calls there are, by status: the sum of the slots. Kept by the transactions that change it.
create table call_counts (
  workspace_id uuid not null,
  status text collate "C" not null,
  slot smallint not null,
  total bigint not null,
  constraint call_counts_pkey primary key (workspace_id, status, slot),
  constraint call_counts_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);

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

-- The parts of a recording, while its call goes on and until they are joined. A part has its row before its file is stored.
create table recording_parts (
  workspace_id uuid not null,
  id uuid not null,
  call_id uuid not null,
  -- Since the call was answered.
  start_ms integer not null,
  size integer not null,
  blob_key text collate "C" not null,
  -- By the database's time. Until then the file may appear. Null: it is stored.
  upload_until timestamptz(3),
  constraint recording_parts_pkey primary key (workspace_id, id),
  constraint recording_parts_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);
create index recording_parts_call on recording_parts (workspace_id, call_id, start_ms);

-- == Campaigns

-- An agent calls or writes to many contacts, each in hours that suit the contact.
create table campaigns (
  workspace_id uuid not null,
  id uuid not null,
  name text collate "C" not null,
  kind text collate "C" not null,
  status text collate "C" not null,
  pause_reason text collate "C",
  agent_id uuid not null,
  -- Null: the version that is deployed when the contact is called.
  version_id uuid,
  version_label text collate "C",
  channel_ids uuid[] not null,
  variables jsonb not null,
  windows jsonb not null,
  time_zone text collate "C",
  holidays jsonb not null,
  pacing jsonb not null,
  -- What differs from the defaults.
  retry jsonb not null,
  attempts_max integer not null,
  caps jsonb not null,
  consent text collate "C" not null,
  voicemail text collate "C" not null,
  starts_at timestamptz(3),
  ends_at timestamptz(3),
  -- When it last began to run. Pacing grows from here on.
  running_since timestamptz(3),
  -- The last second in which the dialer has decided. It decides once in a second.
  decided_at timestamptz(3),
  -- The circuit breaker looks at attempts that ended after this.
  breaker_since timestamptz(3),
  -- After the circuit breaker has paused it: one attempt at a time, until one succeeds.
  is_probing boolean not null default false,
  -- Wall time. Someone is about to pause or cancel it: until then nothing is dialled.
  held_until timestamptz(3),
  -- Its hours or limits have changed: enrollments that wait are looked at again.
  must_review boolean not null default false,
  -- When `campaign.progress` was last recorded.
  progress_at timestamptz(3),
  -- Contacts that were left out because the campaign was full or over.
  not_enrolled integer not null default 0,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  lease_token uuid,
  attempt smallint not null default 0,
  constraint campaigns_pkey primary key (workspace_id, id),
  constraint campaigns_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade,
  constraint campaigns_kind_known check (kind in ('voice', 'sms')),
  constraint campaigns_status_known check (status in ('draft', 'scheduled', 'running', 'paused', 'completed', 'canceled'))
);
create index campaigns_created on campaigns (workspace_id, created_at, id);
create index campaigns_status on campaigns (workspace_id, status, created_at, id);
create index campaigns_agent on campaigns (workspace_id, agent_id) where status not in ('completed', 'canceled');
create index campaigns_due on campaigns (workspace_id, due_at, id) where due_at is not null;

-- A contact in a campaign. Those of a deleted campaign are deleted in the background.
create table enrollments (
  workspace_id uuid not null,
  id uuid not null,
  campaign_id uuid not null,
  contact_id uuid not null,
  status text collate "C" not null,
  reason text collate "C",
  -- Attempts so far, also the one in progress.
  attempts integer not null default 0,
  -- Attempts before it was last retried. The numbers of attempts continue from here.
  earlier_attempts integer not null default 0,
  -- How many attempts had each outcome.
  outcomes jsonb not null default '{}',
  last_outcome text collate "C",
  last_call_id uuid,
  last_conversation_id uuid,
  -- The earliest time of the next attempt by the rules of the campaign, as far as is known.
  next_attempt_at timestamptz(3),
  -- Not before this, because of the outcome of the last attempt.
  retry_at timestamptz(3),
  -- The contact has asked to be called then.
  callback_at timestamptz(3),
  variables jsonb not null default '{}',
  -- The order among those that are due at the same time.
  rank integer not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- When the dialer looks at it next. Those that were never looked at come first.
  due_at timestamptz(3),
  constraint enrollments_pkey primary key (workspace_id, id),
  constraint enrollments_once unique (workspace_id, campaign_id, contact_id),
  constraint enrollments_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade,
  constraint enrollments_status_known
    check (status in ('pending', 'dialing', 'in_progress', 'waiting', 'completed', 'failed', 'skipped', 'canceled', 'expired'))
);
create index enrollments_created on enrollments (workspace_id, campaign_id, created_at, id);
create index enrollments_status on enrollments (workspace_id, campaign_id, status, created_at, id);
create index enrollments_contact on enrollments (workspace_id, contact_id, created_at, id);
create index enrollments_due on enrollments (workspace_id, campaign_id, due_at, rank, id) where due_at is not null;
create index enrollments_callback on enrollments (workspace_id, campaign_id, due_at) where callback_at is not null;
create index enrollments_call on enrollments (workspace_id, last_call_id) where last_call_id is not null;
create index enrollments_conversation on enrollments (workspace_id, last_conversation_id)
  where last_conversation_id is not null;

-- Every time that a campaign has tried to reach someone. The id is that of the call or the conversation. The person is an HMAC
-- of the number, so that limits hold after the contact or the campaign was deleted.
create table campaign_attempts (
  workspace_id uuid not null,
  id uuid not null,
  campaign_id uuid not null,
  enrollment_id uuid not null,
  attempt integer not null,
  phone_hmac bytea not null,
  at timestamptz(3) not null,
  ended_at timestamptz(3),
  outcome text collate "C",
  is_opt_out boolean not null default false,
  -- The service was stopped or killed during it.
  is_interrupted boolean not null default false,
  constraint campaign_attempts_pkey primary key (workspace_id, id),
  constraint campaign_attempts_once unique (workspace_id, enrollment_id, attempt),
  constraint campaign_attempts_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);
create index campaign_attempts_person on campaign_attempts (workspace_id, phone_hmac, at);
create index campaign_attempts_ended on campaign_attempts (workspace_id, campaign_id, ended_at) where ended_at is not null;
create index campaign_attempts_open on campaign_attempts (workspace_id, campaign_id) where ended_at is null;
create index campaign_attempts_campaign on campaign_attempts (workspace_id, campaign_id, at);
create index campaign_attempts_at on campaign_attempts (workspace_id, at);

-- How many enrollments of a campaign have each status, and how many attempts each outcome: the sum of the slots.
create table campaign_counts (
  workspace_id uuid not null,
  campaign_id uuid not null,
  -- `status` or `outcome`.
  counted text collate "C" not null,
  value text collate "C" not null,
  slot smallint not null,
  total bigint not null,
  constraint campaign_counts_pkey primary key (workspace_id, campaign_id, counted, value, slot),
  constraint campaign_counts_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);

-- Contacts that are being enrolled in the background: those that match a filter, or are in a list.
create table campaign_enrollings (
  workspace_id uuid not null,
  id uuid not null,
  campaign_id uuid not null,
  -- `{filter}` or `{contacts: [{contact_id, variables}]}`.
  source jsonb not null,
  -- Where the next page begins.
  position jsonb,
  created_at timestamptz(3) not null,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  lease_token uuid,
  attempt smallint not null default 0,
  constraint campaign_enrollings_pkey primary key (workspace_id, id),
  constraint campaign_enrollings_campaign_fkey foreign key (workspace_id, campaign_id)
    references campaigns (workspace_id, id) on delete cascade
);
create index campaign_enrollings_due on campaign_enrollings (workspace_id, due_at, id) where due_at is not null;
create index campaign_enrollings_campaign on campaign_enrollings (workspace_id, campaign_id) where due_at is not null;

-- Campaigns that were deleted, until their enrollments are deleted too.
create table deleted_campaigns (
  workspace_id uuid not null,
  id uuid not null,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  lease_token uuid,
  attempt smallint not null default 0,
  constraint deleted_campaigns_pkey primary key (workspace_id, id),
  constraint deleted_campaigns_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);
create index deleted_campaigns_due on deleted_campaigns (workspace_id, due_at, id) where due_at is not null;

-- == Tests of agents

-- What an agent must do in a situation.
create table agent_tests (
  workspace_id uuid not null,
  id uuid not null,
  agent_id uuid not null,
  name text collate "C" not null,
  kind text collate "C" not null,
  is_enabled boolean not null,
  -- Everything else.
  content jsonb not null,
  -- Of the kind and the content.
  content_hash text collate "C" not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint agent_tests_pkey primary key (workspace_id, id),
  constraint agent_tests_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade,
  constraint agent_tests_kind_known check (kind in ('reply', 'conversation', 'simulation'))
);
create index agent_tests_agent on agent_tests (workspace_id, agent_id, created_at, id);

-- Plays tests of an agent in the background, or says past conversations again. `due_at` is set until it has ended.
create table test_runs (
  workspace_id uuid not null,
  id uuid not null,
  agent_id uuid not null,
  agent_name text collate "C" not null,
  kind text collate "C" not null,
  -- Null for a draft.
  version_id uuid,
  version_label text collate "C" not null,
  -- That of a draft, as it was when the run was created.
  draft jsonb,
  -- Of the configuration that is tested.
  content_hash text collate "C" not null,
  status text collate "C" not null,
  repeat integer not null,
  passes_min integer not null,
  tests integer not null,
  done integer not null default 0,
  passed integer not null default 0,
  failed integer not null default 0,
  errors integer not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  created_by jsonb not null,
  -- Its conversations are deleted before the run is.
  has_conversations boolean not null default true,
  -- Wall time, as the next two.
  created_at timestamptz(3) not null,
  started_at timestamptz(3),
  ended_at timestamptz(3),
  due_at timestamptz(3),
  lease_until timestamptz(3),
  lease_token uuid,
  attempt smallint not null default 0,
  constraint test_runs_pkey primary key (workspace_id, id),
  constraint test_runs_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade,
  constraint test_runs_kind_known check (kind in ('tests', 'replay')),
  constraint test_runs_status_known check (status in ('queued', 'running', 'completed', 'canceled'))
);
create index test_runs_agent on test_runs (workspace_id, agent_id, created_at, id);
create index test_runs_created on test_runs (workspace_id, created_at, id);
create index test_runs_due on test_runs (workspace_id, due_at, id) where due_at is not null;
create index test_runs_conversations on test_runs (workspace_id, created_at, id) where has_conversations;
create index test_runs_content on test_runs (workspace_id, agent_id, content_hash, created_at)
  where status = 'completed' and kind = 'tests';

-- One test of a run, as it was when the run was created.
create table test_run_results (
  workspace_id uuid not null,
  id uuid not null,
  run_id uuid not null,
  position integer not null,
  -- The test may be deleted later.
  test_id uuid,
  -- In a replay, with its contact when it was said again: what they have said goes with them.
  source_conversation_id uuid,
  source_contact_id uuid,
  name text collate "C" not null,
  kind text collate "C" not null,
  -- What is to be played. Null when it has been.
  content jsonb,
  content_hash text collate "C" not null,
  status text collate "C" not null,
  passes integer not null default 0,
  runs integer not null default 0,
  is_repeatable boolean not null default true,
  failures jsonb not null default '[]',
  differences jsonb not null default '[]',
  error text collate "C",
  -- Of all runs, in order.
  conversation_ids uuid[] not null default '{}',
  -- The one to look at first.
  conversation_id uuid,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  constraint test_run_results_pkey primary key (workspace_id, id),
  constraint test_run_results_position_unique unique (workspace_id, run_id, position),
  constraint test_run_results_run_fkey foreign key (workspace_id, run_id)
    references test_runs (workspace_id, id) on delete cascade,
  constraint test_run_results_status_known check (status in ('queued', 'passed', 'failed', 'error', 'canceled'))
);
create index test_run_results_source on test_run_results (workspace_id, source_conversation_id)
  where source_conversation_id is not null;
create index test_run_results_source_contact on test_run_results (workspace_id, source_contact_id)
  where source_contact_id is not null;

-- == Analytics

-- How many calls, conversations and attempts of campaigns there were in each quarter of an hour, in UTC, by what they belong to. A
-- transaction only adds rows, so none waits for another. Rows that were added are replaced by their sums in the background, once for
-- the quarter and once for the day, and a reader adds up what it finds.
create table analytics_counts (
  workspace_id uuid not null,
  kind text collate "C" not null,
  -- Of the quarter, or of the day in the workspace's time zone.
  start_at timestamptz(3) not null,
  is_day boolean not null default false,
  id uuid not null,
  is_sum boolean not null default false,
  agent_id uuid,
  agent_version_id uuid,
  channel_id uuid,
  campaign_id uuid,
  outcome text collate "C",
  total bigint not null default 0,
  -- Calls that a person has answered, and attempts that have reached someone.
  reached bigint not null default 0,
  completed bigint not null default 0,
  handed_over bigint not null default 0,
  closed bigint not null default 0,
  turns bigint not null default 0,
  cost_micros bigint not null default 0,
  -- How many times fall into each bucket of the histograms.
  buckets smallint[] not null default '{}',
  bucket_totals integer[] not null default '{}',
  constraint analytics_counts_pkey primary key (workspace_id, kind, is_day, start_at, id),
  constraint analytics_counts_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);
create index analytics_counts_added on analytics_counts (workspace_id, kind, start_at, id) where not is_sum;

-- The time zone of the days. Whoever replaces rows by their sums shares this row.
create table analytics_days (
  workspace_id uuid not null,
  time_zone text collate "C" not null,
  constraint analytics_days_pkey primary key (workspace_id),
  constraint analytics_days_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);

-- == Imports

-- A file as it was read: lists of cells, in chunks that are each carried out as one batch.
create table import_files (
  workspace_id uuid not null,
  id uuid not null,
  columns text[] collate "C" not null,
  -- Null until all of it has arrived.
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
  -- A list of lists of cells, with null in the place of a row whose contact was deleted.
  rows json not null,
  constraint import_chunks_pkey primary key (workspace_id, file_id, first_row),
  constraint import_chunks_file_fkey foreign key (workspace_id, file_id)
    references import_files (workspace_id, id) on delete cascade
);
-- To compress them takes longer than to write them.
alter table import_chunks alter column rows set storage external;

create table imports (
  workspace_id uuid not null,
  id uuid not null,
  status text collate "C" not null,
  is_dry_run boolean not null,
  file_name text collate "C",
  on_conflict text collate "C" not null,
  default_country text collate "C",
  columns text[] collate "C" not null,
  mapping jsonb not null,
  total integer,
  done integer not null default 0,
  created integer not null default 0,
  updated integer not null default 0,
  skipped integer not null default 0,
  refused integer not null default 0,
  undo_skipped integer not null default 0,
  error text collate "C",
  -- Contacts are enrolled in this campaign.
  campaign_id uuid,
  consent text collate "C",
  -- Contacts that were left out because the campaign was full or over.
  not_enrolled integer not null default 0,
  created_at timestamptz(3) not null,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  undone_at timestamptz(3),
  -- Null when its file and rows are gone.
  file_id uuid,
  -- While it is undone: rows from this one on are done.
  undone_from integer,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  lease_token uuid,
  attempt smallint not null default 0,
  constraint imports_pkey primary key (workspace_id, id),
  constraint imports_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade,
  constraint imports_status_known
    check (status in ('queued', 'running', 'finished', 'canceled', 'failed', 'undoing', 'undone')),
  constraint imports_on_conflict_known check (on_conflict in ('skip', 'update'))
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
  -- The contact's updated_at as the row left it: with another one it was changed since.
  written_at timestamptz(3),
  -- What an updated contact was before.
  before jsonb,
  constraint import_rows_pkey primary key (workspace_id, import_id, row_number),
  constraint import_rows_outcome_known check (outcome in ('created', 'updated', 'skipped', 'refused'))
);
create index import_rows_contact on import_rows (workspace_id, contact_id) where contact_id is not null;
create index import_rows_outcome on import_rows (workspace_id, import_id, outcome, row_number) where outcome <> 'created';

-- Numbers that a dry run has met, as long as it runs: a run finds them among the contacts.
create table import_numbers (
  workspace_id uuid not null,
  import_id uuid not null,
  phone_number text collate "C" not null,
  row_number integer not null,
  constraint import_numbers_pkey primary key (workspace_id, import_id, phone_number)
);

-- == Integrations

create table integrations (
  workspace_id uuid not null,
  id uuid not null,
  name text collate "C" not null,
  status text collate "C" not null,
  -- Contact fields, each with the JSON pointer to its value.
  field_map jsonb not null,
  default_country text collate "C",
  -- Both are sealed. The token is part of the address, which is shown again.
  token text collate "C" not null,
  signing_secret text collate "C",
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint integrations_pkey primary key (workspace_id, id),
  constraint integrations_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade,
  constraint integrations_status_known check (status in ('active', 'disabled'))
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
  -- json, which takes what jsonb refuses. Null when the contact was deleted.
  payload json,
  received_at timestamptz(3) not null,
  constraint integration_receipts_pkey primary key (workspace_id, integration_id, id),
  constraint integration_receipts_integration_fkey foreign key (workspace_id, integration_id)
    references integrations (workspace_id, id) on delete cascade,
  constraint integration_receipts_outcome_known check (outcome in ('created', 'updated', 'unchanged', 'refused'))
);
create index integration_receipts_contact on integration_receipts (workspace_id, contact_id) where contact_id is not null;

-- What was received with a signature, by the sender's id for it, so that a repeat is not done again.
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
create index integration_messages_received_at on integration_messages (workspace_id, received_at);

-- == Erasures

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
