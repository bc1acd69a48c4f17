alter table contacts add column time_zone text collate "C";

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
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  lease_token uuid,
  attempt smallint not null default 0,
  constraint campaigns_pkey primary key (workspace_id, id),
  constraint campaigns_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade,
  constraint campaigns_kind_known check (kind in ('voice', 'sms')),
  constraint campaigns_status_known
    check (status in ('draft', 'scheduled', 'running', 'paused', 'completed', 'canceled'))
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
  constraint enrollments_status_known check (status in ('pending', 'dialing', 'in_progress', 'waiting', 'completed',
    'failed', 'skipped', 'canceled', 'expired'))
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

-- The attempt of an enrollment that a call makes: `enrollment id:number`. No attempt has two calls.
-- Calls are updated often while they go on: there is room for it.
alter table calls set (fillfactor = 60);
alter table calls add column dial_key text collate "C";
create unique index calls_dial_key on calls (workspace_id, dial_key) where dial_key is not null;
-- The carrier is being asked to dial, and has not answered.
alter table calls add column is_dialing boolean not null default false;
create index calls_dialing on calls (workspace_id, campaign_id) where is_dialing;
create index calls_campaign_in_flight on calls (workspace_id, campaign_id)
  where campaign_id is not null and status in ('queued', 'ringing', 'in_progress');
-- A call of a campaign that was not dialled by then is not dialled: its hours may be over. The campaign takes it back.
alter table calls add column dial_before timestamptz(3);
-- Whether the agent may leave its message when a voicemail answers.
alter table calls add column leaves_voicemail boolean not null default true;

alter table imports add column campaign_id uuid;
alter table imports add column consent text collate "C";
