-- Which records came from exports and importers, so that a second import takes only what has changed.
create table imported_records (
  workspace_id uuid not null references workspaces (id),
  kind text not null,
  -- As the import names the record.
  id uuid not null,
  -- The record in this workspace, which is another one for a person whose address was known already.
  here_id uuid not null,
  -- SHA-256 of the record as it was imported.
  content_hash bytea not null,
  -- A ticket's version after its import: a higher one shows that people have worked on it since.
  version integer,
  primary key (workspace_id, kind, id)
);
