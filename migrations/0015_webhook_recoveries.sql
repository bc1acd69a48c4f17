-- A recovery sends failed deliveries again, and events that the webhook missed while it was disabled. It runs in the background.
create table webhook_recoveries (
  workspace_id uuid not null,
  id uuid not null,
  webhook_id uuid not null,
  since timestamptz(3) not null,
  until timestamptz(3) not null,
  recovered integer not null default 0,
  -- all events up to this id are done; null before the first batch
  last_event_id uuid,
  created_at timestamptz(3) not null,
  -- null while it runs
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
