-- Tools are requests to a client's server, or all tools of a server that speaks the Model Context Protocol.
alter table tools
  add column kind text collate "C" not null default 'http',
  add constraint tools_kind_known check (kind in ('http', 'mcp'));
