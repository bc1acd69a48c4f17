-- without a transaction
-- Contacts are found by their email, without regard to case.
drop index concurrently if exists contacts_email;
create index concurrently contacts_email on contacts (workspace_id, lower(email)) where email is not null;
