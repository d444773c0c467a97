-- Room that is taken before a file is received: the bytes count as used until the file has its row, or the reservation
-- ends. Its process renews it. What a refused file left in the store stays counted until the sweep has removed it.
create table storage_reservations (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  kind text not null check (kind in ('upload', 'import', 'image', 'left')),
  bytes bigint not null,
  ends_at timestamptz not null,
  primary key (workspace_id, id)
);
