-- Mails that the service writes by itself to customers who write.
create table auto_replies (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  name text not null,
  -- Null: of every mailbox, and of mail by SMTP.
  mailbox_id uuid,
  -- `received` answers the message that opens a ticket, `out_of_hours` the first since a person's answer.
  kind text not null check (kind in ('received', 'out_of_hours')),
  -- The hours outside of which it answers. Null: at any time.
  calendar_id uuid,
  valid_from timestamptz(3),
  valid_until timestamptz(3),
  saved_reply_id uuid not null,
  is_active boolean not null,
  version integer not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, mailbox_id) references mailboxes (workspace_id, id),
  foreign key (workspace_id, calendar_id) references calendars (workspace_id, id),
  foreign key (workspace_id, saved_reply_id) references saved_replies (workspace_id, id)
);

-- What automatic replies and rules have mailed in the last 30 days, and what automatic replies withheld.
create table auto_reply_log (
  workspace_id uuid not null,
  id uuid not null,
  kind text not null check (kind in ('received', 'out_of_hours', 'rule')),
  -- Null for a rule.
  auto_reply_id uuid,
  -- The mailbox of the ticket. Null: SMTP.
  mailbox_id uuid,
  ticket_id uuid not null,
  -- The message that it answers, and the mail itself.
  message_id uuid not null,
  reply_id uuid,
  -- To whom, folded and without a plus tag.
  address_key text not null,
  -- The same with `0` in place of each run of digits: machines change their numbers.
  pattern_key text not null,
  -- Why no mail left. Null: one did.
  withheld text,
  created_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, ticket_id) references tickets (workspace_id, id) on delete cascade
);
create index auto_reply_log_of_address on auto_reply_log (workspace_id, pattern_key, created_at) where withheld is null;
create index auto_reply_log_of_mailbox on auto_reply_log (workspace_id, mailbox_id, created_at) where withheld is null;
create index auto_reply_log_of_reply on auto_reply_log (workspace_id, auto_reply_id, created_at);
create index auto_reply_log_of_ticket on auto_reply_log (workspace_id, ticket_id);
create index auto_reply_log_by_age on auto_reply_log (created_at);

-- Mailboxes whose automatic mail rests, because there was too much of it within an hour, until an admin resumes it.
create table machine_mail_pauses (
  workspace_id uuid not null references workspaces (id),
  -- All zeros: SMTP.
  mailbox_id uuid not null,
  paused_at timestamptz(3) not null,
  -- Null while it rests.
  resumed_at timestamptz(3),
  primary key (workspace_id, mailbox_id)
);
