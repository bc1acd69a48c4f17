-- The pattern * no longer stands for the events of API keys. Webhooks that have it keep them.
update webhooks set events = events || '{api_key.*}'::text[] where '*' = any (events) and not 'api_key.*' = any (events);
