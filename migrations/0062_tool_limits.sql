-- How often a model may run a tool, and whether the contact is asked before.
alter table tools
  add column calls_max integer,
  add column may_repeat boolean not null default false,
  add column confirm boolean not null default false,
  add constraint tools_calls_max_range check (calls_max between 1 and 100);

alter table tool_runs
  drop constraint tool_runs_status_known,
  add constraint tool_runs_status_known
    check (status in ('running', 'succeeded', 'failed', 'timeout', 'invalid_arguments', 'unknown', 'refused')) not valid;
