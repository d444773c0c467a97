-- Persons whose data was erased, or is being erased. The rows stay as the proof, and for copies that are restored later.
create table erasures (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  contact_id uuid not null,
  -- Keyed hashes, by which a restored copy finds the addresses again without naming them.
  address_hashes text[] not null,
  requested_by uuid,
  requested_at timestamptz(3) not null,
  -- How far the work has come. All that names the person is emptied at its end.
  phase smallint not null default 0,
  last_id uuid,
  contact_ids uuid[] not null default '{}',
  addresses text[] not null default '{}',
  names text[] not null default '{}',
  tickets_deleted integer not null default 0,
  tickets_kept integer not null default 0,
  messages_erased integer not null default 0,
  finished_at timestamptz(3),
  primary key (workspace_id, id)
);
create index erasures_of_contact on erasures (workspace_id, contact_id);
create index erasures_unfinished on erasures (requested_at) where finished_at is null;

-- The contact is the stub of a person who was erased.
alter table contacts add column erased_at timestamptz(3);
