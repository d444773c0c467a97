-- What reports say of each ticket. The rows are made from events and messages, and can be made again.
create table ticket_metrics (
  workspace_id uuid not null,
  ticket_id uuid not null,
  first_customer_at timestamptz(3),
  answers integer not null,
  customer_messages integer not null,
  notes integer not null,
  -- When the ticket became open, and when it was closed.
  opened_at timestamptz(3)[] not null,
  closed_at timestamptz(3)[] not null,
  -- The last of these times.
  turned_at timestamptz(3) not null,
  -- Null: it is open.
  resolved_at timestamptz(3),
  resolved_by uuid,
  resolution_seconds integer,
  resolution_business_seconds integer,
  reassignments integer not null,
  is_one_touch boolean not null,
  primary key (workspace_id, ticket_id),
  foreign key (workspace_id, ticket_id) references tickets (workspace_id, id) on delete cascade
);
create index ticket_metrics_resolved on ticket_metrics (workspace_id, resolved_at) where resolved_at is not null;
create index ticket_metrics_turned on ticket_metrics (workspace_id, turned_at);

-- Waits of customers that an answer ended.
create table ticket_responses (
  workspace_id uuid not null,
  ticket_id uuid not null,
  message_id uuid not null,
  responded_at timestamptz(3) not null,
  -- Null: nobody knows which member wrote the answer.
  user_id uuid,
  is_first boolean not null,
  seconds integer not null,
  business_seconds integer,
  primary key (workspace_id, ticket_id, message_id),
  foreign key (workspace_id, ticket_id) references ticket_metrics (workspace_id, ticket_id) on delete cascade
);
create index ticket_responses_time on ticket_responses (workspace_id, responded_at);

-- How far the rows above are made. A workspace that reads no reports has no row.
create table report_readers (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  read_transaction_id xid8 not null,
  read_id uuid not null,
  -- The last fact of an import that was read.
  past_id uuid not null,
  -- Older tickets are read from the newest to the oldest; null: all are read.
  filled_to uuid,
  -- When somebody last asked for a report.
  asked_at timestamptz(3) not null,
  read_at timestamptz(3) not null,
  primary key (workspace_id, id)
);

create table report_settings (
  workspace_id uuid primary key references workspaces (id),
  -- The hours in which time counts for the business clock.
  calendar_id uuid,
  -- Whether reports compare members.
  shows_members boolean not null default true
);
