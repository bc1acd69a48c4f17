-- How many attempts have failed since failing_since, with none successful.
alter table webhooks add column failed_attempts integer not null default 0;

-- The log shows the host of a webhook only: addresses often hold secrets in path and query. Older events follow.
update events set data = json_build_object('id', data -> 'id',
  'host', lower(substring(data ->> 'url' from '^https?://([^/?#\\]*)')), 'events', data -> 'events',
  'description', data -> 'description', 'status', data -> 'status', 'disabled_reason', data -> 'disabled_reason',
  'failing_since', data -> 'failing_since', 'created_at', data -> 'created_at', 'updated_at', data -> 'updated_at')
where type in ('webhook.disabled', 'webhook.test');

-- Webhooks that were deleted, until their deliveries are removed as well: deleting millions in one statement takes longer
-- than a statement may.
create table deleted_webhooks (
  workspace_id uuid not null,
  webhook_id uuid not null,
  deleted_at timestamptz(3) not null,
  -- when its deliveries are looked for
  due_at timestamptz(3) not null,
  constraint deleted_webhooks_pkey primary key (workspace_id, webhook_id),
  constraint deleted_webhooks_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);
create index deleted_webhooks_due on deleted_webhooks (workspace_id, due_at);

-- The sum over a webhook's rows is the number of its deliveries. A transaction that adds or removes deliveries adds a row, so
-- that none waits for another; rows are summed up in the background.
create table webhook_delivery_counts (
  workspace_id uuid not null,
  webhook_id uuid not null,
  id uuid not null,
  total bigint not null,
  constraint webhook_delivery_counts_pkey primary key (workspace_id, webhook_id, id)
);
lock table webhook_deliveries in share mode;
insert into webhook_delivery_counts (workspace_id, webhook_id, id, total)
  select workspace_id, webhook_id, webhook_id, count(*) from webhook_deliveries group by workspace_id, webhook_id;
-- What a webhook's deletion left behind until now.
insert into deleted_webhooks (workspace_id, webhook_id, deleted_at, due_at)
  select workspace_id, webhook_id, now(), now() from webhook_delivery_counts
  where exists (select from workspaces where workspaces.id = workspace_id) and not exists (select from webhooks
    where webhooks.workspace_id = webhook_delivery_counts.workspace_id and webhooks.id = webhook_id);

create index integration_messages_received_at on integration_messages (workspace_id, received_at);
