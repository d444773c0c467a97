-- What happened, and who is told of it.

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
-- A stream, or a webhook, reads a workspace's facts in the order in which they became certain.
create index activity_stream on activity (workspace_id, transaction_id, id);

create table notifications (
  workspace_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  -- src/events/notifications/rules.ts lists the types, as src/ground/catalog/events.ts lists those of activity.
  type text not null,
  -- The ticket.
  reference_id uuid not null,
  message_id uuid,
  actor_id uuid references users (id),
  -- The fact that it tells of: one notification a person and fact.
  activity_id uuid not null,
  title text not null,
  read_at timestamptz(3),
  -- When it went out in a digest.
  mailed_at timestamptz(3),
  -- By which transaction it was read: a list of the unread goes on as its first page saw it.
  read_transaction_id xid8,
  created_at timestamptz(3) not null,
  -- A bulk change tells each person once: every ticket's transaction raises the count of that one notification.
  bulk_id uuid,
  count integer not null default 1,
  primary key (workspace_id, id),
  unique (workspace_id, user_id, activity_id),
  foreign key (workspace_id, user_id) references members (workspace_id, user_id) on delete cascade,
  foreign key (workspace_id, activity_id) references activity (workspace_id, id)
);
create index notifications_list on notifications (workspace_id, user_id, id desc);
create index notifications_unread on notifications (workspace_id, user_id, id desc) where read_at is null;
create unique index notifications_bulk on notifications (workspace_id, user_id, type, bulk_id)
  where bulk_id is not null;
create index notifications_unmailed on notifications (workspace_id, user_id, created_at)
  where read_at is null and mailed_at is null;
create index notifications_read on notifications (workspace_id, user_id, read_transaction_id)
  where read_transaction_id is not null;
create index notifications_activity on notifications (workspace_id, activity_id);
create index notifications_mentions on notifications (workspace_id, user_id, reference_id) where type = 'mention';

-- How a person wants to be told, in all their workspaces. No row: as the service does by itself.
create table notification_preferences (
  user_id uuid primary key references users (id) on delete cascade,
  digest text not null check (digest in ('off', 'at_once', 'hourly', 'daily')),
  -- Type of notification → what is done with it: { "reply": { "inApp": true, "email": false } }.
  types jsonb not null,
  -- Signs the links that end the mails without signing in (RFC 8058).
  unsubscribe_key bytea not null,
  updated_at timestamptz(3) not null
);

-- When a person was last mailed what is unread, of a workspace.
create table notification_digests (
  workspace_id uuid not null,
  user_id uuid not null,
  mailed_at timestamptz(3) not null,
  primary key (workspace_id, user_id),
  foreign key (workspace_id, user_id) references members (workspace_id, user_id) on delete cascade
);

-- Addresses of integrators to which events are sent.
create table webhooks (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  url text not null,
  description text,
  -- Types of the catalogue; empty: all.
  events text[] not null,
  status text not null check (status in ('active', 'disabled')),
  -- A sentence for people, where the service disabled it.
  disabled_reason text,
  -- Sealed for this webhook.
  secret text not null,
  -- The one before, which signs beside it until then.
  previous_secret text,
  previous_secret_until timestamptz(3),
  -- Up to here the facts have become deliveries.
  read_transaction_id xid8 not null,
  read_id uuid not null,
  -- Since when nothing has arrived, though it was tried.
  failing_since timestamptz(3),
  -- The receiver is out of reach: until then nothing is tried.
  paused_until timestamptz(3),
  -- Its receiver took its time lately: until then few such of a workspace are sent to at once.
  slow_until timestamptz(3),
  -- Whoever sends its deliveries has them to themselves until then.
  lease_until timestamptz(3),
  created_by_id uuid not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id)
);

-- A log of deliveries may be long: it goes in steps behind its webhook, without a foreign key.
create table webhook_deliveries (
  workspace_id uuid not null,
  id uuid not null,
  webhook_id uuid not null,
  -- The fact; a test has none. One delivery a webhook and fact.
  activity_id uuid,
  type text not null,
  payload jsonb not null,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  next_attempt_at timestamptz(3),
  response_status integer,
  -- What went wrong, for people; nothing of what the receiver sent.
  error text,
  created_at timestamptz(3) not null,
  settled_at timestamptz(3),
  primary key (workspace_id, id)
);
create unique index webhook_deliveries_fact on webhook_deliveries (workspace_id, webhook_id, activity_id)
  where activity_id is not null;
create index webhook_deliveries_list on webhook_deliveries (workspace_id, webhook_id, id desc);
create index webhook_deliveries_due on webhook_deliveries (workspace_id, webhook_id, next_attempt_at)
  where status = 'pending';
create index webhook_deliveries_age on webhook_deliveries (settled_at) where settled_at is not null;
-- Those that failed are few, and looked for among many.
create index webhook_deliveries_failed on webhook_deliveries (workspace_id, webhook_id, id desc)
  where status = 'failed';
