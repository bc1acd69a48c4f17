-- The step of the script that a turn of the agent has come to, and why. Null for others, and for turns from before this column.
alter table conversation_turns add column script jsonb;
