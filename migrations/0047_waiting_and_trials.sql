-- Since when a conversation that is handed over waits for a person, and whether it is a trial.
alter table conversations add column waiting_since timestamptz(3), add column is_test boolean not null default false;
-- The person who answered in the dashboard.
alter table conversation_turns add column author_id uuid;
