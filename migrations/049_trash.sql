-- A ticket in the trash, or one that is spam, is archived as well: so every list, count and index of the inbox leaves it out
-- already. If it was not archived before, archived_at is the same instant.
alter table tickets
  add column trashed_at timestamptz(3),
  add column spam_at timestamptz(3),
  add column spam_reason text,
  -- The ticket that took the mail which came while this one was in the trash.
  add column continued_in_id uuid;
create index tickets_trashed on tickets (workspace_id, last_message_at desc, id desc) where trashed_at is not null;
create index tickets_spam on tickets (workspace_id, last_message_at desc, id desc) where spam_at is not null;
-- For the sweeps that delete them for good.
create index tickets_trashed_at on tickets (trashed_at) where trashed_at is not null;
create index tickets_spam_at on tickets (spam_at) where spam_at is not null;
-- Without these, each ticket that is deleted would have all tickets searched, and each message all ids.
create index tickets_merged_into on tickets (workspace_id, merged_into_id) where merged_into_id is not null;
create index mail_ids_message on mail_ids (workspace_id, message_id) where message_id is not null;

-- When the bytes of a mail were deleted for good. The row stays, so that the mail is not taken in again.
alter table raw_mails add column erased_at timestamptz(3);
