-- An agent's draft, its published versions and its deployments. The previous release creates agents without a draft: theirs is their v1.
alter table agents
  add column draft json,
  add column has_unpublished_changes boolean not null default false,
  add column version_count integer not null default 1,
  -- a candidate serves some of the counterparts; both columns are null without one
  add column candidate_version_id uuid,
  add column candidate_percent integer,
  -- the versions that were deployed before, oldest first: a rollback takes the last one
  add column earlier_version_ids uuid[] not null default '{}';

-- json and not jsonb, so that a script keeps the order of its members. `configuration` has everything but the instructions.
alter table agent_versions
  add column configuration json not null default '{}',
  add column note text collate "C",
  add column content_hash text collate "C",
  add column created_by json;
create unique index agent_versions_content_unique on agent_versions (workspace_id, agent_id, content_hash);

create table agent_deployments (
  workspace_id uuid not null,
  id uuid not null,
  agent_id uuid not null,
  version_id uuid not null,
  percent integer not null,
  created_at timestamptz(3) not null,
  created_by json,
  constraint agent_deployments_pkey primary key (workspace_id, id),
  constraint agent_deployments_agent_fkey foreign key (workspace_id, agent_id)
    references agents (workspace_id, id) on delete cascade
);
create index agent_deployments_created_at on agent_deployments (workspace_id, agent_id, created_at desc, id desc);

-- The id of the version is as old as the deployment, and unique here.
insert into agent_deployments (workspace_id, id, agent_id, version_id, percent, created_at)
  select workspace_id, deployed_version_id, id, deployed_version_id, 100, created_at from agents;
