-- What contacts are found by stands in narrow tables beside them: a search or a count reads these alone, and a change of
-- a contact that touches none of it leaves them and their indexes as they are.

-- What search looks at, folded by the server.
create table contact_texts (
  workspace_id uuid not null,
  id uuid not null,
  created_at timestamptz(3) not null,
  text text collate "C" not null,
  constraint contact_texts_pkey primary key (workspace_id, id)
);
insert into contact_texts (workspace_id, id, created_at, text)
  select workspace_id, id, created_at, search_text from contacts;
create index contact_texts_text on contact_texts using gin (workspace_id, text gin_trgm_ops);

-- Tags as they are compared, in the order in which contacts are listed.
create table contact_tags (
  workspace_id uuid not null,
  tag text collate "C" not null,
  created_at timestamptz(3) not null,
  id uuid not null,
  constraint contact_tags_pkey primary key (workspace_id, tag, created_at, id)
);
insert into contact_tags (workspace_id, tag, created_at, id)
  select distinct workspace_id, tag, created_at, id from contacts, unnest(tags_folded) as tag;

drop index contacts_search, contacts_tags;
alter table contacts drop column search_text, drop column tags_folded;

-- How many texts of a workspace hold each one or two characters, once it has so many contacts that it is worth it.
-- What was written since it was last summed up is in contact_text_changes: the two together are exact.
create table contact_gram_tallies (
  workspace_id uuid not null,
  -- only transactions before this one can have missed that changes are to be noted; null until it is known
  noted_from xid8,
  is_built boolean not null default false,
  constraint contact_gram_tallies_pkey primary key (workspace_id)
);

create table contact_grams (
  workspace_id uuid not null,
  gram text collate "C" not null,
  total bigint not null,
  constraint contact_grams_pkey primary key (workspace_id, gram)
);

create table contact_text_changes (
  workspace_id uuid not null,
  id uuid not null,
  removed text collate "C",
  added text collate "C",
  constraint contact_text_changes_pkey primary key (workspace_id, id)
);
