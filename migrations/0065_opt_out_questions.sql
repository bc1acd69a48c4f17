-- When the agent asked in writing whether the contact wants no more calls and messages, and the number of the turn that asks it.
alter table conversations
  add column opt_out_asked_at timestamptz,
  add column opt_out_asked_seq integer;
