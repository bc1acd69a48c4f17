-- One process at a time sends what is due in a workspace. Which deliveries it has under way it knows by itself: to write that
-- into each row cost as much as all the rest.
create table webhook_senders (
  workspace_id uuid not null,
  lease_token uuid not null,
  lease_until timestamptz(3) not null,
  constraint webhook_senders_pkey primary key (workspace_id),
  constraint webhook_senders_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade
);

alter table webhook_deliveries drop column lease_until, drop column lease_token;

-- Where attempts were sent was not kept until now.
update webhook_deliveries set attempts = (select jsonb_agg('{"url": null}' || attempt order by place)
  from jsonb_array_elements(attempts) with ordinality as made (attempt, place))
where attempts <> '[]';

-- With the id, so that a sender can go on where it was: what it has passed stays in the index until the next vacuum.
drop index webhook_deliveries_due;
create index webhook_deliveries_due on webhook_deliveries (workspace_id, webhook_id, due_at, id) where due_at is not null;
