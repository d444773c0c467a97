-- People and how they sign in. These tables belong to no workspace.
create table users (
  id uuid primary key,
  email text not null,
  -- The address folded for comparison; an address is unique without case.
  email_key text not null unique,
  name text,
  password_hash text,
  email_verified_at timestamptz(3),
  last_workspace_id uuid,
  created_at timestamptz(3) not null
);

create table sessions (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  -- Where it was opened: a refresh answers with this workspace while the person is still a member.
  workspace_id uuid,
  user_agent text,
  ip text,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3) not null,
  ended_at timestamptz(3)
);
create index sessions_user on sessions (user_id);

-- Refresh tokens are stored as SHA-256; a spent one stays until it would have run out, so that its reuse is seen.
create table refresh_tokens (
  token_hash bytea primary key,
  session_id uuid not null references sessions (id) on delete cascade,
  -- The token that was spent for this one; null for a session's first.
  parent_hash bytea,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  spent_at timestamptz(3)
);
create index refresh_tokens_session on refresh_tokens (session_id);

-- Single-use links in mails, stored as SHA-256. An invitation's names its workspace and invite, the others a user.
create table link_tokens (
  token_hash bytea primary key,
  kind text not null check (kind in ('verify-email', 'invitation', 'password-reset')),
  user_id uuid references users (id) on delete cascade,
  workspace_id uuid,
  invite_id uuid,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create index link_tokens_user on link_tokens (user_id, kind);
create index link_tokens_invite on link_tokens (workspace_id, invite_id);

-- When an address or account last did a thing that may be done only so often.
create table throttles (
  action text not null,
  subject text not null,
  last_at timestamptz(3) not null,
  primary key (action, subject)
);

-- Wrong passwords of the last minutes. The account is the address as it was tried, folded: there need be none.
create table password_failures (
  id uuid primary key,
  account_key text not null,
  ip text not null,
  failed_at timestamptz(3) not null
);
create index password_failures_account on password_failures (account_key, failed_at);
create index password_failures_ip on password_failures (ip, failed_at);

create table workspaces (
  id uuid primary key,
  name text not null,
  created_at timestamptz(3) not null
);

create table members (
  workspace_id uuid not null references workspaces (id),
  user_id uuid not null references users (id),
  role text not null check (role in ('owner', 'admin', 'agent', 'viewer')),
  created_at timestamptz(3) not null,
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

create table contacts (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  email text not null,
  email_key text not null,
  name text,
  -- By what right an import chose the way name and address are written: the least claim wins, whatever the order of files.
  -- Null: they came otherwise and stay.
  name_claim text collate "C",
  created_at timestamptz(3) not null,
  primary key (workspace_id, id),
  unique (workspace_id, email_key)
);

-- The last ticket number given; the row lock of its update keeps the numbers gapless.
create table ticket_counters (
  workspace_id uuid primary key references workspaces (id),
  last_number integer not null
);

create table tickets (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  ticket_number integer not null,
  subject text not null,
  status text not null check (status in ('open', 'pending', 'closed')),
  priority text not null,
  -- low 1, normal and names of one's own 2, high 3, urgent 4
  priority_rank smallint not null,
  assignee_id uuid,
  -- Tags as first written, and folded for comparison, in the same order.
  tags text[] not null default '{}',
  tag_keys text[] not null default '{}',
  requester_id uuid,
  channel text not null check (channel in ('api', 'email')),
  mailbox_id uuid,
  archived_at timestamptz(3),
  snoozed_until timestamptz(3),
  merged_into_id uuid,
  message_count integer not null,
  last_message_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  version integer not null,
  -- The mail that started the ticket came from an import and no agent has touched the ticket: an import may join it to another.
  is_import_only boolean not null default false,
  -- Subject, people and attachment names, folded, with the workspace's lexeme.
  search tsvector not null,
  primary key (workspace_id, id),
  unique (workspace_id, ticket_number),
  foreign key (workspace_id, assignee_id) references members (workspace_id, user_id),
  foreign key (workspace_id, requester_id) references contacts (workspace_id, id),
  foreign key (workspace_id, merged_into_id) references tickets (workspace_id, id)
);
create index tickets_inbox on tickets (workspace_id, last_message_at desc, id desc)
  where archived_at is null and merged_into_id is null;
create index tickets_last_message on tickets (workspace_id, last_message_at desc, id desc);
create index tickets_status on tickets (workspace_id, status, last_message_at desc, id desc);
create index tickets_assignee on tickets (workspace_id, assignee_id, last_message_at desc, id desc);
create index tickets_created on tickets (workspace_id, created_at desc, id desc);
create index tickets_updated on tickets (workspace_id, updated_at desc, id desc);
create index tickets_priority on tickets (workspace_id, priority_rank desc, last_message_at desc, id desc);
create index tickets_requester on tickets (workspace_id, requester_id);
create index tickets_tags on tickets using gin (tag_keys);
-- The worst insert took 144 ms with fastupdate and 38 ms without it.
create index tickets_search on tickets using gin (search) with (fastupdate = off);

create table ticket_participants (
  workspace_id uuid not null,
  ticket_id uuid not null,
  contact_id uuid not null,
  primary key (workspace_id, ticket_id, contact_id),
  foreign key (workspace_id, ticket_id) references tickets (workspace_id, id),
  foreign key (workspace_id, contact_id) references contacts (workspace_id, id)
);
create index ticket_participants_contact on ticket_participants (workspace_id, contact_id);

create table messages (
  workspace_id uuid not null,
  id uuid not null,
  ticket_id uuid not null,
  direction text not null check (direction in ('inbound', 'outbound', 'internal')),
  author_type text not null check (author_type in ('customer', 'agent', 'system')),
  author_user_id uuid references users (id),
  author_contact_id uuid,
  -- As the mail or the account named the author when the message was written.
  author_name text,
  author_email text,
  body text not null,
  body_html text,
  -- What the writer added to the text quoted below it; null when the whole body is new.
  reply_text text,
  to_addresses text[] not null default '{}',
  cc_addresses text[] not null default '{}',
  delivery_status text check (delivery_status in ('queued', 'sending', 'sent', 'failed', 'bounced', 'uncertain', 'cancelled')),
  delivery_error text,
  delivery_sent_at timestamptz(3),
  delivery_attempts integer not null default 0,
  delivery_next_attempt_at timestamptz(3),
  -- RFC 5322 Message-ID without brackets: the mail's that came in, or that we send.
  rfc_message_id text,
  -- What made a mail of a machine: auto-reply, auto-generated, bulk, list, bounce, delay, complaint, …; null for people.
  automatic_kind text,
  -- How a mail found its ticket: { "matchedBy", "matchedId", "isSenderKnown", … }; null for messages of the API.
  threading jsonb,
  created_at timestamptz(3) not null,
  search tsvector not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, ticket_id) references tickets (workspace_id, id),
  foreign key (workspace_id, author_contact_id) references contacts (workspace_id, id)
);
create index messages_ticket on messages (workspace_id, ticket_id, created_at, id);
create index messages_recent on messages (workspace_id, created_at desc, id desc);
create index messages_search on messages using gin (search) with (fastupdate = off);

-- Every Message-ID that a ticket's mail ever named, received or not; the first ticket to name an id owns it.
create table mail_ids (
  workspace_id uuid not null,
  rfc_message_id text not null,
  ticket_id uuid not null,
  -- The message that has this id, once it is here.
  message_id uuid,
  primary key (workspace_id, rfc_message_id),
  foreign key (workspace_id, ticket_id) references tickets (workspace_id, id),
  foreign key (workspace_id, message_id) references messages (workspace_id, id)
);
create index mail_ids_ticket on mail_ids (workspace_id, ticket_id);

-- Mail as it came, durable before it is understood; the bytes are a blob named by their hash.
create table raw_mails (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  -- SHA-256 of the raw bytes, hex: the blob's name.
  sha256 text not null,
  size_bytes bigint not null,
  source text not null check (source in ('import', 'smtp', 'mail-a', 'mail-b')),
  mailbox_id uuid,
  state text not null check (state in ('pending', 'ingested', 'duplicate', 'quarantined')),
  -- What "the same mail" means: SHA-256 over Message-ID, From, Date and body, hex; null while pending.
  fingerprint text,
  message_id uuid,
  -- Why it is quarantined, or flagged.
  note text,
  received_at timestamptz(3) not null,
  primary key (workspace_id, id),
  unique (workspace_id, sha256),
  foreign key (workspace_id, message_id) references messages (workspace_id, id)
);
create unique index raw_mails_fingerprint on raw_mails (workspace_id, fingerprint)
  where state in ('ingested', 'quarantined');
create index raw_mails_message on raw_mails (workspace_id, message_id);
create index raw_mails_state on raw_mails (workspace_id, state, id) where state in ('pending', 'quarantined');

create table attachments (
  workspace_id uuid not null,
  id uuid not null,
  ticket_id uuid not null,
  message_id uuid,
  file_name text not null,
  content_type text not null,
  size_bytes bigint not null,
  -- SHA-256 of the bytes, hex: the blob's name.
  sha256 text not null,
  content_id text,
  is_inline boolean not null default false,
  created_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, ticket_id) references tickets (workspace_id, id),
  foreign key (workspace_id, message_id) references messages (workspace_id, id)
);
create index attachments_ticket on attachments (workspace_id, ticket_id);
create index attachments_message on attachments (workspace_id, message_id);

