-- Lists that people keep under a name.
create table views (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  -- Whose alone it is; null: shared by all. A personal one goes with its owner's membership, a shared one stays.
  owner_id uuid,
  created_by uuid not null references users (id),
  name text not null,
  -- Filters and order, as the list takes them.
  query jsonb not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, owner_id) references members (workspace_id, user_id) on delete cascade
);
create index views_owner on views (workspace_id, owner_id);

alter table contacts
  -- The contact that this one's address leads to; never one that is merged itself.
  add column merged_into_id uuid,
  -- Words of name and address, folded, with the workspace's lexeme. Null: to be made by the hourly sweep.
  add column search tsvector,
  add foreign key (workspace_id, merged_into_id) references contacts (workspace_id, id);
create index contacts_merged on contacts (workspace_id, merged_into_id) where merged_into_id is not null;
create index contacts_unindexed on contacts (workspace_id, id) where search is null;
create index contacts_search on contacts using gin (search) with (fastupdate = off);
