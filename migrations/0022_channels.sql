-- Where people reach agents: a web chat, or a number.
create table channels (
  workspace_id uuid not null,
  id uuid not null,
  name text collate "C" not null,
  kind text collate "C" not null,
  provider text collate "C" not null,
  -- A number. Null for a web chat.
  address text collate "C",
  -- Who answers. Null for a simulator that only sends.
  agent_id uuid,
  status text collate "C" not null,
  -- The pages that may show the web chat, besides its own.
  origins text[] collate "C" not null default '{}',
  -- The account at the carrier. The token is sealed.
  account_sid text collate "C",
  auth_token text collate "C",
  api_url text collate "C",
  -- Set on the command line: the operator may name an address in the own network.
  is_api_url_trusted boolean not null default false,
  messages_per_minute_max integer not null,
  messages_per_day_max integer not null,
  tokens_per_day_max bigint,
  -- Why the carrier refuses, while the status is `failing`.
  error text collate "C",
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint channels_pkey primary key (workspace_id, id),
  constraint channels_address_unique unique (workspace_id, kind, address),
  constraint channels_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade,
  constraint channels_kind_known check (kind in ('voice', 'sms', 'web_chat')),
  constraint channels_provider_known check (provider in ('twilio', 'web', 'simulator')),
  constraint channels_status_known check (status in ('active', 'disabled', 'failing'))
);
create index channels_created on channels (workspace_id, created_at, id);

-- Carriers and visitors name a channel without its workspace.
create table channel_directory (
  channel_id uuid not null,
  workspace_id uuid not null,
  constraint channel_directory_pkey primary key (channel_id),
  constraint channel_directory_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);

-- What a channel has sent in a minute (messages) and on a day (messages and tokens), by the workspace's time.
create table channel_usage (
  workspace_id uuid not null,
  channel_id uuid not null,
  period text collate "C" not null,
  began_at timestamptz(3) not null,
  messages integer not null default 0,
  tokens bigint not null default 0,
  constraint channel_usage_pkey primary key (workspace_id, channel_id, period, began_at),
  constraint channel_usage_period_known check (period in ('minute', 'day'))
);
create index channel_usage_began on channel_usage (workspace_id, began_at);

-- Test workspaces have a channel that sends to nobody.
with added as (
  insert into channels (workspace_id, id, name, kind, provider, address, status, messages_per_minute_max, messages_per_day_max, created_at, updated_at)
    select id, gen_random_uuid(), 'SMS simulator', 'sms', 'simulator', '+15550100100', 'active', 1000000, 1000000, created_at, created_at
    from workspaces where kind = 'test'
  returning id, workspace_id
)
insert into channel_directory (channel_id, workspace_id) select id, workspace_id from added;

-- What went through a carrier. An outgoing message has its row before it is sent. Its text is that of its turn.
create table messages (
  workspace_id uuid not null,
  id uuid not null,
  conversation_id uuid not null,
  seq integer not null,
  channel_id uuid not null,
  direction text collate "C" not null,
  -- The carrier's own id, when it is known.
  carrier_id text collate "C",
  status text collate "C" not null,
  segments integer not null,
  error text collate "C",
  -- Goes out also to someone who has opted out: the confirmation of an opt-out, for example.
  is_exempt boolean not null default false,
  -- Set before the carrier is asked. Without an answer it is then unknown whether the message went out.
  sent_at timestamptz(3),
  created_at timestamptz(3) not null,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  lease_token uuid,
  attempt smallint not null default 0,
  constraint messages_pkey primary key (workspace_id, id),
  constraint messages_carrier_unique unique (workspace_id, channel_id, carrier_id),
  constraint messages_conversation_fkey foreign key (workspace_id, conversation_id)
    references conversations (workspace_id, id) on delete cascade,
  constraint messages_direction_known check (direction in ('inbound', 'outbound')),
  constraint messages_status_known check (status in ('queued', 'sent', 'delivered', 'failed', 'unknown'))
);
create index messages_conversation on messages (workspace_id, conversation_id, seq);
create index messages_due on messages (workspace_id, due_at, id) where due_at is not null;

alter table conversation_turns drop column message, add column message_id uuid;

-- One open thread with a number on a channel.
create unique index conversations_open_thread on conversations (workspace_id, channel_id, counterpart)
  where kind = 'sms' and status <> 'closed' and counterpart is not null;
create index conversations_counterpart on conversations (workspace_id, counterpart) where counterpart is not null;
create index conversations_channel on conversations (workspace_id, channel_id, created_at, id) where channel_id is not null;

-- Visitors of web chats, by the hash of the token in their browser.
create table chat_visitors (
  workspace_id uuid not null,
  token_hash bytea not null,
  channel_id uuid not null,
  conversation_id uuid not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  constraint chat_visitors_pkey primary key (workspace_id, token_hash),
  constraint chat_visitors_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);
create index chat_visitors_expires on chat_visitors (workspace_id, expires_at);
