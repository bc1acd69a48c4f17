-- Null: received, or written before there was a cost.
alter table messages add column cost_micros bigint;
