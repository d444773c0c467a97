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
