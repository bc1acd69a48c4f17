-- Who or what caused an event. Both are null in events from before.
alter table events add column actor_type text collate "C", add column actor_id uuid;
