-- Business hours. What a workspace counts as open.
create table calendars (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  name text not null,
  -- The name, folded for comparison.
  name_key text not null,
  -- A name of the time zone database.
  time_zone text not null,
  -- The spans of a week: `day` from Monday (1) on, `open` and `close` as wall times.
  hours jsonb not null,
  version integer not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  unique (workspace_id, name_key)
);

-- Dates with hours of their own, such as holidays.
create table calendar_days (
  workspace_id uuid not null,
  calendar_id uuid not null,
  date date not null,
  name text not null,
  -- Null: closed.
  hours jsonb,
  primary key (workspace_id, calendar_id, date),
  foreign key (workspace_id, calendar_id) references calendars (workspace_id, id) on delete cascade
);
