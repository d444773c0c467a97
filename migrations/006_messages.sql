-- Messages, their files, what becomes a message, and how they move between tickets.

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
  -- The subject of a mail whose ticket has another one.
  subject text,
  body text not null,
  body_html text,
  -- What the writer added to the text quoted below it; null when the whole body is new.
  reply_text text,
  -- Offsets (UTF-16 code units) into body_html between which it quotes another mail, in pairs; null: nothing to fold.
  quoted_html_ranges integer[],
  -- What of a mail was too much and is not kept in its message: text, attachments, recipients.
  truncated text[] not null default '{}',
  to_addresses text[] not null default '{}',
  cc_addresses text[] not null default '{}',
  -- Reply-To of the mail that came in.
  reply_to_addresses text[] not null default '{}',
  -- Delivered-To and the like: addresses of ours at which the mail arrived.
  delivered_to_addresses text[] not null default '{}',
  -- Whom an answer goes to without the others' knowledge, and the message that it forwards.
  bcc_addresses text[] not null default '{}',
  delivery_status text
    check (delivery_status in ('queued', 'sending', 'sent', 'failed', 'bounced', 'uncertain', 'cancelled')),
  delivery_error text,
  delivery_sent_at timestamptz(3),
  delivery_attempts integer not null default 0,
  delivery_next_attempt_at timestamptz(3),
  -- Whether a bounce says that the address does not work (hard) or that this mail did not get there (soft), and its
  -- code (RFC 3463).
  delivery_bounce_kind text check (delivery_bounce_kind in ('hard', 'soft', 'unknown')),
  delivery_enhanced_status_code text,
  -- When a person settled in another way that an answer did not arrive. A new attempt or a bounce sets it back to null.
  delivery_handled_at timestamptz(3),
  -- The mail's bytes are about to go to the mail server: from here on only its answer tells whether it left.
  handing_over_at timestamptz(3),
  -- Whether the mail became a file, because no mail server is set: it reached nobody, though its delivery is over.
  is_file boolean not null default false,
  -- RFC 5322 Message-ID without brackets: the mail's that came in, or that we send.
  rfc_message_id text,
  -- What made a mail of a machine: auto-reply, auto-generated, bulk, list, bounce, delay, complaint, …; null for
  -- people.
  automatic_kind text,
  -- How a mail found its ticket: { "matchedBy", "matchedId", "isSenderKnown", … }; null for messages of the API.
  threading jsonb,
  -- What is known of the sender of a mail, and whether it was forged: { "verdict", "spf", "dkim", "dmarc" }. Null for
  -- messages that are no mail that came in.
  authentication jsonb,
  -- MAIL FROM without brackets, empty for <>; null where it is not known.
  envelope_from text,
  created_at timestamptz(3) not null,
  -- Live mail counts from its arrival (created_at). A mail's own Date is kept beside it, as wrong as it may be. Null
  -- for messages without a Date, for those of the API, and in rows from before this column.
  sent_at timestamptz(3),
  -- When the row was written, by the database's one clock, under the lock of its ticket: the order in which messages
  -- came to be seen, which created_at (a mail's Date) is not. Null in rows from before this column.
  arrived_at timestamptz default clock_timestamp(),
  forward_of_id uuid,
  -- When a person took the text, files and original of a message away for good, and who.
  redacted_at timestamptz(3),
  redacted_by uuid,
  -- What an answer changed in its ticket: how that was before and after. Cancelling the answer brings it back.
  changed_ticket jsonb,
  -- To unpack a vector takes longer than to match it, and a search looks at thousands. So the texts go first where a
  -- row is too long.
  search tsvector storage main not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, ticket_id) references tickets (workspace_id, id),
  foreign key (workspace_id, author_contact_id) references contacts (workspace_id, id)
) with (toast_tuple_target = 4080);
create index messages_ticket on messages (workspace_id, ticket_id, created_at, id);
create index messages_recent on messages (workspace_id, created_at desc, id desc);
create index messages_undelivered on messages (workspace_id, delivery_status, ticket_id)
  where delivery_status in ('queued', 'sending', 'failed', 'bounced', 'uncertain', 'cancelled');
create index messages_search on messages using gin (search) with (fastupdate = off);
create index messages_problems on messages (workspace_id, id desc)
  where delivery_status in ('failed', 'bounced', 'uncertain') and delivery_handled_at is null;

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
-- Without it, each message that is deleted would have all ids searched.
create index mail_ids_message on mail_ids (workspace_id, message_id) where message_id is not null;

