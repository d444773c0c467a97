-- Tickets, the lists of them, and changes of many at once.

-- The last ticket number given.
create table ticket_counters (
  workspace_id uuid primary key references workspaces (id),
  last_number integer not null
);

create table tickets (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  ticket_number integer not null,
  subject text not null,
  status text not null check (status in ('open', 'pending', 'closed')),
  priority text not null,
  -- low 1, normal and names of one's own 2, high 3, urgent 4
  priority_rank smallint not null,
  assignee_id uuid,
  -- Tags as first written, and folded for comparison, in the same order.
  tags text[] not null default '{}',
  tag_keys text[] not null default '{}',
  requester_id uuid,
  channel text not null check (channel in ('api', 'email')),
  mailbox_id uuid,
  archived_at timestamptz(3),
  snoozed_until timestamptz(3),
  merged_into_id uuid,
  message_count integer not null,
  last_message_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  version integer not null,
  -- The mail that started the ticket came from an import and no agent has touched the ticket: an import may join it to
  -- another.
  is_import_only boolean not null default false,
  -- What a list shows of a ticket's messages is kept on its row: lists read no messages. The newest message by time of
  -- writing. Null: the ticket has none.
  last_message_id uuid,
  last_message_direction text,
  last_message_author text,
  last_message_snippet text,
  -- Files of its messages, without pictures inside their text.
  attachment_count integer not null default 0,
  -- Of the newest answer that did not arrive, or may not have.
  delivery_problem text,
  -- When a person wrote whom nobody has answered since; null for a closed ticket.
  waiting_since timestamptz(3),
  -- By the clock of arrivals: what came before waits for nobody. Null where nobody closed the ticket, or an agent
  -- opened it again.
  closed_at timestamptz,
  -- The version that these columns are of. The sweep mends a row where it is behind.
  summary_version integer,
  -- A ticket in the trash, or one that is spam, is archived as well: so every list, count and index of the inbox leaves
  -- it out already. If it was not archived before, archived_at is the same instant.
  trashed_at timestamptz(3),
  spam_at timestamptz(3),
  spam_reason text,
  -- The ticket that took the mail which came while this one was in the trash.
  continued_in_id uuid,
  -- The newest message that told nobody, because its ticket was spam: they are told if the ticket turns out to be none.
  missed_message_id uuid,
  -- Subject, people and attachment names, folded, each word with the workspace's letters.
  search tsvector not null,
  primary key (workspace_id, id),
  unique (workspace_id, ticket_number),
  foreign key (workspace_id, assignee_id) references members (workspace_id, user_id),
  foreign key (workspace_id, requester_id) references contacts (workspace_id, id),
  foreign key (workspace_id, merged_into_id) references tickets (workspace_id, id),
  foreign key (workspace_id, mailbox_id) references mailboxes (workspace_id, id)
);
-- The total of a list is counted to a thousand from the index alone.
create index tickets_inbox on tickets (workspace_id, last_message_at desc, id desc) include (snoozed_until)
  where archived_at is null and merged_into_id is null;
create index tickets_last_message on tickets (workspace_id, last_message_at desc, id desc);
create index tickets_created on tickets (workspace_id, created_at desc, id desc);
create index tickets_updated on tickets (workspace_id, updated_at desc, id desc);
create index tickets_priority on tickets (workspace_id, priority_rank desc, last_message_at desc, id desc);
create index tickets_status on tickets (workspace_id, status, last_message_at desc, id desc)
  include (archived_at, merged_into_id, snoozed_until);
create index tickets_assignee on tickets (workspace_id, assignee_id, last_message_at desc, id desc)
  include (archived_at, merged_into_id, snoozed_until);
-- The lists that agents open first are of open tickets, and counted all the time. The index of assignees would have
-- years of closed ones read.
create index tickets_open_of_assignee on tickets (workspace_id, assignee_id, last_message_at desc, id desc)
  include (snoozed_until)
  where status = 'open' and archived_at is null and merged_into_id is null;
-- Who waits longest, first.
create index tickets_waiting on tickets (workspace_id, waiting_since, id)
  where waiting_since is not null and archived_at is null and merged_into_id is null;
create index tickets_mailbox on tickets (workspace_id, mailbox_id, last_message_at desc, id desc)
  include (snoozed_until)
  where mailbox_id is not null and archived_at is null and merged_into_id is null;
create index tickets_requester on tickets (workspace_id, requester_id);
-- A tag's tickets of one workspace by the index alone. No tag begins with a space.
create index tickets_tags on tickets using gin ((array_append(tag_keys, ' ' || workspace_id::text)));
-- The worst insert took 144 ms with fastupdate and 38 ms without it.
create index tickets_search on tickets using gin (search) with (fastupdate = off);
-- Snoozed and archived tickets are listed by themselves, in the order of the list, so that a plan that knows no values
-- takes the index too.
create index tickets_snoozed on tickets (workspace_id, last_message_at desc, id desc) where snoozed_until is not null;
create index tickets_archived on tickets (workspace_id, last_message_at desc, id desc) where archived_at is not null;
-- Snoozed tickets by the time at which they wake.
create index tickets_snoozed_until on tickets (workspace_id, snoozed_until)
  where snoozed_until is not null and merged_into_id is null;
