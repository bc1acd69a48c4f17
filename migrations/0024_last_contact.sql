-- without a transaction
-- Contacts that were never reached come last in both orders.
create index concurrently if not exists contacts_last_contact_descending
  on contacts (workspace_id, last_contact_at desc nulls last, id desc);
create index concurrently if not exists contacts_last_contact_ascending on contacts (workspace_id, last_contact_at, id);
