-- Answers kept under a name: text, actions, or both.
create table saved_replies (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  -- Null: shared by all. A private one goes with its owner's membership.
  owner_id uuid,
  created_by uuid not null references users (id),
  name text not null,
  -- The name without case and accents, for the order.
  name_key text not null,
  shortcut text,
  subject text,
  body text not null,
  body_html text,
  actions jsonb not null,
  -- Words of name, shortcut and text, folded. Read by a filter on the few rows of a workspace, not by an index.
  search tsvector not null,
  version integer not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, owner_id) references members (workspace_id, user_id) on delete cascade
);
create index saved_replies_name on saved_replies (workspace_id, name_key, id);
create index saved_replies_owner on saved_replies (workspace_id, owner_id);
create unique index saved_replies_shortcut on saved_replies
  (workspace_id, coalesce(owner_id, '00000000-0000-0000-0000-000000000000'), lower(shortcut)) where shortcut is not null;

-- How often a member used a reply on a day. Rows of its own, so that answers at the same time do not wait for each other.
create table saved_reply_uses (
  workspace_id uuid not null,
  saved_reply_id uuid not null,
  user_id uuid not null references users (id),
  day date not null,
  uses integer not null,
  primary key (workspace_id, saved_reply_id, user_id, day),
  foreign key (workspace_id, saved_reply_id) references saved_replies (workspace_id, id) on delete cascade
);
create index saved_reply_uses_day on saved_reply_uses (day);

-- A file of a saved reply waits for no message.
alter table attachments add column saved_reply_id uuid;
create index attachments_saved_reply on attachments (workspace_id, saved_reply_id) where saved_reply_id is not null;

-- From which saved reply the text came, and whether sending runs its actions.
alter table drafts
  add column saved_reply_id uuid,
  add column runs_actions boolean not null default false;
