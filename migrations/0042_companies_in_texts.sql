-- without a transaction
-- Searches find companies. A text that has the company has five lines; those that have fewer are written again in the background.
drop index concurrently if exists contact_texts_without_company;
create index concurrently contact_texts_without_company on contact_texts (workspace_id, id) where text not like E'%\n%\n%\n%\n%';
