-- Who has agreed to be called or written to, and who has not. Rows are only added, and each has the hash of the one before.
-- A person is known by `phone_hmac`, so that an opt-out outlives the contact without its number.
create table consents (
  workspace_id uuid not null,
  seq bigint not null,
  id uuid not null,
  -- Not part of the hash: null after the contact was deleted.
  contact_id uuid,
  phone_hmac bytea not null,
  kind text collate "C" not null,
  status text collate "C" not null,
  source text collate "C" not null,
  -- json and not jsonb, because its bytes are part of the hash.
  evidence json,
  created_at timestamptz(3) not null,
  hash bytea not null,
  constraint consents_pkey primary key (workspace_id, seq),
  constraint consents_id_unique unique (workspace_id, id),
  constraint consents_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade,
  constraint consents_kind_known check (kind in ('voice', 'sms', 'all')),
  constraint consents_status_known check (status in ('granted', 'revoked'))
);
create index consents_person on consents (workspace_id, phone_hmac, seq);
create index consents_contact on consents (workspace_id, contact_id) where contact_id is not null;

-- The last row of each workspace's ledger, and the sealed secret of `phone_hmac`.
create table consent_ledgers (
  workspace_id uuid not null,
  secret text collate "C" not null,
  last_seq bigint not null default 0,
  last_hash bytea not null,
  constraint consent_ledgers_pkey primary key (workspace_id),
  constraint consent_ledgers_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);

-- Numbers that are never called or written to.
create table suppressions (
  workspace_id uuid not null,
  id uuid not null,
  phone_number text collate "C" not null,
  kind text collate "C" not null,
  reason text collate "C",
  created_at timestamptz(3) not null,
  constraint suppressions_pkey primary key (workspace_id, id),
  constraint suppressions_number_unique unique (workspace_id, phone_number, kind),
  constraint suppressions_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade,
  constraint suppressions_kind_known check (kind in ('voice', 'sms', 'all'))
);
create index suppressions_created on suppressions (workspace_id, created_at, id);
