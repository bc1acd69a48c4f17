-- without a transaction
drop index concurrently if exists conversations_opt_out_asked;
create index concurrently conversations_opt_out_asked on conversations (workspace_id, contact_id) where opt_out_asked_at is not null;
