-- without a transaction
-- Calls by telephone. `line` is `phone` for these, in both directions. Requests must not wait behind these changes of the table.
set lock_timeout = '500ms';
-- The carrier's own id: null until it is known, and for calls that no carrier has.
alter table calls add column if not exists carrier_id text collate "C";
alter table calls
  drop constraint if exists calls_line_known,
  add constraint calls_line_known check (line in ('browser', 'phone')) not valid;
-- These two let others read and write.
set lock_timeout = '1h';
alter table calls validate constraint calls_line_known;
drop index concurrently if exists calls_carrier_id;
create unique index concurrently calls_carrier_id on calls (workspace_id, carrier_id) where carrier_id is not null;
