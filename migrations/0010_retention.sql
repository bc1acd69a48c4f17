-- How many attempts have failed since failing_since, with none successful.
alter table webhooks add column failed_attempts integer not null default 0;
