-- When the last codes were entered, the oldest first: the limit holds for all processes.
alter table two_factor_secrets add column tried_at timestamptz(3)[] not null default '{}';
