-- Mailboxes whose server numbered their mails anew, and the daily comparison.
alter table mailbox_syncs
  -- More unknown mails came back at once than people write: what arrived before this is history.
  add column recheck_history_until timestamptz(3),
  -- When the mail of the last days was last compared with what was taken.
  add column compared_at timestamptz(3),
  -- Mails that the list of changes left out, and a comparison found.
  add column missed_mails integer not null default 0,
  -- What a person should know of a mailbox that works.
  add column remark text,
  add column remarked_at timestamptz(3);

-- Servers that take OAuth tokens (XOAUTH2) instead of a password. The tokens are in mailboxes.
alter table mailbox_servers
  alter column sealed_password drop not null,
  add column token_url text,
  add column client_id text,
  add column sealed_client_secret text,
  add column token_scope text,
  add constraint mailbox_servers_secret check (sealed_password is not null or token_url is not null) not valid;
alter table mailbox_servers validate constraint mailbox_servers_secret;

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
