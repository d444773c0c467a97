-- People who write, and those who may not.

create table contacts (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  email text not null,
  email_key text not null,
  name text,
  -- By what right an import chose the way name and address are written: the least claim wins, whatever the order of
  -- files. Null: they came otherwise and stay.
  name_claim text collate "C",
  created_at timestamptz(3) not null,
  -- The contact that this one's address leads to; never one that is merged itself.
  merged_into_id uuid,
  -- Words of name and address, folded. Each begins with the workspace's letters, the last five of its id.
  search tsvector,
  -- Whether the pictures of a person's mails are shown without asking.
  shows_remote_images boolean not null default false,
  -- The contact is the stub of a person who was erased.
  erased_at timestamptz(3),
  primary key (workspace_id, id),
  unique (workspace_id, email_key),
  foreign key (workspace_id, merged_into_id) references contacts (workspace_id, id)
);
create index contacts_merged on contacts (workspace_id, merged_into_id) where merged_into_id is not null;
create index contacts_unindexed on contacts (workspace_id, id) where search is null;
create index contacts_search on contacts using gin (search) with (fastupdate = off);

-- Addresses to which a workspace has written, and when it first did: new ones are limited a day.
create table mailed_recipients (
  workspace_id uuid not null references workspaces (id),
  email_key text not null,
  first_mailed_at timestamptz(3) not null,
  primary key (workspace_id, email_key)
);
create index mailed_recipients_recent on mailed_recipients (workspace_id, first_mailed_at);

-- Addresses and domains whose mail becomes spam.
create table blocked_senders (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  -- As a person wrote it.
  sender text not null,
  -- Folded, the domain as in DNS. An address has an @, a domain has none.
  sender_key text not null,
  created_by uuid not null references users (id),
  created_at timestamptz(3) not null,
  primary key (workspace_id, id),
  unique (workspace_id, sender_key)
);

-- Persons whose data was erased, or is being erased. The rows stay as the proof, and for copies that are restored
-- later.
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
