create table webhooks (
  workspace_id uuid not null,
  id uuid not null,
  -- of an inbox a path of this server
  url text collate "C" not null,
  events text[] collate "C" not null,
  description text collate "C",
  status text collate "C" not null,
  disabled_reason text collate "C",
  inbox_answer text collate "C",
  -- sealed
  secret text collate "C" not null,
  previous_secret text collate "C",
  previous_secret_until timestamptz(3),
  -- since when there was nothing but failure
  failing_since timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint webhooks_pkey primary key (workspace_id, id),
  constraint webhooks_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade,
  constraint webhooks_status_known check (status in ('active', 'disabled')),
  constraint webhooks_inbox_answer_known check (inbox_answer in ('200', '410', '500', 'hang'))
);

-- One for each event and endpoint. No foreign key: an endpoint that is deleted at the same moment must not make the
-- change fail that the event tells of. What is left of deleted ones is never sent, and goes with the events.
create table webhook_deliveries (
  workspace_id uuid not null,
  webhook_id uuid not null,
  -- the event's
  id uuid not null,
  type text collate "C" not null,
  status text collate "C" not null default 'pending',
  -- how many there were since it was sent, or sent again
  attempt integer not null default 0,
  -- the latest of them, with what was answered
  attempts jsonb not null default '[]',
  created_at timestamptz(3) not null,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  lease_token uuid,
  constraint webhook_deliveries_pkey primary key (workspace_id, webhook_id, id),
  constraint webhook_deliveries_status_known check (status in ('pending', 'succeeded', 'failed'))
) with (fillfactor = 70);
create index webhook_deliveries_due on webhook_deliveries (workspace_id, webhook_id, due_at) where due_at is not null;
create index webhook_deliveries_failed on webhook_deliveries (workspace_id, webhook_id, id) where status = 'failed';

-- The last ones that came to each inbox.
create table inbox_requests (
  workspace_id uuid not null,
  webhook_id uuid not null,
  id uuid not null,
  -- as its header says, whoever sent it
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
