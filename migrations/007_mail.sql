-- Mail as it came, and on its way out.

-- Durable before it is understood; the bytes are a blob named by their hash.
create table raw_mails (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  -- SHA-256 of the raw bytes, hex: the blob's name.
  sha256 text not null,
  size_bytes bigint not null,
  source text not null check (source in ('import', 'smtp', 'mail-a', 'mail-b', 'imap')),
  mailbox_id uuid,
  state text not null check (state in ('pending', 'ingested', 'duplicate', 'quarantined')),
  -- What "the same mail" means: SHA-256 over Message-ID, From, Date, subject and body, hex; null while pending.
  fingerprint text,
  -- By which rule the fingerprint was made. One by another rule is computed anew when another mail with its Message-ID
  -- comes.
  fingerprint_version smallint not null default 1,
  message_id uuid,
  -- Why it is quarantined, or flagged.
  note text,
  received_at timestamptz(3) not null,
  -- What SMTP said beside the mail itself; empty for mail that came another way.
  envelope_from text,
  envelope_to text[] not null default '{}',
  -- Fetched as history when its mailbox was connected: it tells nobody and changes no ticket's state.
  is_history boolean not null default false,
  -- The client that handed a mail over by SMTP, and the name that it gave in HELO: SPF is checked when the mail is
  -- understood.
  envelope_peer text,
  envelope_helo text,
  -- When the bytes of a mail were deleted for good. The row stays, so that the mail is not taken in again.
  erased_at timestamptz(3),
  -- When a person took the mail off the quarantine.
  discarded_at timestamptz(3),
  -- Of a mail that nothing identifies: when the same bytes came last, if more than once, and when their sender showed
  -- that it had read our answer. Then the same bytes are another mail.
  arrived_again_at timestamptz(3),
  acknowledged_at timestamptz(3),
  -- Old mail that came to an inbox by itself. Its tickets are closed.
  is_old boolean not null default false,
  primary key (workspace_id, id),
  unique (workspace_id, sha256),
  foreign key (workspace_id, message_id) references messages (workspace_id, id),
  foreign key (workspace_id, mailbox_id) references mailboxes (workspace_id, id)
);
create unique index raw_mails_fingerprint on raw_mails (workspace_id, fingerprint)
  where state in ('ingested', 'quarantined');
create index raw_mails_message on raw_mails (workspace_id, message_id);
create index raw_mails_state on raw_mails (workspace_id, state, id) where state in ('pending', 'quarantined');

-- The right to ingest a workspace's pending mail. One process has it at a time, by the database's clock.
create table ingest_leases (
  workspace_id uuid primary key references workspaces (id) on delete cascade,
  lease_until timestamptz not null,
  -- The mails that the holder of the lease reads now. They remain when its process dies. `is_again`: they were being
  -- read when a process died before.
  reading uuid[] not null default '{}',
  is_again boolean not null default false
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
  -- When the provider received the mail: where mail that is fetched late counts from. Null in rows from before this
  -- column.
  received_at timestamptz(3),
  primary key (workspace_id, mailbox_id, provider_id),
  foreign key (workspace_id, mailbox_id) references mailboxes (workspace_id, id),
  foreign key (workspace_id, raw_mail_id) references raw_mails (workspace_id, id)
);
create index mailbox_mails_thread on mailbox_mails (workspace_id, mailbox_id, thread_id) where thread_id is not null;
create index mailbox_mails_raw on mailbox_mails (workspace_id, raw_mail_id);

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
  -- Whether an agent sends again an answer that may have left. If the mailbox cannot tell, the agent has decided.
  is_retry boolean not null default false,
  primary key (workspace_id, message_id),
  foreign key (workspace_id, message_id) references messages (workspace_id, id),
  foreign key (workspace_id, mailbox_id) references mailboxes (workspace_id, id)
);
create index mailbox_sends_thread on mailbox_sends (workspace_id, mailbox_id, thread_id) where thread_id is not null;

-- Copies of sent answers that are not in their mailbox's folder of sent mail yet.
create table unfiled_copies (
  workspace_id uuid not null,
  message_id uuid not null,
  mailbox_id uuid not null,
  rfc_message_id text not null,
  raw bytea not null,
  due_at timestamptz(3) not null,
  attempts integer not null default 0,
  primary key (workspace_id, message_id),
  foreign key (workspace_id, message_id) references messages (workspace_id, id) on delete cascade,
  foreign key (workspace_id, mailbox_id) references mailboxes (workspace_id, id)
);
create index unfiled_copies_due on unfiled_copies (due_at);
create index unfiled_copies_mailbox on unfiled_copies (workspace_id, mailbox_id);

-- Imports of mail files that people upload. A process works on each until it ends and its files are deleted.
create table mail_imports (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  created_by uuid not null,
  created_at timestamptz(3) not null,
  -- What the person chose: the status of new tickets, and addresses of the team.
  status text not null check (status in ('open', 'closed', 'archived')),
  own_addresses text[] not null,
  -- `receiving` ends with the upload, whose crash leaves a row to clear away.
  state text not null check (state in ('receiving', 'running', 'stopping', 'done', 'stopped', 'failed')),
  failure text,
  finished_at timestamptz(3),
  has_files boolean not null default true,
  size_bytes bigint not null,
  -- How far the work is: whole files, then mails or other things found in the next one.
  files_done integer not null default 0,
  found_in_file integer not null default 0,
  processed_bytes bigint not null default 0,
  worked_ms bigint not null default 0,
  read integer not null default 0,
  taken integer not null default 0,
  known integer not null default 0,
  quarantined integer not null default 0,
  passed_over integer not null default 0,
  tickets integer not null default 0,
  problems jsonb not null default '[]',
  -- Attempts in a row that failed.
  failures integer not null default 0,
  lease_holder uuid,
  lease_until timestamptz(3),
  worked_at timestamptz(3),
  -- Mails of an import that are no correspondence, as the notes of the mail program say.
  drafts_left_out integer not null default 0,
  deleted_left_out integer not null default 0,
  spam_left_out integer not null default 0,
  chats_left_out integer not null default 0,
  primary key (workspace_id, id)
);
create index mail_imports_with_files on mail_imports (workspace_id, id) where has_files;

create table mail_import_files (
  workspace_id uuid not null,
  import_id uuid not null,
  position integer not null,
  file_name text not null,
  size_bytes bigint not null,
  primary key (workspace_id, import_id, position),
  foreign key (workspace_id, import_id) references mail_imports (workspace_id, id) on delete cascade
);
