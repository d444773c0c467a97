-- The key by which push services know this installation, sealed. Null until it is first needed.
alter table installation add column push_key text;

-- Where browsers get notifications while no page is open. Each goes with its session.
create table push_subscriptions (
  session_id uuid primary key references sessions (id) on delete cascade,
  user_id uuid not null,
  endpoint text not null,
  -- The browser's public key and its secret (RFC 8291), base64url.
  p256dh text not null,
  auth text not null,
  created_at timestamptz(3) not null
);
create index push_subscriptions_user on push_subscriptions (user_id, created_at);
create index push_subscriptions_endpoint on push_subscriptions (endpoint);

-- Whether some browser of the person gets notifications that way: whoever notifies need not look for it elsewhere.
alter table notification_preferences add column is_pushed boolean not null default false;

-- Notifications on their way to the browsers of a person.
create table pushes (
  workspace_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  -- The fact, or the change of many tickets, which is one notification.
  subject_id uuid not null,
  -- The last fact, by which the notification is found.
  activity_id uuid not null,
  -- The sessions that wait for another attempt; null: all.
  session_ids uuid[],
  attempts integer not null default 0,
  due_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  primary key (workspace_id, id),
  unique (workspace_id, user_id, subject_id),
  foreign key (workspace_id, user_id) references members (workspace_id, user_id) on delete cascade
);
create index pushes_due on pushes (due_at);
