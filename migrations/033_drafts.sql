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
  primary key (workspace_id, id),
  foreign key (workspace_id, ticket_id) references tickets (workspace_id, id),
  check ((ticket_id is null) = (kind = 'ticket'))
);
create unique index drafts_ticket on drafts (workspace_id, ticket_id, user_id, kind) where ticket_id is not null;
create index drafts_user on drafts (workspace_id, user_id, id);

-- An upload that a draft names waits for its message as long as the draft does.
alter table attachments add column draft_id uuid;
