-- Workspaces: members, keys, the audit log, and what they store.

create table workspaces (
  id uuid primary key,
  name text not null,
  created_at timestamptz(3) not null,
  -- Nobody acts in such a workspace but in a session with a second factor.
  require_second_factor boolean not null default false,
  -- Tags with a colour, each as {"tag", "colour"}. Few, and read with the workspace.
  tag_colours jsonb not null default '[]',
  -- When a member's first answer was sent. To search all messages for an answer takes seconds in a workspace without
  -- any.
  answered_at timestamptz(3),
  -- Further addresses at which a workspace gets its mail, as its admins name them.
  own_addresses text[] not null default '{}'
);

create table members (
  workspace_id uuid not null references workspaces (id),
  user_id uuid not null references users (id),
  role text not null check (role in ('owner', 'admin', 'agent', 'viewer')),
  created_at timestamptz(3) not null,
  -- Out already, while the last of their many tickets are handed back; the row goes with those.
  removed_at timestamptz(3),
  -- Put below what the member writes here; sanitised HTML.
  signature_html text,
  primary key (workspace_id, user_id)
);
create index members_user on members (user_id);

create table invites (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  email text not null,
  email_key text not null,
  role text not null check (role in ('owner', 'admin', 'agent', 'viewer')),
  invited_by uuid not null references users (id),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  accepted_at timestamptz(3),
  revoked_at timestamptz(3),
  primary key (workspace_id, id)
);
create index invites_pending on invites (workspace_id, email_key) where accepted_at is null and revoked_at is null;

-- Where mail for a workspace comes in, and the key that signs the plus tokens of its answers. Asked by address before
-- the workspace is known: like users, these rows belong to no workspace's data.
create table inbound_addresses (
  -- Lower case; the domain is the one of MAIL_FROM.
  local_part text primary key,
  workspace_id uuid not null unique references workspaces (id),
  reply_key bytea not null
);

-- Keys for programs: each acts in its one workspace, as its maker and with a role of its own, and goes with the maker's
-- membership.
create table api_keys (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  user_id uuid not null,
  name text not null,
  role text not null check (role in ('owner', 'admin', 'agent', 'viewer')),
  -- SHA-256 of the secret, which is told once and kept nowhere.
  secret_hash bytea not null,
  -- The secret's last characters, by which people tell keys apart.
  secret_ending text not null,
  created_at timestamptz(3) not null,
  -- To the minute.
  last_used_at timestamptz(3),
  primary key (workspace_id, id),
  unique (workspace_id, secret_hash),
  foreign key (workspace_id, user_id) references members (workspace_id, user_id) on delete cascade
);
create index api_keys_user on api_keys (workspace_id, user_id);
-- For the one question that names no workspace: whether a secret that is none of this workspace's is one of another's.
create index api_keys_secret on api_keys (secret_hash);

-- Who did what to accounts, members, keys and settings. What befalls an account is told in each workspace that the
-- person is a member of at the time. No foreign keys: an entry outlives whom and what it tells of.
create table audit_log (
  workspace_id uuid not null,
  id uuid not null,
  type text not null,
  -- Null: nobody who was known.
  actor_user_id uuid,
  -- The API key that acted for that user.
  actor_key_id uuid,
  subject_id uuid not null,
  data jsonb not null,
  ip text,
  user_agent text,
  correlation_id text,
  created_at timestamptz(3) not null,
  primary key (workspace_id, id)
);
create index audit_log_time on audit_log (workspace_id, created_at desc, id desc);
create index audit_log_type on audit_log (workspace_id, type, created_at desc, id desc);
create index audit_log_actor on audit_log (workspace_id, actor_user_id, created_at desc, id desc);

-- Entries are added and read, never changed: not by the table's owner either, which the service's role is. What no
-- privilege keeps out is a superuser, and an owner who grants itself the right again.
revoke update, delete, truncate on audit_log from public, current_user;

-- Answers kept for a day, so that a repeated POST is answered and not done again.
create table idempotent_answers (
  workspace_id uuid not null references workspaces (id),
  actor_id uuid not null,
  method text not null,
  route text not null,
  key text not null,
  request_hash bytea not null,
  status smallint not null,
  headers jsonb not null,
  body text not null,
  created_at timestamptz(3) not null,
  primary key (workspace_id, actor_id, method, route, key)
);
create index idempotent_answers_age on idempotent_answers (created_at);

-- Bytes that a workspace keeps, while STORAGE_BYTES_PER_WORKSPACE limits them: counted in the transactions that write
-- them. A row that is missing is measured when it is first needed.
create table workspace_storage (
  workspace_id uuid primary key references workspaces (id),
  used_bytes bigint not null,
  -- By which rule the bytes were counted. A count by another rule is measured again when it is next needed.
  version smallint not null default 1
);

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

-- Blobs that perhaps no attachment names: noted before an upload's bytes are put, and when an unused upload is deleted;
-- struck out when an attachment names them. What stays here for long, because of a crash for example, is looked at by
-- the sweep.
create table loose_blobs (
  workspace_id uuid not null references workspaces (id),
  sha256 text not null,
  noted_at timestamptz(3) not null,
  primary key (workspace_id, sha256)
);
create index loose_blobs_age on loose_blobs (noted_at);

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
