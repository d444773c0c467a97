-- The right to ingest a workspace's pending mail. One process has it at a time, by the database's clock.
create table ingest_leases (
  workspace_id uuid primary key references workspaces (id) on delete cascade,
  lease_until timestamptz not null
);
