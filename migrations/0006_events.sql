-- The text as it was said: what is sent again later must be the same bytes. (jsonb would sort its members.)
alter table events alter column data type json using data::json;
-- What an update changed, as it was before.
alter table events add column previous json;
-- Given after the commit, in its order, one by one for each workspace: ids are made before it, so who reads by id can
-- miss what was committed late.
alter table events add column position bigint;
create unique index events_position on events (workspace_id, position) where position is not null;
create index events_type on events (workspace_id, type, position) where position is not null;
create index events_unplaced on events (workspace_id, id) where position is null;

create table event_positions (
  workspace_id uuid not null,
  position bigint not null,
  constraint event_positions_pkey primary key (workspace_id)
);
