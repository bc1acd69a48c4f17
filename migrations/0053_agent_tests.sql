-- What an agent must do in a situation. Runs play it.
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
  -- In a replay.
  source_conversation_id uuid,
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
  constraint test_run_results_run_fkey foreign key (workspace_id, run_id) references test_runs (workspace_id, id) on delete cascade,
  constraint test_run_results_status_known check (status in ('queued', 'passed', 'failed', 'error', 'canceled'))
);

-- What must be there before a version is deployed: `none` or `tests`.
alter table agents add column deploy_requires text collate "C" not null default 'none';
-- Deployed although tests were required and had not passed.
alter table agent_deployments add column is_forced boolean not null default false;
