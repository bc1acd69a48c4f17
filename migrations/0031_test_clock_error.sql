-- Why the last advance has ended before its target. The next advance clears it.
alter table test_clocks add column error text collate "C";
-- Wall time at which work of the advance was last done.
alter table test_clocks add column progress_at timestamptz(3);
