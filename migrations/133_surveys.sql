-- Questions to customers: how the help was.
create table surveys (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  -- Null: of every mailbox without a survey of its own, and of mail by SMTP.
  mailbox_id uuid,
  -- `in_answer` asks below an answer, `after_close` by a mail of its own.
  ask text not null check (ask in ('in_answer', 'after_close')),
  scale text not null check (scale in ('two', 'three', 'five')),
  -- Null: the usual words of the language.
  question text,
  language text not null check (language in ('en', 'de')),
  -- How long after closing a mail asks.
  delay_minutes integer not null,
  -- How long the same customer is not asked again.
  every_days integer not null,
  is_active boolean not null default false,
  version integer not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, mailbox_id) references mailboxes (workspace_id, id)
);

-- Closed tickets whose customers will be asked by a mail of its own.
create table survey_plans (
  workspace_id uuid not null,
  ticket_id uuid not null,
  survey_id uuid not null,
  due_at timestamptz(3) not null,
  primary key (workspace_id, ticket_id),
  foreign key (workspace_id, ticket_id) references tickets (workspace_id, id) on delete cascade,
  foreign key (workspace_id, survey_id) references surveys (workspace_id, id) on delete cascade
);
create index survey_plans_due on survey_plans (due_at);

-- A mail that asked, and what its customer answered. Its ticket is that of its message, wherever a merge moves it.
create table survey_asks (
  workspace_id uuid not null,
  id uuid not null,
  message_id uuid not null,
  survey_id uuid not null,
  contact_id uuid not null,
  -- At the time of asking: who answered the customer, the team and the mailbox.
  user_id uuid references users (id),
  team_id uuid,
  mailbox_id uuid,
  scale text not null check (scale in ('two', 'three', 'five')),
  question text,
  language text not null check (language in ('en', 'de')),
  asked_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  -- When a program followed the link that no person sees.
  scanned_at timestamptz(3),
  -- From 1, the worst.
  score integer,
  comment text,
  -- A hash of the visitor's cookie.
  visitor text,
  answered_at timestamptz(3),
  changed_at timestamptz(3),
  -- Why the answer does not count, because a program may have given it. Null: it counts.
  doubt text check (doubt in ('scanner', 'fast', 'contradiction')),
  primary key (workspace_id, id),
  foreign key (workspace_id, message_id) references messages (workspace_id, id) on delete cascade
);
create unique index survey_asks_message on survey_asks (workspace_id, message_id);
create index survey_asks_contact on survey_asks (workspace_id, contact_id, asked_at);
create index survey_asks_time on survey_asks (workspace_id, asked_at);
create index survey_asks_answered on survey_asks (workspace_id, answered_at) where answered_at is not null;
