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
create index conversations_created on conversations (workspace_id, created_at, id);
create index conversations_last_turn on conversations (workspace_id, last_turn_at desc nulls last, id desc);
create index conversations_status on conversations (workspace_id, status, created_at, id);
create index conversations_contact on conversations (workspace_id, contact_id, created_at, id) where contact_id is not null;
create index conversations_agent on conversations (workspace_id, agent_id, created_at, id);
create index conversations_due on conversations (workspace_id, due_at, id) where due_at is not null;
create index conversations_leased on conversations (workspace_id, lease_until) where lease_until is not null;

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
  message jsonb,
  -- Why no model has answered.
  error text collate "C",
  created_at timestamptz(3) not null,
  constraint conversation_turns_pkey primary key (workspace_id, conversation_id, seq),
  constraint conversation_turns_conversation_fkey foreign key (workspace_id, conversation_id)
    references conversations (workspace_id, id) on delete cascade,
  constraint conversation_turns_role_known check (role in ('contact', 'agent', 'human', 'system'))
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
    check (status in ('running', 'succeeded', 'failed', 'timeout', 'invalid_arguments', 'unknown'))
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

-- What a stored answer is about, so that it can be redacted with it.
alter table idempotency_keys add column resource_id uuid;
create index idempotency_keys_resource on idempotency_keys (workspace_id, resource_id) where resource_id is not null;
