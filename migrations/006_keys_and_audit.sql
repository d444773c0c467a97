-- Keys for programs: each acts in its one workspace, as its maker and with a role of its own, and goes with the maker's membership.
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

-- Out already, while the last of their many tickets are handed back; the row goes with those.
alter table members add column removed_at timestamptz(3);

-- Who did what to accounts, members, keys and settings. What befalls an account is told in each workspace that the person is
-- a member of at the time. No foreign keys: an entry outlives whom and what it tells of.
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
