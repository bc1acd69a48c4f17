-- without a transaction
-- Polls go through the due workspaces of a kind in turn, page after page.
drop index concurrently if exists due_workspaces_turn;
create index concurrently due_workspaces_turn on due_workspaces (kind, due_at, workspace_id);
drop index concurrently if exists due_workspaces_due;