create index tickets_trashed on tickets (workspace_id, last_message_at desc, id desc) where trashed_at is not null;
create index tickets_spam on tickets (workspace_id, last_message_at desc, id desc) where spam_at is not null;
-- For the sweeps that delete them for good.
create index tickets_trashed_at on tickets (trashed_at) where trashed_at is not null;
create index tickets_spam_at on tickets (spam_at) where spam_at is not null;
-- Without it, each ticket that is deleted would have all tickets searched.
create index tickets_merged_into on tickets (workspace_id, merged_into_id) where merged_into_id is not null;
create index tickets_unsummarised on tickets (workspace_id, id) where summary_version is distinct from version;
-- Lists of the inbox leave spam out because it is archived.
alter table tickets
  add constraint tickets_spam_archived check (spam_at is null or archived_at is not null) not valid;

create table ticket_participants (
  workspace_id uuid not null,
  ticket_id uuid not null,
  contact_id uuid not null,
  -- False for people who only wrote into a ticket: nobody who takes part has named them, and no agent has written to
  -- them.
  is_known boolean not null default true,
  primary key (workspace_id, ticket_id, contact_id),
  foreign key (workspace_id, ticket_id) references tickets (workspace_id, id),
  foreign key (workspace_id, contact_id) references contacts (workspace_id, id)
);
create index ticket_participants_contact on ticket_participants (workspace_id, contact_id);

-- Who is told of what happens on a ticket without having it.
create table ticket_followers (
  workspace_id uuid not null,
  ticket_id uuid not null,
  user_id uuid not null,
  created_at timestamptz(3) not null,
  primary key (workspace_id, ticket_id, user_id),
  foreign key (workspace_id, ticket_id) references tickets (workspace_id, id),
  foreign key (workspace_id, user_id) references members (workspace_id, user_id) on delete cascade
);
create index ticket_followers_user on ticket_followers (workspace_id, user_id);

-- Tickets that a member has not seen since a customer wrote or somebody mentioned the member. One that is closed,
-- archived or merged away has no such rows but those that members asked for. Without foreign keys: one customer's mail
-- writes a row for each member.
create table unread_tickets (
  workspace_id uuid not null,
  user_id uuid not null,
  ticket_id uuid not null,
  -- The newest message that made it unread, and when that arrived.
  message_id uuid not null,
  arrived_at timestamptz not null,
  primary key (workspace_id, user_id, ticket_id)
);
create index unread_tickets_ticket on unread_tickets (workspace_id, ticket_id);

-- Tickets made to try the inbox with: no mail of theirs leaves, a made-up customer answers, and all of them are taken
-- away together.
create table sample_tickets (
  workspace_id uuid not null references workspaces (id),
  ticket_id uuid not null,
  -- Which of the conversations it plays; null: a ticket that was made out of another one.
  script smallint,
  -- How often the customer has answered, and the newest answer of ours that got one.
  replies integer not null default 0,
  answered_id uuid,
  primary key (workspace_id, ticket_id),
  foreign key (workspace_id, ticket_id) references tickets (workspace_id, id)
);

-- Lists that people keep under a name.
create table views (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  -- Whose alone it is; null: shared by all. A personal one goes with its owner's membership, a shared one stays.
  owner_id uuid,
  created_by uuid not null references users (id),
  name text not null,
  -- Filters and order, as the list takes them.
  query jsonb not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, owner_id) references members (workspace_id, user_id) on delete cascade
);
create index views_owner on views (workspace_id, owner_id);

-- Changes of all tickets that matched a query. Processes work on each until none of its tickets waits.
create table bulk_changes (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  created_by uuid not null,
  created_at timestamptz(3) not null,
  query jsonb not null,
  change jsonb not null,
  state text not null check (state in ('running', 'done', 'stopped', 'undoing', 'undone')),
  undone_by uuid,
  -- Counts of its tickets. While the work goes on, they are counted anew.
  total integer not null,
  changed integer not null default 0,
  unchanged integer not null default 0,
  refused integer not null default 0,
  undone integer not null default 0,
  kept integer not null default 0,
  finished_at timestamptz(3),
  undone_at timestamptz(3),
  primary key (workspace_id, id)
);
create index bulk_changes_unfinished on bulk_changes (workspace_id, id) where state in ('running', 'undoing');

create table bulk_change_tickets (
  workspace_id uuid not null,
  bulk_change_id uuid not null,
  ticket_id uuid not null,
  state text not null default 'waiting'
    check (state in ('waiting', 'changed', 'unchanged', 'refused', 'undone', 'kept')),
  -- What the change made of the ticket, so that it can be undone.
  made jsonb,
  error jsonb,
  primary key (workspace_id, bulk_change_id, ticket_id),
  foreign key (workspace_id, bulk_change_id) references bulk_changes (workspace_id, id) on delete cascade
);
create index bulk_change_tickets_by_state on bulk_change_tickets (workspace_id, bulk_change_id, state, ticket_id);
