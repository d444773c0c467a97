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
