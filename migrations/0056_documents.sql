-- What agents can look up. The passages of a document are those of its edition: a new one replaces it as a whole.
create table documents (
  workspace_id uuid not null,
  id uuid not null,
  name text collate "C" not null,
  language text collate "C" not null,
  source text collate "C" not null,
  url text collate "C",
  tags text[] collate "C" not null default '{}',
  status text collate "C" not null,
  error text collate "C",
  content_type text collate "C",
  file_id uuid,
  -- of the file
  bytes integer not null default 0,
  characters integer not null default 0,
  passages integer not null default 0,
  edition_id uuid,
  -- The file is to be parsed, and of a URL it is to be fetched before.
  must_parse boolean not null default true,
  must_fetch boolean not null default false,
  fetched_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  lease_token uuid,
  attempt integer not null default 0,
  constraint documents_pkey primary key (workspace_id, id),
  constraint documents_name_unique unique (workspace_id, name),
  constraint documents_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade,
  constraint documents_source_known check (source in ('text', 'file', 'url')),
  constraint documents_status_known check (status in ('processing', 'ready', 'failed'))
);
create index documents_created_at on documents (workspace_id, created_at desc, id desc);
create index documents_due on documents (workspace_id, due_at) where due_at is not null;

create table document_files (
  workspace_id uuid not null,
  id uuid not null,
  -- null until all of it has arrived
  bytes integer,
  -- the first bytes, which tell what it is
  head bytea,
  created_at timestamptz(3) not null,
  constraint document_files_pkey primary key (workspace_id, id),
  constraint document_files_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);
create index document_files_created_at on document_files (workspace_id, created_at);

create table document_chunks (
  workspace_id uuid not null,
  file_id uuid not null,
  position integer not null,
  bytes bytea not null,
  constraint document_chunks_pkey primary key (workspace_id, file_id, position),
  constraint document_chunks_file_fkey foreign key (workspace_id, file_id)
    references document_files (workspace_id, id) on delete cascade
);

create table document_passages (
  workspace_id uuid not null,
  document_id uuid not null,
  edition_id uuid not null,
  id uuid not null,
  position integer not null,
  heading text collate "C" not null,
  text text collate "C" not null,
  -- It is read for each candidate of a search, and so not moved out of the row. Words of the headings have the weight A, of the document's name B, and of the text D.
  words tsvector not null,
  -- Of the length 1, by the model that is named.
  vector real[],
  vector_model text collate "C",
  constraint document_passages_pkey primary key (workspace_id, id),
  constraint document_passages_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
) with (toast_tuple_target = 8160);
create index document_passages_position on document_passages (workspace_id, document_id, edition_id, position);
create index document_passages_words on document_passages using gin (workspace_id, words);

-- How many passages of an edition have a word, as `words` has it. Rare words say more, and a word that is written differently is found by
-- its trigrams.
create table document_words (
  workspace_id uuid not null,
  document_id uuid not null,
  edition_id uuid not null,
  word text collate "C" not null,
  passages integer not null,
  constraint document_words_pkey primary key (workspace_id, word, edition_id) include (passages),
  constraint document_words_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
-- With old statistics, words that are written differently would be looked for among all words of the workspace.
) with (autovacuum_analyze_scale_factor = 0.02);
create index document_words_document on document_words (workspace_id, document_id, edition_id);
-- Words are in lower case. Without the function, this index would be used to look words up, which takes a hundred times as long.
create index document_words_trigrams on document_words using gin (workspace_id, lower(word) gin_trgm_ops);

-- Their passages and words are deleted in the background: there may be too many for one transaction.
create table deleted_documents (
  workspace_id uuid not null,
  id uuid not null,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  lease_token uuid,
  attempt integer not null default 0,
  constraint deleted_documents_pkey primary key (workspace_id, id),
  constraint deleted_documents_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);
create index deleted_documents_due on deleted_documents (workspace_id, due_at) where due_at is not null;

-- What was asked and not found.
create table document_questions (
  workspace_id uuid not null,
  id uuid not null,
  question text collate "C" not null,
  agent_id uuid not null,
  conversation_id uuid,
  created_at timestamptz(3) not null,
  constraint document_questions_pkey primary key (workspace_id, id),
  constraint document_questions_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);
create index document_questions_created_at on document_questions (workspace_id, created_at desc, id desc);
create index document_questions_conversation on document_questions (workspace_id, conversation_id);
