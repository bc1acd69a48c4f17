-- Fields that a workspace names itself: texts, numbers and booleans.
alter table contacts add column custom_fields jsonb not null default '{}';

-- A row for each custom field of a contact, in the order in which contacts are listed. It finds and counts contacts by a value.
create table contact_custom_fields (
  workspace_id uuid not null,
  -- The name, a colon and the value as text.
  field text collate "C" not null,
  created_at timestamptz(3) not null,
  id uuid not null,
  constraint contact_custom_fields_pkey primary key (workspace_id, field, created_at, id)
);
