-- Only settings that were changed: the server fills in the defaults.
alter table workspaces add column settings jsonb not null default '{}';
-- Null until the first change.
alter table workspaces add column updated_at timestamptz(3);
