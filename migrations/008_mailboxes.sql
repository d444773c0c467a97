-- Mailboxes at the hosted-mail providers: mail that comes to one becomes tickets, answers go out through it.
create table mailboxes (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  provider text not null check (provider in ('mail-a', 'mail-b')),
  address text not null,
  -- caseKey of the address.
  address_key text not null,
  -- By which people tell mailboxes apart; null: by the address.
  name text,
  status text not null check (status in ('active', 'paused', 'reauthorization_required', 'error', 'disconnected')),
  -- A sentence for people: what is wrong and what helps.
  status_reason text,
  status_changed_at timestamptz(3) not null,
  -- Whom and what the tickets of its mail begin with.
  default_assignee_id uuid,
  default_tags text[] not null default '{}',
  -- Put below each answer, plain text.
  signature text,
  -- How many days of older mail were asked for when it was connected.
  history_days integer not null default 0,
  -- The provider's name for the mailbox's user, where it has one.
  provider_user_id text,
  -- Sealed for this mailbox; null once it is disconnected.
  refresh_token text,
  access_token text,
  access_expires_at timestamptz(3),
  -- Somebody is renewing the access token, by the database's clock: the others wait for what they get.
  refresh_until timestamptz(3),
  -- The same for its watches; longer where the provider refused one.
  watch_until timestamptz(3),
  connected_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, default_assignee_id) references members (workspace_id, user_id)
);
create unique index mailboxes_address on mailboxes (workspace_id, provider, address_key) where status <> 'disconnected';
alter table tickets add foreign key (workspace_id, mailbox_id) references mailboxes (workspace_id, id);
alter table raw_mails add foreign key (workspace_id, mailbox_id) references mailboxes (workspace_id, id);

-- Where a provider's notification belongs, which names an address (mail-b) or a subscription (mail-a), never a workspace.
-- An address is connected in one workspace at a time.
create table mailbox_routes (
  provider text not null,
  route_key text not null,
  workspace_id uuid not null,
  mailbox_id uuid not null,
  primary key (provider, route_key),
  foreign key (workspace_id, mailbox_id) references mailboxes (workspace_id, id)
);
create index mailbox_routes_mailbox on mailbox_routes (workspace_id, mailbox_id);

-- How far a mailbox has been read, and who is reading it. Apart from the mailbox, for it is written all the time.
create table mailbox_syncs (
  workspace_id uuid not null,
  mailbox_id uuid not null,
  -- The provider's, opaque; null: everything since connected_at is to be looked through.
  cursor text,
  -- Older mail is still being fetched while this is set: its place in the list, empty at the beginning.
  history_page text,
  history_since timestamptz(3),
  lease_holder uuid,
  lease_until timestamptz(3),
  -- Somebody asked while another held the lease.
  is_dirty boolean not null default false,
  -- When a round last came to its end.
  synced_at timestamptz(3),
  -- The provider wants to be left alone until then.
  not_before timestamptz(3),
  -- Rounds that failed since the last good one.
  failures integer not null default 0,
  last_fault text,
  primary key (workspace_id, mailbox_id),
  foreign key (workspace_id, mailbox_id) references mailboxes (workspace_id, id)
);

-- What has a provider tell us of new mail: Graph's subscriptions, one a folder; Gmail's watch.
create table mailbox_watches (
  workspace_id uuid not null,
  mailbox_id uuid not null,
  watch_key text not null,
  -- Null where the provider gives none (Gmail).
  subscription_id text,
  -- Of where it tells us and with which secret: one that tells elsewhere is begun anew.
  target_hash bytea not null,
  expires_at timestamptz(3) not null,
  renewed_at timestamptz(3) not null,
  primary key (workspace_id, mailbox_id, watch_key),
  foreign key (workspace_id, mailbox_id) references mailboxes (workspace_id, id)
);

-- Mails of a mailbox that have been fetched: none is fetched twice, and each mailbox that got a mail is on record.
create table mailbox_mails (
  workspace_id uuid not null,
  mailbox_id uuid not null,
  provider_id text not null,
  raw_mail_id uuid not null,
  -- Gmail's threadId, Graph's conversationId.
  thread_id text,
  folder text not null check (folder in ('inbox', 'sent')),
  primary key (workspace_id, mailbox_id, provider_id),
  foreign key (workspace_id, mailbox_id) references mailboxes (workspace_id, id),
  foreign key (workspace_id, raw_mail_id) references raw_mails (workspace_id, id)
);
create index mailbox_mails_thread on mailbox_mails (workspace_id, mailbox_id, thread_id) where thread_id is not null;
create index mailbox_mails_raw on mailbox_mails (workspace_id, raw_mail_id);
-- Mails that alone could not be fetched: they hold nothing up, and are asked for again later, and later still.
create table mailbox_stuck_mails (
  workspace_id uuid not null,
  mailbox_id uuid not null,
  provider_id text not null,
  folder text not null check (folder in ('inbox', 'sent')),
  fault text not null,
  attempts integer not null,
  next_attempt_at timestamptz(3) not null,
  primary key (workspace_id, mailbox_id, provider_id),
  foreign key (workspace_id, mailbox_id) references mailboxes (workspace_id, id)
);
create index mailbox_stuck_mails_due on mailbox_stuck_mails (workspace_id, mailbox_id, next_attempt_at);
-- Fetched as history when its mailbox was connected: it tells nobody and changes no ticket's state.
alter table raw_mails add column is_history boolean not null default false;

-- Answers that go out through a mailbox, as far as the provider knows of them.
create table mailbox_sends (
  workspace_id uuid not null,
  message_id uuid not null,
  mailbox_id uuid not null,
  -- The draft that is sent (Graph): known before anything leaves.
  draft_id text,
  -- Since when the mailbox is asked in vain whether it left.
  unsure_since timestamptz(3),
  provider_id text,
  thread_id text,
  -- The Message-ID under which the recipients got it; the provider may have put its own in the place of ours.
  wire_message_id text,
  primary key (workspace_id, message_id),
  foreign key (workspace_id, message_id) references messages (workspace_id, id),
  foreign key (workspace_id, mailbox_id) references mailboxes (workspace_id, id)
);
create index mailbox_sends_thread on mailbox_sends (workspace_id, mailbox_id, thread_id) where thread_id is not null;

-- Consents that are under way at a provider.
create table mailbox_consents (
  -- SHA-256 of the state that travels through the browser.
  state_hash bytea primary key,
  workspace_id uuid not null references workspaces (id),
  user_id uuid not null,
  provider text not null,
  -- Sealed (RFC 7636).
  code_verifier text not null,
  -- SHA-256 of the cookie of the browser that began: another's consent connects nothing.
  browser_hash bytea not null,
  -- What the mailbox is to be connected with.
  options jsonb not null,
  expires_at timestamptz(3) not null
);
create index mailbox_consents_expiry on mailbox_consents (expires_at);
