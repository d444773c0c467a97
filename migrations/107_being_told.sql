-- New tickets and replies in unassigned tickets are one notification for each mailbox, as long as it is unread: its
-- first fact, the words for several, and the mailbox. Null: no mailbox, and all other types.
alter table notifications add column mailbox_id uuid;
alter table notifications add column title_of_many text;
create unique index notifications_gathered on notifications (workspace_id, user_id, type, mailbox_id) nulls not distinct
  where read_at is null and type in ('new_ticket', 'unassigned_reply');

-- The facts that such notifications count, where somebody wants them. One row a fact, however many people it concerns.
create table gathered_facts (
  workspace_id uuid not null references workspaces (id),
  activity_id uuid not null,
  type text not null,
  -- The nil id: no mailbox.
  mailbox_id uuid not null,
  ticket_id uuid not null,
  -- Members who know of it, or hear of it in another way.
  passed_over uuid[] not null,
  created_at timestamptz(3) not null,
  primary key (workspace_id, activity_id)
);
create index gathered_facts_of_mailbox on gathered_facts (workspace_id, type, mailbox_id, activity_id);
-- What came since the last digest.
create index gathered_facts_since on gathered_facts (workspace_id, type, mailbox_id, created_at);
create index gathered_facts_age on gathered_facts (created_at);

-- By default, mails now tell of replies too. Nothing changes for those who have an account already.
insert into notification_preferences (user_id, digest, types, unsubscribe_key, updated_at)
select id, 'at_once',
  '{"mention": {"inApp": true, "email": true}, "assignment": {"inApp": true, "email": true},
    "reply": {"inApp": true, "email": false}, "mailbox": {"inApp": true, "email": true}}',
  uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()), now()
from users
on conflict do nothing;