create table attachments (
  workspace_id uuid not null,
  id uuid not null,
  -- Null: an upload that belongs to the member who made it, until a message takes it.
  ticket_id uuid,
  message_id uuid,
  file_name text not null,
  content_type text not null,
  size_bytes bigint not null,
  -- SHA-256 of the bytes, hex: the blob's name.
  sha256 text not null,
  content_id text,
  is_inline boolean not null default false,
  created_at timestamptz(3) not null,
  uploaded_by uuid,
  -- An upload that a draft names waits for its message as long as the draft does.
  draft_id uuid,
  -- A file of a saved reply waits for no message.
  saved_reply_id uuid,
  primary key (workspace_id, id),
  foreign key (workspace_id, ticket_id) references tickets (workspace_id, id),
  foreign key (workspace_id, message_id) references messages (workspace_id, id)
);
create index attachments_ticket on attachments (workspace_id, ticket_id);
create index attachments_message on attachments (workspace_id, message_id);
-- Uploads that no message took, oldest first, for the sweep; and whether a blob is still needed.
create index attachments_unused on attachments (created_at) where message_id is null;
create index attachments_blob on attachments (workspace_id, sha256);
create index attachments_saved_reply on attachments (workspace_id, saved_reply_id) where saved_reply_id is not null;

-- What a member is writing: one answer and one note a ticket, and new tickets.
create table drafts (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  user_id uuid not null references users (id),
  -- Null: of a new ticket.
  ticket_id uuid,
  kind text not null check (kind in ('answer', 'note', 'ticket')),
  subject text not null,
  body text not null,
  body_html text,
  to_addresses text[] not null,
  cc_addresses text[] not null,
  bcc_addresses text[] not null,
  attachment_ids uuid[] not null,
  mailbox_id uuid,
  last_seen_message_id uuid,
  version integer not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- What an answer quotes, and the message that it passes on, are of its draft already. Null: nothing was chosen.
  quote text check (quote in ('none', 'last', 'thread')),
  forward_of_id uuid,
  -- From which saved reply the text came, and whether sending runs its actions.
  saved_reply_id uuid,
  runs_actions boolean not null default false,
  primary key (workspace_id, id),
  foreign key (workspace_id, ticket_id) references tickets (workspace_id, id),
  check ((ticket_id is null) = (kind = 'ticket'))
);
create unique index drafts_ticket on drafts (workspace_id, ticket_id, user_id, kind) where ticket_id is not null;
create index drafts_user on drafts (workspace_id, user_id, id);

-- Answers kept under a name: text, actions, or both.
create table saved_replies (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  -- Null: shared by all. A private one goes with its owner's membership.
  owner_id uuid,
  created_by uuid not null references users (id),
  name text not null,
  -- The name without case and accents, for the order.
  name_key text not null,
  shortcut text,
  subject text,
  body text not null,
  body_html text,
  actions jsonb not null,
  -- Words of name, shortcut and text, folded. Read by a filter on the few rows of a workspace, not by an index.
  search tsvector not null,
  version integer not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, owner_id) references members (workspace_id, user_id) on delete cascade
);
create index saved_replies_name on saved_replies (workspace_id, name_key, id);
create index saved_replies_owner on saved_replies (workspace_id, owner_id);
create unique index saved_replies_shortcut on saved_replies
  (workspace_id, coalesce(owner_id, '00000000-0000-0000-0000-000000000000'), lower(shortcut))
  where shortcut is not null;

-- How often a member used a reply on a day. Rows of its own, so that answers at the same time do not wait for each
-- other.
create table saved_reply_uses (
  workspace_id uuid not null,
  saved_reply_id uuid not null,
  user_id uuid not null references users (id),
  day date not null,
  uses integer not null,
  primary key (workspace_id, saved_reply_id, user_id, day),
  foreign key (workspace_id, saved_reply_id) references saved_replies (workspace_id, id) on delete cascade
);
create index saved_reply_uses_day on saved_reply_uses (day);

-- Merges that stand; one that is undone is deleted. A ticket is merged away at most once at a time.
create table ticket_merges (
  workspace_id uuid not null,
  id uuid not null,
  source_id uuid not null,
  target_id uuid not null,
  -- The source as it was, for unmerge.
  source_status text not null check (source_status in ('open', 'pending', 'closed')),
  source_archived_at timestamptz(3),
  source_snoozed_until timestamptz(3),
  -- Folded tags, and participants, that the target has by this merge alone.
  brought_tag_keys text[] not null default '{}',
  brought_contact_ids uuid[] not null default '{}',
  merged_at timestamptz(3) not null,
  primary key (workspace_id, id),
  unique (workspace_id, source_id),
  foreign key (workspace_id, source_id) references tickets (workspace_id, id),
  foreign key (workspace_id, target_id) references tickets (workspace_id, id)
);
create index ticket_merges_target on ticket_merges (workspace_id, target_id);

-- Which messages a merge took along and an unmerge brings back. A split takes a message out of the merges that brought
-- it.
create table merged_messages (
  workspace_id uuid not null,
  merge_id uuid not null,
  message_id uuid not null,
  primary key (workspace_id, merge_id, message_id),
  foreign key (workspace_id, merge_id) references ticket_merges (workspace_id, id) on delete cascade,
  foreign key (workspace_id, message_id) references messages (workspace_id, id)
);
create index merged_messages_message on merged_messages (workspace_id, message_id);
