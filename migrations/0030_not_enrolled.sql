-- Contacts that were left out because the campaign was full or over.
alter table campaigns add column not_enrolled integer not null default 0;
alter table imports add column not_enrolled integer not null default 0;
