-- Addresses to which a workspace has written, and when it first did: new ones are limited a day.
create table mailed_recipients (
  workspace_id uuid not null references workspaces (id),
  email_key text not null,
  first_mailed_at timestamptz(3) not null,
  primary key (workspace_id, email_key)
);
create index mailed_recipients_recent on mailed_recipients (workspace_id, first_mailed_at);

-- Everybody who was met before is no new recipient.
insert into mailed_recipients (workspace_id, email_key, first_mailed_at)
select workspace_id, email_key, least(created_at, now() - interval '2 days') from contacts;
