-- Who waits longest, first.
create index tickets_waiting on tickets (workspace_id, waiting_since, id)
  where waiting_since is not null and archived_at is null and merged_into_id is null;
create index tickets_mailbox on tickets (workspace_id, mailbox_id, last_message_at desc, id desc) include (snoozed_until)
  where mailbox_id is not null and archived_at is null and merged_into_id is null;
create index notifications_mentions on notifications (workspace_id, user_id, reference_id) where type = 'mention';
