-- Pictures of mails that were fetched from other servers on behalf of readers, kept for a week.
create table remote_images (
  workspace_id uuid not null references workspaces (id),
  -- SHA-256 of the address, hex.
  address_key text not null,
  sha256 text not null,
  content_type text not null,
  size_bytes bigint not null,
  fetched_at timestamptz(3) not null,
  primary key (workspace_id, address_key)
);
create index remote_images_fetched on remote_images (fetched_at);
create index remote_images_blob on remote_images (workspace_id, sha256);

-- Whether the pictures of a person's mails are shown without asking.
alter table contacts add column shows_remote_images boolean not null default false;
