-- The lists that agents open first are of open tickets, and counted all the time. The index of assignees would have years of
-- closed ones read.
create index tickets_open_of_assignee on tickets (workspace_id, assignee_id, last_message_at desc, id desc) include (snoozed_until)
  where status = 'open' and archived_at is null and merged_into_id is null;
