-- How many calls, conversations and attempts of campaigns there were in each quarter of an hour, in UTC, by what they belong to. A
-- transaction only adds rows, so none waits for another. Rows that were added are replaced by their sums in the background, once for
-- the quarter and once for the day, and a reader adds up what it finds.
create table analytics_counts (
  workspace_id uuid not null,
  kind text collate "C" not null,
  -- Of the quarter, or of the day in the workspace's time zone.
  start_at timestamptz(3) not null,
  is_day boolean not null default false,
  id uuid not null,
  is_sum boolean not null default false,
  agent_id uuid,
  agent_version_id uuid,
  channel_id uuid,
  campaign_id uuid,
  outcome text collate "C",
  total bigint not null default 0,
  -- Calls that a person has answered, and attempts that have reached someone.
  reached bigint not null default 0,
  completed bigint not null default 0,
  handed_over bigint not null default 0,
  closed bigint not null default 0,
  turns bigint not null default 0,
  cost_micros bigint not null default 0,
  -- How many times fall into each bucket of the histograms.
  buckets smallint[] not null default '{}',
  bucket_totals integer[] not null default '{}',
  constraint analytics_counts_pkey primary key (workspace_id, kind, is_day, start_at, id),
  constraint analytics_counts_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);
create index analytics_counts_added on analytics_counts (workspace_id, kind, start_at, id) where not is_sum;

-- The time zone of the days. Whoever replaces rows by their sums shares this row.
create table analytics_days (
  workspace_id uuid not null,
  time_zone text collate "C" not null,
  constraint analytics_days_pkey primary key (workspace_id),
  constraint analytics_days_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);

-- Rows from before this table are counted in the background, by their ids: those up to `counted_until` are. Ids from `live_from` on are
-- counted by the transactions that write them. Until then, the version before may write too.
create table analytics_fills (
  workspace_id uuid not null,
  kind text collate "C" not null,
  counted_until uuid not null default '00000000-0000-0000-0000-000000000000',
  live_from uuid not null,
  constraint analytics_fills_pkey primary key (workspace_id, kind),
  constraint analytics_fills_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);

-- UUIDv7: the first id of an hour from now.
insert into analytics_fills (workspace_id, kind, live_from)
select workspaces.id, kinds.kind,
  (lpad(to_hex((extract(epoch from now() + interval '1 hour') * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid
from workspaces cross join (values ('calls'), ('conversations'), ('campaigns')) as kinds (kind);
