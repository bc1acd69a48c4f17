create table two_factor_secrets (
  person_id uuid not null,
  -- sealed
  secret text collate "C" not null,
  created_at timestamptz(3) not null,
  -- null until the person has entered a first code: two-factor sign-in is off
  confirmed_at timestamptz(3),
  -- of the last code that was used: this one and older ones don't work again
  last_step bigint not null default 0,
  constraint two_factor_secrets_pkey primary key (person_id),
  constraint two_factor_secrets_person_fkey foreign key (person_id) references people (id) on delete cascade
);

-- Those that were not used yet.
create table recovery_codes (
  person_id uuid not null,
  hash bytea not null,
  constraint recovery_codes_pkey primary key (person_id, hash),
  constraint recovery_codes_person_fkey foreign key (person_id) references two_factor_secrets (person_id) on delete cascade
);

-- Whether the person has entered a code at sign-in, or set up two-factor sign-in in this session.
alter table sessions add column is_two_factor boolean not null default false;
