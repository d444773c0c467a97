-- The open tickets of a mailbox, for their list and their count. `tickets_mailbox` has the closed ones too.
create index tickets_open_of_mailbox on tickets (workspace_id, mailbox_id, last_message_at desc, id desc) include (snoozed_until)
  where status = 'open' and archived_at is null and merged_into_id is null and mailbox_id is not null;
