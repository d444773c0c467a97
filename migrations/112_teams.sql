-- Teams of members. Tickets belong to at most one.
create table teams (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  name text not null,
  -- The name, folded for comparison.
  name_key text not null,
  -- Who sees its tickets: all members, or those of the team with assignee, followers and owners.
  visibility text not null check (visibility in ('workspace', 'members')),
  position integer not null,
  -- Takes no more tickets. What it hides stays hidden.
  archived_at timestamptz(3),
  created_at timestamptz(3) not null,
  primary key (workspace_id, id),
  unique (workspace_id, name_key)
);
-- Each request asks whether a workspace hides anything.
create index teams_restricted on teams (workspace_id, id) where visibility = 'members';

create table team_members (
  workspace_id uuid not null,
  team_id uuid not null,
  user_id uuid not null,
  is_lead boolean not null default false,
  created_at timestamptz(3) not null,
  primary key (workspace_id, team_id, user_id),
  foreign key (workspace_id, team_id) references teams (workspace_id, id) on delete cascade,
  foreign key (workspace_id, user_id) references members (workspace_id, user_id) on delete cascade
);
create index team_members_user on team_members (workspace_id, user_id, team_id);

-- `teams`: sees only tickets of the own teams, and what they have or follow.
alter table members add column access text not null default 'all' check (access in ('all', 'teams'));

-- The team in which tickets of a mailbox begin.
alter table mailboxes add column team_id uuid;
alter table mailboxes add constraint mailboxes_team
  foreign key (workspace_id, team_id) references teams (workspace_id, id) not valid;

alter table tickets add column team_id uuid;
alter table tickets add constraint tickets_team_fkey
  foreign key (workspace_id, team_id) references teams (workspace_id, id) not valid;
