-- How many attempts have failed since failing_since, with none successful.
alter table webhooks add column failed_attempts integer not null default 0;

-- The log shows the host of a webhook only: addresses often hold secrets in path and query. Older events follow.
update events set data = json_build_object('id', data -> 'id',
  'host', lower(substring(data ->> 'url' from '^https?://([^/?#\\]*)')), 'events', data -> 'events',
  'description', data -> 'description', 'status', data -> 'status', 'disabled_reason', data -> 'disabled_reason',
  'failing_since', data -> 'failing_since', 'created_at', data -> 'created_at', 'updated_at', data -> 'updated_at')
where type in ('webhook.disabled', 'webhook.test');