-- Facts: what happened, to what, by whom. Everything else that tells people of a change is made from these rows.
create table activity (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  ticket_id uuid,
  type text not null,
  actor_type text not null check (actor_type in ('customer', 'agent', 'system')),
  actor_user_id uuid references users (id),
  data jsonb not null,
  created_at timestamptz(3) not null,
  -- Ids are given before the commit; a reader that goes by this and the snapshot's xmin misses no late commit.
  transaction_id xid8 not null default pg_current_xact_id(),
  primary key (workspace_id, id),
  foreign key (workspace_id, ticket_id) references tickets (workspace_id, id)
);
create index activity_ticket on activity (workspace_id, ticket_id, id);

create table notifications (
  workspace_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  type text not null check (type in ('mention', 'assignment', 'reply')),
  -- The ticket.
  reference_id uuid not null,
  message_id uuid,
  actor_id uuid references users (id),
  -- The fact that it tells of: one notification a person and fact.
  activity_id uuid not null,
  title text not null,
  read_at timestamptz(3),
  created_at timestamptz(3) not null,
  primary key (workspace_id, id),
  unique (workspace_id, user_id, activity_id),
  foreign key (workspace_id, user_id) references members (workspace_id, user_id) on delete cascade,
  foreign key (workspace_id, activity_id) references activity (workspace_id, id)
);
create index notifications_list on notifications (workspace_id, user_id, id desc);
create index notifications_unread on notifications (workspace_id, user_id, id desc) where read_at is null;

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

-- Worker processes that are alive; the jobs of one that fell silent are given back to the queue.
create table worker_heartbeats (
  worker_id text primary key,
  seen_at timestamptz(3) not null
);
