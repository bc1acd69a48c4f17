-- A key is replaced once: who rotates it twice, or at the same moment as another, would have a key too many.
alter table api_keys add column rotated_at timestamptz(3);
