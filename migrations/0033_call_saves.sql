-- The last save of a live call by the process that drives it. When the answer to a commit is lost, the save is repeated with the same
-- id, and what was committed is not written again.
alter table calls add column last_save uuid;
