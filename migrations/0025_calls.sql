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
    check (status in ('scheduled', 'queued', 'ringing', 'in_progress', 'completed', 'failed', 'canceled'))
);
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

-- Of spoken turns: the parts of the turn with their times in the call, as `[{text, start_ms, end_ms}]`.
alter table conversation_turns add column speech jsonb;

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
