-- without a transaction
drop index concurrently if exists conversations_phone_hmac;
create index concurrently conversations_phone_hmac on conversations (workspace_id, phone_hmac) where phone_hmac is not null;
drop index concurrently if exists calls_phone_hmac;
create index concurrently calls_phone_hmac on calls (workspace_id, phone_hmac) where phone_hmac is not null;
drop index concurrently if exists calls_from_number;
create index concurrently calls_from_number on calls (workspace_id, from_number) where direction = 'inbound' and from_number is not null;
drop index concurrently if exists suppressions_phone_hmac;
create index concurrently suppressions_phone_hmac on suppressions (workspace_id, phone_hmac) where phone_hmac is not null;
