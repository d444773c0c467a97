-- What a workspace does by itself. The JSON is as the API has it.
create table rules (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  name text not null,
  -- The name, folded for comparison.
  name_key text not null,
  position integer not null,
  -- Earlier facts do not lead to it. Null: it is paused.
  active_since timestamptz(3),
  -- Why the service paused it.
  paused_reason text,
  trigger jsonb not null,
  conditions jsonb,
  actions jsonb not null,
  -- Also runs on what other rules do.
  on_rules boolean not null,
  -- Later rules do not see a fact on which this one ran.
  stop_after boolean not null,
  version integer not null,
  run_count integer not null default 0,
  last_run_at timestamptz(3),
  last_outcome text,
  -- The ticket up to which the open ones have their timers since the activation. Null: all.
  timers_after uuid,
  -- Of the calendar, by which the timers are counted.
  calendar_version integer,
  -- Null: the service itself.
  changed_by_id uuid,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  unique (workspace_id, name_key)
);

-- What a rule said when it ran. They outlive the rule, as long as its runs.
create table rule_versions (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  rule_id uuid not null,
  version integer not null,
  name text not null,
  trigger jsonb not null,
  conditions jsonb,
  actions jsonb not null,
  on_rules boolean not null,
  stop_after boolean not null,
  changed_by_id uuid,
  created_at timestamptz(3) not null,
  primary key (workspace_id, id),
  unique (workspace_id, rule_id, version)
);

create table rule_runs (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  rule_id uuid not null,
  rule_version integer not null,
  ticket_id uuid not null,
  -- The fact that led to it; null where a time did.
  activity_id uuid,
  outcome text not null check (outcome in ('done', 'failed', 'skipped_loop', 'skipped_limit')),
  -- Each action in short.
  did text[] not null,
  -- Whether it mailed.
  is_mail boolean not null,
  error jsonb,
  created_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, ticket_id) references tickets (workspace_id, id)
);
-- A fact leads to one run of a rule.
create unique index rule_runs_fact on rule_runs (workspace_id, rule_id, activity_id) where activity_id is not null;
create index rule_runs_rule on rule_runs (workspace_id, rule_id, id desc);
-- A rule that meets limits on many tickets is paused.
create index rule_runs_skipped on rule_runs (workspace_id, rule_id, created_at) where outcome = 'skipped_limit';
create index rule_runs_age on rule_runs (created_at);
create index rule_runs_ticket on rule_runs (workspace_id, ticket_id, id desc);

-- Tickets on which a rule about time will run, and those on which it ran.
create table rule_timers (
  workspace_id uuid not null references workspaces (id),
  rule_id uuid not null,
  ticket_id uuid not null,
  -- The time from which the rule counts.
  anchor timestamptz(3) not null,
  due_at timestamptz(3) not null,
  -- When it was due, and its conditions were asked: once for an anchor.
  done_at timestamptz(3),
  primary key (workspace_id, rule_id, ticket_id),
  foreign key (workspace_id, rule_id) references rules (workspace_id, id) on delete cascade,
  foreign key (workspace_id, ticket_id) references tickets (workspace_id, id) on delete cascade
);
create index rule_timers_due on rule_timers (workspace_id, due_at) where done_at is null;
create index rule_timers_age on rule_timers (done_at) where done_at is not null;
create index rule_timers_ticket on rule_timers (workspace_id, ticket_id);

-- How far the rules of a workspace have read its facts. Without active rules and automatic replies there is no row.
create table rule_readers (
  workspace_id uuid not null references workspaces (id),
  -- The workspace's own id.
  id uuid not null,
  read_transaction_id xid8 not null,
  read_id uuid not null,
  primary key (workspace_id, id)
);
