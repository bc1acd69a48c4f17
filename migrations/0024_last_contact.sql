-- without a transaction
-- Contacts that were never reached come last in both orders.
drop index concurrently if exists contacts_last_contact_descending;
create index concurrently contacts_last_contact_descending
  on contacts (workspace_id, last_contact_at desc nulls last, id desc);
drop index concurrently if exists contacts_last_contact_ascending;
create index concurrently contacts_last_contact_ascending on contacts (workspace_id, last_contact_at, id);
