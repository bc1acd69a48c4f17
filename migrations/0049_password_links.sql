-- A link with which a person sets a new password. A person has at most one.
create table password_links (
  person_id uuid not null,
  hash bytea not null,
  -- null: the command line made it
  created_by uuid,
  expires_at timestamptz(3) not null,
  constraint password_links_pkey primary key (person_id),
  constraint password_links_hash_unique unique (hash),
  constraint password_links_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint password_links_created_by_fkey foreign key (created_by) references people (id) on delete cascade
);
