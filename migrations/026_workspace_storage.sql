-- Bytes that a workspace keeps, while STORAGE_BYTES_PER_WORKSPACE limits them: counted in the transactions that write them. A row that is
-- missing is measured when it is first needed.
create table workspace_storage (
  workspace_id uuid primary key references workspaces (id),
  used_bytes bigint not null
);
