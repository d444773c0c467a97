-- What rules and automatic replies name. Whatever one of them names is not deleted.
create table uses (
  workspace_id uuid not null references workspaces (id),
  subject_kind text not null check (subject_kind in ('team', 'mailbox', 'saved_reply', 'calendar', 'webhook')),
  subject_id uuid not null,
  user_kind text not null check (user_kind in ('rule', 'auto_reply')),
  user_id uuid not null,
  primary key (workspace_id, subject_kind, subject_id, user_kind, user_id)
);
create index uses_user on uses (workspace_id, user_kind, user_id);
