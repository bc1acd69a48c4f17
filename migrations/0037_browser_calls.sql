-- Calls in a browser. `line` is `browser` for these, and null for those that the simulator carries. The process with the socket drives
-- the call; `due_at` is when the call ends if nobody opens the socket, or comes back, by then.
alter table calls
  add column line text collate "C",
  -- A draft has no version, so its configuration is kept until the call is over.
  add column draft jsonb,
  -- The hash of the token that opens the socket next. It is null when the call is over.
  add column socket_token text collate "C",
  -- That of the token before: it works until the client has shown that it has the next one.
  add column socket_token_before text collate "C",
  -- The only origin of pages that may open the socket. Null: any.
  add column socket_origin text collate "C",
  -- A hash of the network of a visitor, until the call is over.
  add column visitor_network text collate "C",
  -- How much sound was recognised and spoken.
  add column speech_ms integer not null default 0,
  add constraint calls_line_known check (line in ('browser'));

-- The parts of a recording, while its call goes on and until they are joined. A part has its row before its file is stored.
create table recording_parts (
  workspace_id uuid not null,
  id uuid not null,
  call_id uuid not null,
  -- Since the call was answered.
  start_ms integer not null,
  size integer not null,
  blob_key text collate "C" not null,
  -- By the database's time. Until then the file may appear. Null: it is stored.
  upload_until timestamptz(3),
  constraint recording_parts_pkey primary key (workspace_id, id),
  constraint recording_parts_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);
create index recording_parts_call on recording_parts (workspace_id, call_id, start_ms);

alter table channels add column has_voice boolean not null default false;
