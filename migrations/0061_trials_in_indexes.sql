-- without a transaction
-- Runs of tests leave many trials, which are newer than most conversations. Lists find those that are trials, or are not, without
-- walking over the others.
drop index concurrently if exists conversations_listed;
create index concurrently conversations_listed on conversations (workspace_id, is_test, created_at, id);
drop index concurrently if exists conversations_listed_by_turn;
create index concurrently conversations_listed_by_turn on conversations (workspace_id, is_test, last_turn_at desc nulls last, id desc);
drop index concurrently if exists conversations_listed_of_agent;
create index concurrently conversations_listed_of_agent on conversations (workspace_id, agent_id, is_test, created_at, id);
-- The previous version finds the same by those above.
drop index concurrently if exists conversations_created;
drop index concurrently if exists conversations_last_turn;
drop index concurrently if exists conversations_agent;
drop index concurrently if exists conversations_trials;
