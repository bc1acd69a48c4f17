-- Why the last advance has ended before its target. The next advance clears it.
alter table test_clocks add column error text collate "C";
-- Wall time at which work of the advance was last done.
alter table test_clocks add column progress_at timestamptz(3);
-- In a test workspace an answer is also not stored for longer than a day of wall time. Null in a live workspace.
alter table idempotency_keys add column wall_expires_at timestamptz(3);
