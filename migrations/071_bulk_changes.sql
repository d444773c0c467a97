-- Changes of all tickets that matched a query. Processes work on each until none of its tickets waits.
create table bulk_changes (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  created_by uuid not null,
  created_at timestamptz(3) not null,
  query jsonb not null,
  change jsonb not null,
  state text not null check (state in ('running', 'done', 'stopped', 'undoing', 'undone')),
  undone_by uuid,
  -- Counts of its tickets. While the work goes on, they are counted anew.
  total integer not null,
  changed integer not null default 0,
  unchanged integer not null default 0,
  refused integer not null default 0,
  undone integer not null default 0,
  kept integer not null default 0,
  finished_at timestamptz(3),
  undone_at timestamptz(3),
  primary key (workspace_id, id)
);
create index bulk_changes_unfinished on bulk_changes (workspace_id, id) where state in ('running', 'undoing');

create table bulk_change_tickets (
  workspace_id uuid not null,
  bulk_change_id uuid not null,
  ticket_id uuid not null,
  state text not null default 'waiting'
    check (state in ('waiting', 'changed', 'unchanged', 'refused', 'undone', 'kept')),
  -- What the change made of the ticket, so that it can be undone.
  made jsonb,
  error jsonb,
  primary key (workspace_id, bulk_change_id, ticket_id),
  foreign key (workspace_id, bulk_change_id) references bulk_changes (workspace_id, id) on delete cascade
);
create index bulk_change_tickets_by_state on bulk_change_tickets (workspace_id, bulk_change_id, state, ticket_id);
