-- Kontor may mark mails as seen on their server, or move them, once they are stored.
alter table mailbox_servers
  add column after_intake text not null default 'leave',
  add column move_path text,
  add constraint mailbox_servers_after_intake check (
    after_intake in ('leave', 'seen') or (after_intake = 'move' and move_path is not null)
  ) not valid;
alter table mailbox_servers validate constraint mailbox_servers_after_intake;

-- Mails on which this is still to be done.
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

-- Which of the closed list of reasons the remark gives. Null: the server numbered its mails anew.
alter table mailbox_syncs add column remark_key text;
