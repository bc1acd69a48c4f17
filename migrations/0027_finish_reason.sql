-- How the agent's answer ended. Null for the turns of others, and for those from before.
alter table conversation_turns add column finish_reason text collate "C",
  add constraint conversation_turns_finish_reason_known check (finish_reason in
    ('stop', 'length', 'content_filter', 'tool_loop', 'failed', 'interrupted')) not valid;
