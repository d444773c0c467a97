-- Mailboxes at any IMAP server.
alter table mailboxes drop constraint mailboxes_provider_check;
alter table mailboxes add constraint mailboxes_provider_check
  check (provider in ('mail-a', 'mail-b', 'imap')) not valid;
alter table mailboxes validate constraint mailboxes_provider_check;
alter table raw_mails drop constraint raw_mails_source_check;
alter table raw_mails add constraint raw_mails_source_check
  check (source in ('import', 'smtp', 'mail-a', 'mail-b', 'imap')) not valid;
alter table raw_mails validate constraint raw_mails_source_check;

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
  -- Sealed for this mailbox.
  sealed_password text not null,
  -- Each mail's id names its folder by the place in this list, from 1: new folders go to the end.
  inbox_paths text[] not null,
  sent_path text,
  sent_copy text not null check (sent_copy in ('auto', 'append', 'server', 'none')),
  -- Whether the server turned out to file copies of sent mail itself.
  sent_copy_learned text check (sent_copy_learned in ('append', 'server')),
  primary key (workspace_id, mailbox_id),
  foreign key (workspace_id, mailbox_id) references mailboxes (workspace_id, id)
);
