-- The total of a list is counted to a thousand: from the index alone, instead of by looking at a thousand tickets.
drop index tickets_inbox;
create index tickets_inbox on tickets (workspace_id, last_message_at desc, id desc) include (snoozed_until)
  where archived_at is null and merged_into_id is null;
drop index tickets_status;
create index tickets_status on tickets (workspace_id, status, last_message_at desc, id desc)
  include (archived_at, merged_into_id, snoozed_until);
drop index tickets_assignee;
create index tickets_assignee on tickets (workspace_id, assignee_id, last_message_at desc, id desc)
  include (archived_at, merged_into_id, snoozed_until);
