-- Mailboxes at providers and servers, and how far they are read.

-- Mail that comes to one becomes tickets, answers go out through it.
create table mailboxes (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  provider text not null check (provider in ('mail-a', 'mail-b', 'imap')),
  address text not null,
  -- caseKey of the address.
  address_key text not null,
  -- By which people tell mailboxes apart; null: by the address.
  name text,
  -- A shared mailbox has no sign-in of its own: the account whose rights open it. Null: the mailbox's own account does.
  delegate_address text,
  -- Further addresses of a mailbox, as its provider tells them: mail to and from them is its own too.
  aliases text[] not null default '{}',
  status text not null check (status in ('active', 'paused', 'reauthorization_required', 'error', 'disconnected')),
  -- A sentence for people: what is wrong and what helps.
  status_reason text,
  status_changed_at timestamptz(3) not null,
  -- Which of a closed list of reasons status_reason gives, so that clients can translate them.
  status_reason_key text,
  -- Whether the provider takes mail of a mailbox, apart from whether it lets it be read (status).
  send_status text not null default 'active' check (send_status in ('active', 'error')),
  send_status_reason text,
  -- Null: since it was connected.
  send_status_changed_at timestamptz(3),
  send_status_reason_key text,
  -- Since when every send was refused; null: the last was not.
  send_refused_since timestamptz(3),
  -- When owners and admins were last told that a mailbox is not read, or does not send; null: not since it last did.
  status_told_at timestamptz(3),
  send_status_told_at timestamptz(3),
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
  -- Read by no release since the baseline.
  retry_at timestamptz(3),
  primary key (workspace_id, id),
  foreign key (workspace_id, default_assignee_id) references members (workspace_id, user_id)
);
create unique index mailboxes_address on mailboxes (workspace_id, provider, address_key) where status <> 'disconnected';

-- The servers of a mailbox that no provider's consent opens.
create table mailbox_servers (
  workspace_id uuid not null,
  mailbox_id uuid not null,
  imap_host text not null,
  imap_port integer not null,
  imap_security text not null check (imap_security in ('tls', 'starttls', 'none')),
  smtp_host text not null,
  smtp_port integer not null,
  smtp_security text not null check (smtp_security in ('tls', 'starttls', 'none')),
  username text not null,
  -- Sealed for this mailbox. Null: the server takes OAuth tokens (XOAUTH2), which are in mailboxes.
  sealed_password text,
  token_url text,
  client_id text,
  sealed_client_secret text,
  token_scope text,
  -- Each mail's id names its folder by the place in this list, from 1: new folders go to the end.
  inbox_paths text[] not null,
  sent_path text,
  sent_copy text not null check (sent_copy in ('auto', 'append', 'server', 'none')),
  -- Whether the server turned out to file copies of sent mail itself.
  sent_copy_learned text check (sent_copy_learned in ('append', 'server')),
  -- Kontor may mark mails as seen on their server, or move them, once they are stored.
  after_intake text not null default 'leave',
  move_path text,
  primary key (workspace_id, mailbox_id),
  foreign key (workspace_id, mailbox_id) references mailboxes (workspace_id, id),
  constraint mailbox_servers_secret check (sealed_password is not null or token_url is not null),
  constraint mailbox_servers_after_intake check (
    after_intake in ('leave', 'seen') or (after_intake = 'move' and move_path is not null)
  )
);

-- Refused passwords, so that nobody's account is locked by further ones.
create table mailbox_sign_ins (
  workspace_id uuid not null,
  -- A hash of server and user name.
  account_key text not null,
  refused integer not null,
  refused_at timestamptz(3) not null,
  primary key (workspace_id, account_key),
  foreign key (workspace_id) references workspaces (id)
);

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

-- Where a provider's notification belongs, which names an address (mail-b) or a subscription (mail-a), never a
-- workspace. An address is connected in one workspace at a time.
create table mailbox_routes (
  provider text not null,
  route_key text not null,
  workspace_id uuid not null,
  mailbox_id uuid not null,
  -- Which watch a subscription is: it tells in which folder the mail was that a notification names.
  watch_key text,
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
  -- When a mailbox is read next, and once more after that.
  due_at timestamptz(3) not null default now(),
  again_at timestamptz(3),
  lease_holder uuid,
  lease_until timestamptz(3),
  -- Read by no release since the baseline.
  is_dirty boolean not null default false,
  -- When a round last came to its end.
  synced_at timestamptz(3),
  -- The provider wants to be left alone until then.
  not_before timestamptz(3),
  -- Rounds that failed since the last good one.
  failures integer not null default 0,
  last_fault text,
  -- Since when every reading was refused; null: the last was not.
  refused_since timestamptz(3),
  -- A pass over recent mail that looks for what the provider's list of changes did not tell: its place while it goes
  -- on, and since when it looks.
  recheck_page text,
  recheck_since timestamptz(3),
  -- After a lost cursor: what was archived meanwhile counts too.
  recheck_has_archive boolean not null default false,
  -- When the last one began.
  rechecked_at timestamptz(3),
  -- The server numbered its mails anew, and more unknown mails came back at once than people write: what arrived before
  -- this is history.
  recheck_history_until timestamptz(3),
  -- When the mail of the last days was last compared with what was taken.
  compared_at timestamptz(3),
  -- Mails that the list of changes left out, and a comparison found.
  missed_mails integer not null default 0,
  -- What a person should know of a mailbox that works.
  remark text,
  remarked_at timestamptz(3),
  -- Which of the closed list of reasons the remark gives. Null: the server numbered its mails anew.
  remark_key text,
  primary key (workspace_id, mailbox_id),
  foreign key (workspace_id, mailbox_id) references mailboxes (workspace_id, id)
);

-- Which process holds the connection over which a server tells of a mailbox's new mail.
create table mailbox_listeners (
  workspace_id uuid not null,
  mailbox_id uuid not null,
  -- Null: nobody listens, and nobody tries before `held_until`.
  holder uuid,
  held_until timestamptz not null,
  -- Connections in a row that broke soon.
  failures integer not null default 0,
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

-- Mails that alone could not be fetched: they hold nothing up, and are asked for again later, and later still.
create table mailbox_stuck_mails (
  workspace_id uuid not null,
  mailbox_id uuid not null,
  provider_id text not null,
  folder text not null check (folder in ('inbox', 'sent')),
  -- Null: a candidate. The provider named the mail, and it has not been seen there (yet).
  fault text,
  attempts integer not null,
  next_attempt_at timestamptz(3) not null,
  primary key (workspace_id, mailbox_id, provider_id),
  foreign key (workspace_id, mailbox_id) references mailboxes (workspace_id, id)
);
create index mailbox_stuck_mails_due on mailbox_stuck_mails (workspace_id, mailbox_id, next_attempt_at);

-- Mails that are stored, and that are still to be marked as seen on their server, or moved.
create table mailbox_after_intake (
  workspace_id uuid not null,
  mailbox_id uuid not null,
  provider_id text not null,
  -- Its Message-ID: a server that numbers its mails anew may give the id to another mail.
  rfc_message_id text,
  due_at timestamptz(3) not null,
  attempts integer not null default 0,
  primary key (workspace_id, mailbox_id, provider_id),
  foreign key (workspace_id, mailbox_id) references mailboxes (workspace_id, id)
);
